#include "fault_layer.hpp"

#include <tuple>
#include <type_traits>

#include "layer.hpp"

namespace {

using namespace faults;

// Never destroyed: drivers may call until the process is gone.
State &state = *new State;
const cl_icd_dispatch *target = nullptr;

// The code with which this call is to fail, CL_SUCCESS if it is not.
cl_int fault_of(Call call) {
    if (call == call_count || !state.is_watching)
        return CL_SUCCESS;
    const int number = state.calls[call]++;
    if (state.failing != call || state.number != number)
        return CL_SUCCESS;
    state.has_failed = true;
    return state.code;
}

template <class Handle> constexpr Object object_of() {
    if constexpr (std::is_same_v<Handle, cl_context>)
        return contexts;
    else if constexpr (std::is_same_v<Handle, cl_command_queue>)
        return queues;
    else if constexpr (std::is_same_v<Handle, cl_mem>)
        return buffers;
    else if constexpr (std::is_same_v<Handle, cl_program>)
        return programs;
    else if constexpr (std::is_same_v<Handle, cl_kernel>)
        return kernels;
    else if constexpr (std::is_same_v<Handle, cl_event>)
        return events;
    else
        return object_count; // not counted
}

// Arguments through which the event of a command is handed out.
template <class T> void count_event(T) {}
void count_event(cl_event *event) {
    if (event)
        ++state.live[events];
}

// The layer's function for a member of the table. call: call_count where it only counts.
template <Call call, auto member, class Function> struct Layered;

template <Call call, auto member, class... Arguments>
struct Layered<call, member, cl_int (*cl_icd_dispatch::*)(Arguments...)> {
    static cl_int CL_API_CALL function(Arguments... arguments) {
        if (const cl_int code = fault_of(call))
            return code;
        const cl_int result = (target->*member)(arguments...);
        if (result == CL_SUCCESS)
            (count_event(arguments), ...);
        return result;
    }
};

// Functions that return an object have its error in their last argument.
template <Call call, auto member, class Result, class... Arguments>
struct Layered<call, member, Result *(*cl_icd_dispatch::*)(Arguments...)> {
    static Result *CL_API_CALL function(Arguments... arguments) {
        if (const cl_int code = fault_of(call)) {
            cl_int *const error = std::get<sizeof...(arguments) - 1>(std::tie(arguments...));
            if (error)
                *error = code;
            return nullptr;
        }
        Result *const result = (target->*member)(arguments...);
        if (result) {
            (count_event(arguments), ...);
            if constexpr (object_of<Result *>() != object_count)
                ++state.live[object_of<Result *>()];
        }
        return result;
    }
};

template <auto member, int change, class Handle> cl_int CL_API_CALL change_count(Handle handle) {
    const cl_int result = (target->*member)(handle);
    if (result == CL_SUCCESS)
        state.live[object_of<Handle>()] += change;
    return result;
}

cl_icd_dispatch layered() {
    cl_icd_dispatch table = *target;
#define LAYERED(call, name)                                                                        \
    table.name = Layered<call, &cl_icd_dispatch::name, decltype(&cl_icd_dispatch::name)>::function;
#define FAILING(name) LAYERED(call_##name, name)
#define COUNTING(name) LAYERED(call_count, name)
    FAULTS_CALLS(FAILING)
    COUNTING(clCreateContextFromType)
    COUNTING(clCreateImage)
    COUNTING(clCreateSubBuffer)
    COUNTING(clCreateUserEvent)
    COUNTING(clEnqueueBarrierWithWaitList)
    COUNTING(clEnqueueCopyBufferRect)
    COUNTING(clEnqueueFillBuffer)
    COUNTING(clEnqueueMarkerWithWaitList)
#undef COUNTING
#undef FAILING
#undef LAYERED
#define COUNTED(object, Handle)                                                                    \
    table.clRetain##object = change_count<&cl_icd_dispatch::clRetain##object, 1, Handle>;          \
    table.clRelease##object = change_count<&cl_icd_dispatch::clRelease##object, -1, Handle>;
    COUNTED(Context, cl_context)
    COUNTED(CommandQueue, cl_command_queue)
    COUNTED(MemObject, cl_mem)
    COUNTED(Program, cl_program)
    COUNTED(Kernel, cl_kernel)
    COUNTED(Event, cl_event)
#undef COUNTED
    return table;
}

} // namespace

extern "C" {
LAYER_ENTRY_POINTS(target, layered)

// The test's way to the state.
faults::State *fault_layer_state() {
    return &state;
}
}
