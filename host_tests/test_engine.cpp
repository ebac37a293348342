// An engine on a real device: programs, their failures, launches and memory.
#include <doctest/doctest.h>

#include <filesystem>
#include <numeric>
#include <thread>

#include "device/discovery.hpp"
#include "device/engine.hpp"
#include "plan/copy.hpp"
#include "support/unit.hpp"

using gz::Engine;
using gz::ProgramRequest;
using gz::Status;
using support::check_refused;
using support::LogLines;
using support::TempDir;

namespace {

Engine::Options options_of(const std::string &device, const std::string &cl_dir = "",
                           gz::Log log = {}) {
    Engine::Options options;
    options.device = device;
    options.cl_dir = cl_dir;
    options.log = log;
    return options;
}

// A small program for these tests, independent of what the library's kernels need.
constexpr const char *good_source = "#include \"lib/value.clh\"\n"
                                    "__kernel void fill(__global int *to) {\n"
                                    "    to[get_global_id(0)] = VALUE + OFFSET;\n"
                                    "}\n";
// The fault is in line 3.
constexpr const char *bad_source = "#include \"lib/value.clh\"\n"
                                   "__kernel void fill(__global int *to) {\n"
                                   "    to[get_global_id(0)] = never_declared + OFFSET;\n"
                                   "}\n";

void write_tree(const TempDir &directory, const std::string &source) {
    directory.write("fill.cl", source);
    directory.write("lib/value.clh",
                    "// Three lines,\n// so that numbers differ.\n#define VALUE 40\n");
}

ProgramRequest fill_program(int offset = 2) {
    return {"fill.cl", "fill", {{"OFFSET", offset}}};
}

// Returns what 64 items of the program write.
std::vector<cl_int> run_fill(Engine &engine, const ProgramRequest &request) {
    gz::Launch launch;
    launch.program = request;
    launch.range.global = {64, 1, 1};
    launch.range.local = {1, 1, 1};
    launch.arguments = {gz::TargetBuffer()};
    std::vector<cl_int> values(64);
    const cl::Buffer buffer = engine.allocate(sizeof(cl_int) * values.size(), "the test's buffer");
    cl::CommandQueue queue = engine.queue();
    engine.make_ready(launch).enqueue(queue, {{}, {buffer}, {}}, {}, nullptr);
    queue.enqueueReadBuffer(buffer, CL_TRUE, 0, sizeof(cl_int) * values.size(), values.data());
    return values;
}

} // namespace

TEST_SUITE("engine") {
    TEST_CASE("knows the device that it was made for") {
        const gz::Discovery found = gz::discover();
        for (std::size_t i = 0; i < found.devices.size(); ++i) {
            const gz::DeviceFacts &facts = found.devices[i].facts;
            CAPTURE(facts.name);
            const auto make = [&] { return Engine(options_of(std::to_string(i))).device_index(); };
            if (!facts.unusable.empty()) {
                check_refused(Status::no_device, {facts.name, facts.unusable}, make);
                continue;
            }
            LogLines lines;
            const Engine engine(options_of(std::to_string(i), "", lines.log()));
            CHECK(engine.device_index() == static_cast<int>(i));
            CHECK(engine.facts().name == facts.name);
            CHECK(engine.facts().platform == facts.platform);
            CHECK(engine.is_default_device() == (engine.device_index() == found.default_device()));
            CHECK(engine.compile_count() == 0);
            CHECK(lines.has(GAUZE_LOG_INFO, facts.name));
        }
    }

    TEST_CASE("without a selector, GAUZE_DEVICE decides, else the best device") {
        const gz::Discovery found = gz::discover();
        const Engine engine(options_of(""));
        CHECK(engine.device_index() == found.select(gz::environment("GAUZE_DEVICE")));
    }

    TEST_CASE("a device that is not there is refused") {
        check_refused(Status::no_device, {"no such device"},
                      [] { const Engine engine(options_of("no such device")); });
    }

    TEST_CASE("the same program is compiled once, another one again") {
        const TempDir directory;
        write_tree(directory, good_source);
        LogLines lines;
        Engine engine(options_of("", directory.path(), lines.log()));
        const auto first = engine.program(fill_program());
        CHECK(engine.compile_count() == 1);
        CHECK(engine.program(fill_program()) == first);
        CHECK(engine.compile_count() == 1);
        CHECK(engine.program(fill_program(3)) != first);
        CHECK(engine.compile_count() == 2);
        CHECK(lines.has(GAUZE_LOG_DEBUG, "-D OFFSET=3"));
        // A change in an included file makes another program.
        directory.write("lib/value.clh", "#define VALUE 50\n");
        CHECK(engine.program(fill_program()) != first);
        CHECK(engine.compile_count() == 3);
        // Another engine has its own.
        Engine other(options_of("", directory.path()));
        other.program(fill_program());
        CHECK(other.compile_count() == 1);
        CHECK(engine.compile_count() == 3);
    }

    TEST_CASE("many threads that want one program get it compiled once") {
        const TempDir directory;
        write_tree(directory, good_source);
        Engine engine(options_of("", directory.path()));
        std::vector<std::shared_ptr<gz::Program>> programs(4);
        std::vector<std::thread> threads;
        for (auto &program : programs)
            threads.emplace_back([&] { program = engine.program(fill_program()); });
        for (std::thread &thread : threads)
            thread.join();
        CHECK(engine.compile_count() == 1);
        for (const auto &program : programs) {
            CHECK(program != nullptr);
            CHECK(program == programs.front());
        }
    }

    TEST_CASE("a second engine with the same cache compiles nothing and computes the same") {
        const TempDir directory;
        const TempDir cache;
        write_tree(directory, good_source);
        const auto options = [&](gz::CacheMode mode) {
            Engine::Options result = options_of("", directory.path());
            result.cache.directory = cache.path();
            result.cache.mode = mode;
            return result;
        };
        const auto counts = [](const Engine &engine) {
            return std::vector<std::uint64_t>{engine.compile_count(), engine.cache().hit_count(),
                                              engine.cache().miss_count(),
                                              engine.cache().store_count()};
        };
        using Counts = std::vector<std::uint64_t>;
        const std::vector<cl_int> expected(64, 42);

        Engine reading(options(gz::CacheMode::read_only));
        CHECK(run_fill(reading, fill_program()) == expected);
        CHECK(counts(reading) == Counts{1, 0, 1, 0});
        CHECK(cache.file_count() == 0);

        Engine first(options(gz::CacheMode::read_write));
        CHECK(run_fill(first, fill_program()) == expected);
        CHECK(run_fill(first, fill_program()) == expected);
        CHECK(counts(first) == Counts{1, 0, 1, 1});
        CHECK(cache.file_count() == 1);

        for (const gz::CacheMode mode : {gz::CacheMode::read_write, gz::CacheMode::read_only}) {
            Engine second(options(mode));
            CHECK(run_fill(second, fill_program()) == expected);
            CHECK(counts(second) == Counts{0, 1, 0, 0});
        }
        Engine without(options(gz::CacheMode::off));
        CHECK(run_fill(without, fill_program()) == expected);
        CHECK(counts(without) == Counts{1, 0, 0, 0});

        // Other macros, and other included sources, are other programs.
        Engine third(options(gz::CacheMode::read_write));
        CHECK(run_fill(third, fill_program(3)) == std::vector<cl_int>(64, 43));
        directory.write("lib/value.clh", "#define VALUE 50\n");
        CHECK(run_fill(third, fill_program()) == std::vector<cl_int>(64, 52));
        CHECK(counts(third) == Counts{2, 0, 2, 2});
        CHECK(cache.file_count() == 3);
    }

    TEST_CASE("what the environment has a driver compile otherwise is another program") {
        const TempDir directory;
        const TempDir cache;
        write_tree(directory, good_source);
        Engine::Options options = options_of("", directory.path());
        options.cache.directory = cache.path();
        const gz::DeviceClass device_class = Engine(options).facts().device_class;
        const bool is_pocl = device_class == gz::DeviceClass::pocl_cpu;
        const bool is_intel = device_class == gz::DeviceClass::intel_cpu;
        const std::string name =
            is_intel ? "CL_CONFIG_CPU_VECTORIZER_MODE" : "POCL_EXTRA_BUILD_FLAGS";
        const auto compiled_with = [&](const std::string &value) {
            const support::EnvironmentVariable variable(name.c_str(), value.c_str());
            Engine engine(options);
            engine.program(fill_program());
            CHECK(engine.facts().driver_settings == (is_intel  ? name + "=" + value
                                                     : is_pocl ? value
                                                               : ""));
            return is_pocl || is_intel ? engine.compile_count() : 0;
        };
        const std::string one = is_intel ? "4" : "-cl-opt-disable";
        const std::string other = is_intel ? "8" : "-cl-opt-disable -DUNUSED";
        CHECK(compiled_with(one) == (is_pocl || is_intel ? 1 : 0));
        CHECK(compiled_with(other) == (is_pocl || is_intel ? 1 : 0));
        CHECK(compiled_with(one) == 0);
    }

    TEST_CASE("a compiler that makes lanes of items is told to make none of a group of one") {
        const TempDir directory;
        for (const std::string group_size : {"", "1, 1, 1", "64, 1, 1"}) {
            CAPTURE(group_size);
            const std::string attribute =
                group_size.empty() ? ""
                                   : "__attribute__((reqd_work_group_size(" + group_size + ")))\n";
            write_tree(directory, attribute + good_source);
            LogLines lines;
            Engine engine(options_of("", directory.path(), lines.log()));
            const bool wants_hint = engine.facts().takes_vector_hint && group_size == "1, 1, 1";
            engine.program(fill_program());
            CHECK(lines.has(GAUZE_LOG_DEBUG, "intel_vec_len_hint(1)") == wants_hint);
        }
    }

    TEST_CASE("a damaged entry is compiled anew and replaced") {
        const TempDir directory;
        const TempDir cache;
        write_tree(directory, good_source);
        Engine::Options options = options_of("", directory.path());
        options.cache.directory = cache.path();
        Engine(options).program(fill_program());
        const std::filesystem::path file =
            std::filesystem::directory_iterator(cache.path())->path();
        const auto size = std::filesystem::file_size(file);
        std::filesystem::resize_file(file, size / 2);
        LogLines lines;
        options.log = lines.log();
        Engine engine(options);
        CHECK(run_fill(engine, fill_program()) == std::vector<cl_int>(64, 42));
        CHECK(engine.compile_count() == 1);
        CHECK(lines.has(GAUZE_LOG_WARNING, file.filename().string()));
        CHECK(std::filesystem::file_size(file) == size);
        Engine again(options);
        CHECK(run_fill(again, fill_program()) == std::vector<cl_int>(64, 42));
        CHECK(again.compile_count() == 0);
    }

    TEST_CASE("a program that does not compile, or lacks its function, is not what a cache gives") {
        const TempDir directory;
        const TempDir cache;
        write_tree(directory, bad_source);
        Engine::Options options = options_of("", directory.path());
        options.cache.directory = cache.path();
        for (int i = 0; i < 2; ++i) {
            Engine engine(options);
            check_refused(Status::build_failed, {"never_declared"},
                          [&] { engine.program(fill_program()); });
        }
        CHECK(cache.file_count() == 0);
        write_tree(directory, good_source);
        for (int i = 0; i < 2; ++i) {
            Engine engine(options);
            check_refused(Status::device, {"CL_INVALID_KERNEL_NAME", "kernel object"}, [&] {
                run_fill(engine, {"fill.cl", "spill", {{"OFFSET", 2}}});
            });
        }
    }

    TEST_CASE("two engines at once with one cache, on many threads") {
        const TempDir directory;
        const TempDir cache;
        write_tree(directory, good_source);
        Engine::Options options = options_of("", directory.path());
        options.cache.directory = cache.path();
        Engine one(options), other(options);
        std::vector<std::vector<cl_int>> results(8);
        std::vector<std::thread> threads;
        for (std::size_t i = 0; i < results.size(); ++i)
            threads.emplace_back([&, i] {
                results[i] = run_fill(i % 2 ? one : other, fill_program(static_cast<int>(i / 4)));
            });
        for (std::thread &thread : threads)
            thread.join();
        for (std::size_t i = 0; i < results.size(); ++i)
            CHECK(results[i] == std::vector<cl_int>(64, static_cast<cl_int>(40 + i / 4)));
        CHECK(one.compile_count() <= 2);
        CHECK(other.compile_count() <= 2);
        CHECK(cache.file_count() == 2);
        Engine later(options);
        CHECK(run_fill(later, fill_program(1)) == std::vector<cl_int>(64, 41));
        CHECK(later.compile_count() == 0);
    }

    TEST_CASE("the embedder's callbacks may use another engine") {
        const TempDir directory;
        write_tree(directory, good_source);
        struct Nested {
            Engine inner;
            int loads = 0, stores = 0;
        } nested{Engine(options_of("", directory.path()))};
        Engine::Options options = options_of("", directory.path());
        options.cache.user = &nested;
        options.cache.load = [](const char *, gauze_cache_receive, void *, void *user) {
            auto *self = static_cast<Nested *>(user);
            ++self->loads;
            self->inner.program(fill_program());
        };
        options.cache.store = [](const char *, const void *, std::uint64_t, void *user) {
            auto *self = static_cast<Nested *>(user);
            ++self->stores;
            self->inner.program(fill_program(7));
        };
        Engine engine(options);
        CHECK(run_fill(engine, fill_program()) == std::vector<cl_int>(64, 42));
        CHECK(nested.loads == 1);
        CHECK(nested.stores == 1);
    }

    TEST_CASE("a launch runs with its macros, and again from the same program") {
        const TempDir directory;
        write_tree(directory, good_source);
        Engine engine(options_of("", directory.path()));
        CHECK(run_fill(engine, fill_program(2)) == std::vector<cl_int>(64, 42));
        CHECK(run_fill(engine, fill_program(5)) == std::vector<cl_int>(64, 45));
        CHECK(run_fill(engine, fill_program(2)) == std::vector<cl_int>(64, 42));
        CHECK(engine.compile_count() == 2);
    }

    TEST_CASE("the embedded copy kernel copies") {
        Engine engine(options_of(""));
        std::vector<unsigned char> bytes(16 * 1000);
        std::iota(bytes.begin(), bytes.end(), static_cast<unsigned char>(1));
        const auto size = static_cast<std::int64_t>(bytes.size());
        const cl::Buffer from = engine.allocate(bytes.size(), "the source");
        const cl::Buffer to = engine.allocate(bytes.size(), "the target");
        cl::CommandQueue queue = engine.queue();
        queue.enqueueWriteBuffer(from, CL_TRUE, 0, bytes.size(), bytes.data());
        const gz::ReadyLaunch launch = engine.make_ready(gz::copy_launch(size, engine.facts()));
        cl::Event event;
        launch.enqueue(queue, {{from}, {to}, {}}, {}, &event);
        event.wait();
        CHECK(event.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() == CL_COMPLETE);
        std::vector<unsigned char> got(bytes.size());
        queue.enqueueReadBuffer(to, CL_TRUE, 0, got.size(), got.data());
        CHECK(got == bytes);
    }

    TEST_CASE("kernel objects are lent to one at a time and come back") {
        const TempDir directory;
        write_tree(directory, good_source);
        Engine engine(options_of("", directory.path()));
        const auto program = engine.program(fill_program());
        cl::Kernel one = program->lease();
        cl::Kernel two = program->lease();
        CHECK(one() != two());
        const cl_kernel handle = one();
        program->give_back(std::move(one));
        const cl::Kernel again = program->lease();
        CHECK(again() == handle);
        const cl::Kernel three = program->lease(); // that one is lent, and `two` still is
        CHECK(three() != nullptr);
        CHECK(three() != handle);
        CHECK(three() != two());
    }

    TEST_CASE("the registers of one kernel of a PTX are capped, and of nothing else") {
        const auto capped = [](const std::string &ptx, const std::string &entry) {
            const auto *const bytes = reinterpret_cast<const std::byte *>(ptx.data());
            const std::vector<std::byte> result = gz::cap_registers({bytes, ptx.size()}, entry, 96);
            return std::string(reinterpret_cast<const char *>(result.data()), result.size());
        };
        const std::string head =
            ".version 8.0\n.target sm_90\n.entry blurred(.param .u64 a)\n{ ret; }\n"
            ".entry blur(\n\t.param .u64 .ptr blur_0,\n\t.param .u32 blur_1\n)";
        const std::string tail = "\n.reqntid 32, 4, 1\n{\n\tret;\n}\n" + std::string(1, '\0');
        CHECK(capped(head + tail, "blur") == head + "\n.maxnreg 96" + tail);
        CHECK(capped(head + tail, "blu").empty());
        CHECK(capped(".entry blur(.param .u64 a", "blur").empty());
        CHECK(capped("", "blur").empty());
        ProgramRequest request{"blur.cl", "blur", {{"WIDTH", 4}}};
        CHECK(request.most_registers() == 0);
        request.defines["MAX_REGISTERS"] = 96;
        CHECK(request.most_registers() == 96);
    }

    TEST_CASE("a program that does not compile says why, where and with which options") {
        const TempDir directory;
        write_tree(directory, bad_source);
        Engine engine(options_of("", directory.path()));
        check_refused(Status::build_failed,
                      {"kernel fill", "fill.cl", engine.facts().name, "CL_BUILD_PROGRAM_FAILURE",
                       "-cl-std=CL1.2", "-D OFFSET=2", "never_declared"},
                      [&] { engine.program(fill_program()); });
        // The compiler's message is at the real file and line, in spite of the include before it.
        check_refused(Status::build_failed, {"fill.cl:3:"},
                      [&] { engine.program(fill_program()); });
        check_refused(Status::build_failed, {"kernel fill", "never_declared"},
                      [&] { run_fill(engine, fill_program()); });

        // The engine goes on: with the repaired file, and with others before that.
        directory.write("other.cl", good_source);
        CHECK(run_fill(engine, {"other.cl", "fill", {{"OFFSET", 1}}}) ==
              std::vector<cl_int>(64, 41));
        directory.write("fill.cl", good_source);
        CHECK(run_fill(engine, fill_program()) == std::vector<cl_int>(64, 42));
    }

    TEST_CASE("a fault in an included file is found there") {
        const TempDir directory;
        write_tree(directory, good_source);
        directory.write("lib/value.clh", "\nint broken( {\n#define VALUE 1\n");
        Engine engine(options_of("", directory.path()));
        check_refused(Status::build_failed, {"lib/value.clh:2:"},
                      [&] { engine.program(fill_program()); });
    }

    TEST_CASE("a missing macro is an error, as every kernel of the library demands") {
        Engine engine(options_of(""));
        for (const char *family : {"correlate/correlate_tiled", "correlate/correlate_strips",
                                   "correlate/correlate_plain", "correlate/separable_fused",
                                   "box/box_tiled", "box/box_strips"})
            check_refused(Status::build_failed, {family, "is not defined"}, [&] {
                engine.program({std::string(family) + ".cl", "kernel", {}});
            });
        check_refused(Status::build_failed, {"GROUP_X or CHUNK is not defined"}, [&] {
            engine.program({"copy.cl", "copy_vectors", {{"GROUP_X", 1}}});
        });
    }

    TEST_CASE("sources that are not there") {
        const TempDir directory;
        Engine engine(options_of("", directory.path()));
        check_refused(Status::build_failed, {directory.path() + "/fill.cl"},
                      [&] { engine.program(fill_program()); });
        CHECK(engine.compile_count() == 0);
    }

    TEST_CASE("a function that the program does not have") {
        const TempDir directory;
        write_tree(directory, good_source);
        Engine engine(options_of("", directory.path()));
        check_refused(Status::device, {"CL_INVALID_KERNEL_NAME", "kernel object"}, [&] {
            run_fill(engine, {"fill.cl", "spill", {{"OFFSET", 2}}});
        });
        CHECK(run_fill(engine, fill_program()) == std::vector<cl_int>(64, 42));
    }

    TEST_CASE("more memory than one buffer can have is refused by name") {
        const Engine engine(options_of(""));
        const std::uint64_t most = engine.facts().max_allocation;
        check_refused(Status::unsupported,
                      {"the source image", std::to_string(most + 1), std::to_string(most),
                       engine.facts().name},
                      [&] { engine.allocate(most + 1, "the source image"); });
        check_refused(Status::unsupported, {"the target image"},
                      [&] { engine.allocate(std::uint64_t{1} << 62, "the target image"); });
        const cl::Buffer buffer = engine.allocate(1000, "a small buffer");
        CHECK(buffer.getInfo<CL_MEM_SIZE>() == 1000);
        CHECK(buffer.getInfo<CL_MEM_CONTEXT>()() == engine.context()());
    }

    TEST_CASE("the queue is the device's, and measures") {
        const Engine engine(options_of(""));
        const cl::CommandQueue &queue = engine.queue();
        CHECK(queue.getInfo<CL_QUEUE_DEVICE>()() == engine.device()());
        CHECK(queue.getInfo<CL_QUEUE_CONTEXT>()() == engine.context()());
        CHECK((queue.getInfo<CL_QUEUE_PROPERTIES>() & CL_QUEUE_PROFILING_ENABLE) != 0);
        CHECK((queue.getInfo<CL_QUEUE_PROPERTIES>() & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) == 0);
    }
}

TEST_SUITE("errors of OpenCL") {
    TEST_CASE("have their names and become statuses") {
        CHECK(gz::opencl_error_name(CL_OUT_OF_RESOURCES) == "CL_OUT_OF_RESOURCES (-5)");
        CHECK(gz::opencl_error_name(-1001) == "CL_PLATFORM_NOT_FOUND_KHR (-1001)");
        CHECK(gz::opencl_error_name(-98765) == "OpenCL error -98765");
        const auto status = [](cl_int code) {
            return gz::opencl_error(cl::Error(code, "clCall"), "testing").status();
        };
        CHECK(status(CL_MEM_OBJECT_ALLOCATION_FAILURE) == Status::out_of_memory);
        CHECK(status(CL_OUT_OF_HOST_MEMORY) == Status::out_of_memory);
        CHECK(status(CL_OUT_OF_RESOURCES) == Status::device);
        CHECK(status(-1001) == Status::no_device);
    }

    TEST_CASE("say the call, the error and what was being done") {
        check_refused(Status::device, {"clCall", "CL_INVALID_VALUE (-30)", "while counting sheep"},
                      [] {
                          gz::attempt("counting sheep",
                                      []() -> int { throw cl::Error(CL_INVALID_VALUE, "clCall"); });
                      });
        CHECK(gz::attempt("counting sheep", [] { return 3; }) == 3);
    }
}
