// Conversions that the functions of gauze.h share: from arguments to the library's own types, and from
// exceptions to statuses.
#pragma once

#include <gauze/gauze.h>

#include <cstdint>
#include <exception>
#include <new>

#include "core/error.hpp"
#include "core/image_desc.hpp"
#include "core/types.hpp"
#include "device/opencl.hpp"
#include "plan/host_copy.hpp"

namespace gz {

// Keeps the text for gauze_last_error.
gauze_status record(Status status, const char *text) noexcept;
void forget_last_error() noexcept;

// The one place where exceptions become statuses.
template <class Body> gauze_status guarded(Body &&body) noexcept {
    try {
        body();
        forget_last_error();
        return GAUZE_OK;
    } catch (const Error &error) {
        return record(error.status(), error.what());
    } catch (const std::bad_alloc &) {
        return record(Status::out_of_memory, "out of host memory");
    } catch (const cl::Error &error) {
        const Error own = opencl_error(error, "serving a call");
        return record(own.status(), own.what());
    } catch (const std::exception &error) {
        return record(Status::internal, error.what());
    } catch (...) {
        return record(Status::internal, "an unknown exception");
    }
}

Axes axes_of(const std::int64_t (&values)[4]);

// Checked and complete; name: the argument's.
ImageDesc image_desc(const gauze_image_desc *given, const char *name);

HostSource host_source(const gauze_host_source *source);

inline const char *or_empty(const char *text) {
    return text ? text : "";
}

} // namespace gz
