// Devices, engines and their cache of programs: see gauze.h.
#include <gauze/gauze.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "api/boundary.hpp"
#include "api/handles.hpp"
#include "api/versioned_struct.hpp"
#include "device/cache_directory.hpp"
#include "device/system.hpp"

namespace {

using gz::check_handle;
using gz::check_pointer;
using gz::check_struct;
using gz::guarded;
using gz::known_part;
using gz::or_empty;
using gz::require;
using gz::write_struct;

// c_str()s that live as long as `facts` and `tuning`.
gauze_device_info info_of(const gz::DeviceFacts &facts, int index, bool is_default,
                          const std::string &tuning) {
    gauze_device_info info{};
    info.index = index;
    info.kind = facts.is_cpu()                                       ? GAUZE_DEVICE_CPU
                : facts.device_class == gz::DeviceClass::accelerator ? GAUZE_DEVICE_ACCELERATOR
                                                                     : GAUZE_DEVICE_GPU;
    info.is_default = is_default ? 1 : 0;
    info.name = facts.name.c_str();
    info.vendor = facts.vendor.c_str();
    info.platform = facts.platform.c_str();
    info.version = facts.version.c_str();
    info.driver = facts.driver.c_str();
    info.device_class = gz::name_of(facts.device_class);
    info.unusable = facts.unusable.empty() ? nullptr : facts.unusable.c_str();
    info.global_memory = facts.global_memory;
    info.max_allocation = facts.max_allocation;
    info.local_memory = facts.local_memory;
    info.max_parameter_size = facts.max_parameter_size;
    info.compute_units = facts.compute_units;
    info.clock_mhz = facts.clock_mhz;
    info.max_group_size = facts.max_group_size;
    info.has_f64 = facts.has_f64 ? 1 : 0;
    info.architecture = facts.architecture.c_str();
    info.tuning = tuning.c_str();
    info.library = facts.library.c_str();
    return info;
}

gz::Engine::Options engine_options(const gauze_engine_options *given) {
    const gauze_engine_options options = known_part(given, "options");
    require(options.cache_mode >= GAUZE_CACHE_READ_WRITE && options.cache_mode <= GAUZE_CACHE_OFF,
            "options->cache_mode is ", options.cache_mode, ", which is no mode");
    gz::Engine::Options result;
    result.device = or_empty(options.device);
    result.cl_dir = or_empty(options.cl_dir);
    result.log = {options.log, options.log_user};
    result.context = options.context;
    result.device_id = options.device_id;
    result.cache.mode = static_cast<gz::CacheMode>(options.cache_mode);
    result.cache.directory = or_empty(options.cache_directory);
    if (options.cache_max_bytes != 0)
        result.cache.max_bytes = options.cache_max_bytes;
    result.cache.load = options.cache_load;
    result.cache.store = options.cache_store;
    result.cache.user = options.cache_user;
    result.tuning_file = or_empty(options.tuning_file);
    return result;
}

// Returns the directory that an engine would use where it is asked for; nothing where it would have none.
std::optional<gz::CacheDirectory> cache_directory(const char *asked) {
    const std::string path = gz::cache_directory(or_empty(asked));
    if (path.empty())
        return std::nullopt;
    return gz::CacheDirectory(path, gz::CacheAccess::read_write, gz::default_cache_bytes);
}

} // namespace

extern "C" {

gauze_status gauze_device_list_create(gauze_device_list **list) {
    return guarded([&] {
        check_pointer(list, "list");
        auto result = std::make_unique<gauze_device_list>();
        result->found = gz::discover();
        result->notes = result->found.advice();
        const std::string file = gz::tuning_file("");
        const gz::SourceTree sources("");
        for (const gz::FoundDevice &device : result->found.devices)
            result->tuning.push_back(gz::Tuning(file, device.facts, sources, {}).summary());
        *list = result.release();
    });
}

void gauze_device_list_destroy(gauze_device_list *list) {
    gz::destroy(list);
}

size_t gauze_device_list_count(const gauze_device_list *list) {
    return gz::is_alive(list) ? list->found.devices.size() : 0;
}

gauze_status gauze_device_list_get(const gauze_device_list *list, size_t index,
                                   gauze_device_info *info) {
    return guarded([&] {
        check_handle(list, "list");
        require(index < list->found.devices.size(), "index is ", index, "; the list has ",
                list->found.devices.size(), " devices");
        const int place = static_cast<int>(index);
        write_struct(info,
                     info_of(list->found.devices[index].facts, place,
                             place == list->found.default_device(), list->tuning[index]),
                     "info");
    });
}

const char *gauze_device_list_notes(const gauze_device_list *list) {
    return gz::is_alive(list) ? list->notes.c_str() : "";
}

gauze_status gauze_engine_create(const gauze_engine_options *options, gauze_engine **engine) {
    return guarded([&] {
        check_pointer(engine, "engine");
        auto result = std::make_unique<gauze_engine>();
        result->engine =
            std::make_shared<gz::Engine>(options ? engine_options(options) : gz::Engine::Options());
        *engine = result.release();
    });
}

void gauze_engine_destroy(gauze_engine *engine) {
    gz::destroy(engine);
}

gauze_status gauze_engine_device(const gauze_engine *engine, gauze_device_info *info) {
    return guarded([&] {
        check_handle(engine, "engine");
        const gz::Engine &own = *engine->engine;
        std::call_once(engine->tuning_is_known, [&] { engine->tuning = own.tuning().summary(); });
        write_struct(
            info, info_of(own.facts(), own.device_index(), own.is_default_device(), engine->tuning),
            "info");
    });
}

cl_context gauze_engine_context(const gauze_engine *engine) {
    return gz::is_alive(engine) ? engine->engine->context()() : nullptr;
}

cl_device_id gauze_engine_device_id(const gauze_engine *engine) {
    return gz::is_alive(engine) ? engine->engine->device()() : nullptr;
}

cl_command_queue gauze_engine_queue(const gauze_engine *engine) {
    cl_command_queue queue = nullptr;
    guarded([&] {
        check_handle(engine, "engine");
        queue = engine->engine->queue()();
    });
    return queue;
}

gauze_status gauze_engine_finish(const gauze_engine *engine) {
    return guarded([&] {
        check_handle(engine, "engine");
        gz::attempt("waiting for the engine's queue", [&] { engine->engine->queue().finish(); });
    });
}

gauze_status gauze_engine_compile_count(const gauze_engine *engine, uint64_t *count) {
    return guarded([&] {
        check_handle(engine, "engine");
        check_pointer(count, "count");
        *count = engine->engine->compile_count();
    });
}

gauze_status gauze_engine_cache_counts(const gauze_engine *engine, gauze_cache_counts *counts) {
    return guarded([&] {
        check_handle(engine, "engine");
        const gz::BinaryCache &cache = engine->engine->cache();
        gauze_cache_counts result{};
        result.hits = cache.hit_count();
        result.misses = cache.miss_count();
        result.stores = cache.store_count();
        write_struct(counts, result, "counts");
    });
}

gauze_status gauze_cache_query(const char *directory, gauze_cache_info *info) {
    return guarded([&] {
        std::string &path = gz::system::thread_texts().directory;
        check_struct(info, "info");
        gauze_cache_info result{};
        result.max_bytes = gz::default_cache_bytes;
        if (const auto own = cache_directory(directory)) {
            const gz::CacheDirectory::Contents contents = own->contents();
            path = own->path();
            result.directory = path.c_str();
            result.entries = contents.entries;
            result.bytes = contents.bytes;
        }
        write_struct(info, result, "info");
    });
}

gauze_status gauze_cache_clear(const char *directory, uint64_t *removed) {
    return guarded([&] {
        const auto own = cache_directory(directory);
        const std::uint64_t count = own ? own->clear() : 0;
        if (removed)
            *removed = count;
    });
}

} // extern "C"
