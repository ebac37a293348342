// The cache of compiled programs as an embedder sees it.
#include <doctest/doctest.h>

#include <cstring>
#include <filesystem>
#include <map>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>
#include <gauze/gauze.hpp>

#include "support/file_rights.hpp"

namespace fs = std::filesystem;

namespace {

// A new directory, removed with all that is in it.
class Directory {
public:
    Directory()
        : path_(fs::temp_directory_path() /
                ("gauze-cache-" + std::to_string(std::random_device()()))) {
        fs::create_directory(path_);
        fs::permissions(path_, fs::perms::owner_all);
    }
    ~Directory() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    Directory(const Directory &) = delete;
    Directory &operator=(const Directory &) = delete;
    std::string path() const { return path_.string(); }

private:
    fs::path path_;
};

gauze::EngineOptions in(const Directory &directory) {
    gauze::EngineOptions options;
    options.cache_directory = directory.path();
    return options;
}

// Some filters of several programs, of one image.
std::vector<std::vector<float>> results(const gauze::Engine &engine) {
    std::vector<float> pixels(60 * 40);
    std::minstd_rand random(3);
    for (float &pixel : pixels)
        pixel = static_cast<float>(random() % 1000);
    std::vector<std::vector<float>> all;
    for (const gauze::Filter &filter :
         {gauze::gaussian(1.5), gauze::correlate({{0, 1, 0, 2, 3, 4, 0, 5, 0}, 3, 3}),
          gauze::box(9)}) {
        all.emplace_back(pixels.size());
        engine.plan(filter, gauze::Image::f32(60, 40)).run(pixels, all.back());
    }
    return all;
}

// An embedder's store, and what was asked of it.
struct Shelf {
    std::mutex mutex;
    std::map<std::string, std::string> entries;

    static void load(const char *name, gauze_cache_receive receive, void *receiver, void *user) {
        auto *self = static_cast<Shelf *>(user);
        const std::lock_guard<std::mutex> lock(self->mutex);
        const auto entry = self->entries.find(name);
        if (entry != self->entries.end())
            receive(entry->second.data(), entry->second.size(), receiver);
    }
    static void store(const char *name, const void *entry, std::uint64_t bytes, void *user) {
        auto *self = static_cast<Shelf *>(user);
        const std::lock_guard<std::mutex> lock(self->mutex);
        self->entries[name].assign(static_cast<const char *>(entry), bytes);
    }
};

} // namespace

TEST_SUITE("cache") {
    TEST_CASE("what one engine compiles, the next one does not, and the bits are the same") {
        const Directory directory;
        const gauze::Engine first(in(directory));
        const auto expected = results(first);
        const std::uint64_t programs = first.compile_count();
        CHECK(programs >= 3);
        CHECK(first.cache_counts().hits == 0);
        CHECK(first.cache_counts().misses == programs);
        CHECK(first.cache_counts().stores == programs);
        const gauze::CacheInfo info = gauze::cache_info(directory.path());
        CHECK(info.directory == directory.path());
        CHECK(info.entries == programs);
        CHECK(info.bytes > 0);
        CHECK(info.max_bytes == 64 << 20);

        gauze::EngineOptions reading = in(directory);
        reading.cache_mode = gauze::CacheMode::read_only;
        for (const gauze::EngineOptions &options : {in(directory), reading}) {
            const gauze::Engine second(options);
            CHECK(results(second) == expected);
            CHECK(second.compile_count() == 0);
            CHECK(second.cache_counts().hits == programs);
            CHECK(second.cache_counts().misses == 0);
            CHECK(second.cache_counts().stores == 0);
        }
        CHECK(gauze::cache_info(directory.path()).bytes == info.bytes);

        CHECK(gauze::clear_cache(directory.path()) == programs);
        CHECK(gauze::clear_cache(directory.path()) == 0);
        CHECK(gauze::cache_info(directory.path()).entries == 0);
        const gauze::Engine third(reading);
        CHECK(results(third) == expected);
        CHECK(third.compile_count() == programs);
        CHECK(fs::is_empty(directory.path()));

        gauze::EngineOptions small = in(directory);
        small.cache_max_bytes = 10;
        results(gauze::Engine(small));
        CHECK(fs::is_empty(directory.path()));
    }

    TEST_CASE("memory at any address, and a source that is its target, need no other program") {
        gauze::EngineOptions options;
        options.cache_mode = gauze::CacheMode::off;
        const gauze::Engine engine(options);
        constexpr std::size_t columns = 64, rows = 40, pixels = columns * rows;
        const gauze::Plan plan = engine.plan(gauze::box(9), gauze::Image::f32(columns, rows));
        std::vector<float> source(pixels + 16, 1.0F), target(pixels + 16);
        constexpr std::size_t bytes = pixels * sizeof(float);
        plan.run(source.data(), bytes, target.data(), bytes);
        const std::uint64_t programs = engine.compile_count();
        for (std::size_t shift = 0; shift < 16; ++shift)
            plan.run(&source[shift], bytes, &target[15 - shift], bytes);
        plan.run(source.data(), bytes, source.data(), bytes);
        CHECK(engine.compile_count() == programs);
    }

    TEST_CASE("with the embedder's callbacks there is no directory") {
        const Directory directory;
        Shelf shelf;
        gauze::EngineOptions options = in(directory);
        options.cache_load = Shelf::load;
        options.cache_store = Shelf::store;
        options.cache_user = &shelf;
        const gauze::Engine first(options);
        const auto expected = results(first);
        CHECK(shelf.entries.size() == first.compile_count());
        const gauze::Engine second(options);
        CHECK(results(second) == expected);
        CHECK(second.compile_count() == 0);
        // Nothing that it gives back in bad shape is used.
        for (auto &[name, entry] : shelf.entries)
            entry[entry.size() - 100] = static_cast<char>(entry[entry.size() - 100] ^ 1);
        const gauze::Engine third(options);
        CHECK(results(third) == expected);
        CHECK(third.compile_count() == first.compile_count());
        CHECK(third.cache_counts().stores == first.compile_count());
        CHECK(fs::is_empty(directory.path()));
    }

    // CTest runs this one with two devices, where PoCL is the platform.
    TEST_CASE("engines in a context of all devices of a platform") {
        const gauze::Engine engine;
        const gauze::Image image = engine.image(gauze::Image::u8(1, 1));
        cl_context context = nullptr;
        clGetMemObjectInfo(image.mem(), CL_MEM_CONTEXT, sizeof context, &context, nullptr);
        cl_device_id device = nullptr;
        clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof device, &device, nullptr);
        cl_platform_id platform = nullptr;
        clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, nullptr);
        cl_uint count = 0;
        REQUIRE(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count) == CL_SUCCESS);
        std::vector<cl_device_id> devices(count);
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, devices.data(), nullptr);
        cl_int error = CL_SUCCESS;
        const cl_context shared =
            clCreateContext(nullptr, count, devices.data(), nullptr, nullptr, &error);
        REQUIRE(error == CL_SUCCESS);
        const Directory directory;
        MESSAGE(count, " devices");
        for (const cl_device_id one : devices) {
            gauze::EngineOptions options = in(directory);
            options.context = shared;
            options.device_id = one;
            const gauze::Engine first(options);
            const auto expected = results(first);
            const gauze::Engine second(options);
            CHECK(results(second) == expected);
            CHECK(second.compile_count() == 0);
            CHECK(second.cache_counts().hits == first.cache_counts().stores);
        }
        clReleaseContext(shared);
    }

    TEST_CASE("bad arguments") {
        gauze_engine_options options{};
        options.struct_size = sizeof options;
        gauze_engine *engine = nullptr;
        for (const gauze_cache_mode mode : {-1, 3}) {
            options.cache_mode = mode;
            CHECK(gauze_engine_create(&options, &engine) == GAUZE_ERROR_INVALID_ARGUMENT);
            CHECK(std::string(gauze_last_error()).find("cache_mode is " + std::to_string(mode)) !=
                  std::string::npos);
        }
        CHECK(engine == nullptr);
        gauze_cache_counts counts{};
        counts.struct_size = sizeof counts;
        CHECK(gauze_engine_cache_counts(nullptr, &counts) == GAUZE_ERROR_INVALID_ARGUMENT);
        CHECK(gauze_cache_query("", nullptr) == GAUZE_ERROR_INVALID_ARGUMENT);

        const Directory directory;
        support::let_others_write(directory.path());
        for (int call = 0; call < 2; ++call) {
            try {
                if (call == 0)
                    gauze::cache_info(directory.path());
                else
                    gauze::clear_cache(directory.path());
                FAIL("a directory that others may write to was accepted");
            } catch (const gauze::Error &error) {
                CHECK(error.status() == GAUZE_ERROR_INVALID_ARGUMENT);
                CHECK(std::string(error.what()).find(directory.path()) != std::string::npos);
            }
        }
        // An engine goes on without it.
        const gauze::Engine without(in(directory));
        CHECK(results(without).size() == 3);
        CHECK(without.cache_counts().stores == 0);
        CHECK(fs::is_empty(directory.path()));
    }

    TEST_CASE("no directory: GAUZE_CACHE_DIR is off in tests") {
        CHECK(gauze::cache_info().directory.empty());
        CHECK(gauze::cache_info().entries == 0);
        CHECK(gauze::clear_cache() == 0);
        CHECK(gauze_cache_clear(nullptr, nullptr) == GAUZE_OK);
        const std::string nowhere = fs::absolute("/no/such/directory").make_preferred().string();
        const gauze::CacheInfo none = gauze::cache_info(nowhere);
        CHECK(none.directory == nowhere);
        CHECK(none.entries == 0);
    }
}
