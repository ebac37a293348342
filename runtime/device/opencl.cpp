#include "device/opencl.hpp"

#include <string_view>

namespace gz {

std::string opencl_error_name(cl_int code) {
    struct Named {
        cl_int code;
        const char *name;
    };
#define GZ_NAMED(code)                                                                             \
    { code, #code }
    static constexpr Named table[] = {
        GZ_NAMED(CL_DEVICE_NOT_FOUND),
        GZ_NAMED(CL_DEVICE_NOT_AVAILABLE),
        GZ_NAMED(CL_COMPILER_NOT_AVAILABLE),
        GZ_NAMED(CL_MEM_OBJECT_ALLOCATION_FAILURE),
        GZ_NAMED(CL_OUT_OF_RESOURCES),
        GZ_NAMED(CL_OUT_OF_HOST_MEMORY),
        GZ_NAMED(CL_PROFILING_INFO_NOT_AVAILABLE),
        GZ_NAMED(CL_MEM_COPY_OVERLAP),
        GZ_NAMED(CL_BUILD_PROGRAM_FAILURE),
        GZ_NAMED(CL_MAP_FAILURE),
        GZ_NAMED(CL_MISALIGNED_SUB_BUFFER_OFFSET),
        GZ_NAMED(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
        GZ_NAMED(CL_COMPILE_PROGRAM_FAILURE),
        GZ_NAMED(CL_LINKER_NOT_AVAILABLE),
        GZ_NAMED(CL_LINK_PROGRAM_FAILURE),
        GZ_NAMED(CL_INVALID_VALUE),
        GZ_NAMED(CL_INVALID_PLATFORM),
        GZ_NAMED(CL_INVALID_DEVICE),
        GZ_NAMED(CL_INVALID_CONTEXT),
        GZ_NAMED(CL_INVALID_QUEUE_PROPERTIES),
        GZ_NAMED(CL_INVALID_COMMAND_QUEUE),
        GZ_NAMED(CL_INVALID_HOST_PTR),
        GZ_NAMED(CL_INVALID_MEM_OBJECT),
        GZ_NAMED(CL_INVALID_BINARY),
        GZ_NAMED(CL_INVALID_BUILD_OPTIONS),
        GZ_NAMED(CL_INVALID_PROGRAM),
        GZ_NAMED(CL_INVALID_PROGRAM_EXECUTABLE),
        GZ_NAMED(CL_INVALID_KERNEL_NAME),
        GZ_NAMED(CL_INVALID_KERNEL),
        GZ_NAMED(CL_INVALID_ARG_INDEX),
        GZ_NAMED(CL_INVALID_ARG_VALUE),
        GZ_NAMED(CL_INVALID_ARG_SIZE),
        GZ_NAMED(CL_INVALID_KERNEL_ARGS),
        GZ_NAMED(CL_INVALID_WORK_DIMENSION),
        GZ_NAMED(CL_INVALID_WORK_GROUP_SIZE),
        GZ_NAMED(CL_INVALID_WORK_ITEM_SIZE),
        GZ_NAMED(CL_INVALID_GLOBAL_OFFSET),
        GZ_NAMED(CL_INVALID_EVENT_WAIT_LIST),
        GZ_NAMED(CL_INVALID_EVENT),
        GZ_NAMED(CL_INVALID_OPERATION),
        GZ_NAMED(CL_INVALID_BUFFER_SIZE),
        GZ_NAMED(CL_INVALID_GLOBAL_WORK_SIZE),
        GZ_NAMED(CL_INVALID_PROPERTY),
        GZ_NAMED(CL_INVALID_COMPILER_OPTIONS),
        GZ_NAMED(CL_INVALID_LINKER_OPTIONS),
        {-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
    };
#undef GZ_NAMED
    for (const Named &named : table)
        if (named.code == code)
            return text(named.name, " (", code, ")");
    return text("OpenCL error ", code);
}

Error opencl_error(const cl::Error &error, const std::string &doing) {
    Status status = Status::device;
    switch (error.err()) {
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_OUT_OF_HOST_MEMORY:
        status = Status::out_of_memory;
        break;
    case -1001:
        status = Status::no_device;
        break;
    default:
        break;
    }
    // The bindings have the wrong name for this one.
    const std::string_view said = error.what();
    const std::string_view call =
        said == "clGetEventProfileInfo" ? "clGetEventProfilingInfo" : said;
    return {status, text(call, " failed with ", opencl_error_name(error.err()), " while ", doing)};
}

} // namespace gz
