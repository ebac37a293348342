// One device in use: its context, its own queue, its compiled programs. Owns every OpenCL object;
// there are no others.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "device/binary_cache.hpp"
#include "device/cache_entry.hpp"
#include "device/environment.hpp"
#include "device/facts.hpp"
#include "device/launch.hpp"
#include "device/log.hpp"
#include "device/program.hpp"
#include "device/source.hpp"
#include "device/tuning.hpp"
#include "device/workspace.hpp"

namespace gz {

// The memory objects that a launch's arguments of these kinds stand for.
struct Buffers {
    std::vector<cl::Memory> sources, targets, workspace;
    cl::Memory cleared{}; // words that each launch finds 0 and leaves 0, the same for all launches
};

// A launch whose program is compiled and whose constant data is on the device.
class ReadyLaunch {
public:
    ReadyLaunch(Launch launch, std::shared_ptr<Program> program, std::vector<cl::Buffer> constants)
        : launch_(std::move(launch)), program_(std::move(program)),
          constants_(std::move(constants)) {}

    // Enqueues without waiting. Safe to call from many threads.
    void enqueue(const cl::CommandQueue &queue, const Buffers &buffers,
                 const std::vector<cl::Event> &wait_list, cl::Event *event) const;

private:
    Launch launch_;
    std::shared_ptr<Program> program_;
    std::vector<cl::Buffer> constants_; // one for each ConstantData, in order
};

// How long a verdict of a self-test is remembered: by other processes too, or by the engine alone.
enum class VerdictLife { kept, of_engine };

class Engine {
public:
    struct Options {
        std::string device; // selector; "": GAUZE_DEVICE, else the best device
        std::string cl_dir; // "": GAUZE_CL_DIR, else the embedded sources
        Log log;
        cl_context context = nullptr;     // the embedder's; nullptr: the engine makes one
        cl_device_id device_id = nullptr; // one of the context's devices; nullptr: its only one
        BinaryCache::Options cache;
        std::string tuning_file; // as tuning_file() takes it
    };
    explicit Engine(const Options &options);
    Engine(const Engine &) = delete;
    Engine &operator=(const Engine &) = delete;

    const DeviceFacts &facts() const { return facts_; }
    int device_index() const { return device_index_; } // in discover()'s list, or -1
    bool is_default_device() const { return is_default_device_; }
    const cl::Context &context() const { return context_; }
    const cl::Device &device() const { return device_; }
    // The engine's queue, in order, with profiling. Refuses a process that was forked after the engine was
    // made: OpenCL's threads are not in it, and it would wait for them for ever.
    const cl::CommandQueue &queue() const;
    const Log &log() const { return log_; }
    std::uint64_t compile_count() const { return compile_count_; } // compiled from source
    const BinaryCache &cache() const { return cache_; }
    Tuning &tuning() { return *tuning_; }
    const Tuning &tuning() const { return *tuning_; }

    // Whether kernels must be tested before they are used: where no result of the library knows the device.
    // GAUZE_SELF_TEST=off: never, always: everywhere.
    bool wants_self_tests() const { return wants_self_tests_; }
    // Returns the name of the programs of launches, on this device and its driver.
    std::string name_of_programs(const std::vector<Launch> &launches) const;
    // The outcome of a self-test of programs, from memory or else from the cache. Returns nothing where there
    // was no test.
    std::optional<std::string> verdict(const std::string &programs);
    void remember_verdict(const std::string &programs, const std::string &verdict,
                          VerdictLife life);

    // Returns the program from memory, else from the cache, else compiled. Safe to call from many threads.
    std::shared_ptr<Program> program(const ProgramRequest &request);
    ReadyLaunch make_ready(const Launch &launch);

    // Refuses more than the device can hold in one buffer; the message names the buffer.
    cl::Buffer allocate(std::uint64_t bytes, const std::string &what) const;
    void check_allocation(std::uint64_t bytes, const std::string &what) const;
    WorkspacePool &workspace() { return *workspace_; }
    // Memory that is 0, and that is given back as such.
    WorkspacePool &cleared() { return *cleared_; }

private:
    // A program of the engine's, or a placeholder while a thread makes it.
    struct ProgramPlace {
        std::mutex mutex;
        std::shared_ptr<Program> program;
    };

    std::shared_ptr<Program> find_or_make(const ProgramRequest &request);
    ProgramKey key_of(const ProgramRequest &request) const;
    std::string options_of(const ProgramRequest &request, const std::string &source) const;
    std::shared_ptr<Program> load(const ProgramKey &key, const std::string &known_as);
    cl::Program compile(const ProgramRequest &request, const ProgramKey &key);
    cl::Program with_capped_registers(cl::Program program, const ProgramRequest &request,
                                      const ProgramKey &key);

    Log log_;
    std::uint32_t process_; // the process that made the engine
    SourceTree sources_;
    DeviceFacts facts_;
    int device_index_ = -1;
    bool is_default_device_ = false;
    cl::Device device_;
    cl::Context context_;
    cl::CommandQueue queue_;
    std::unique_ptr<WorkspacePool> workspace_, cleared_;
    BinaryCache cache_;
    std::unique_ptr<Tuning> tuning_;
    std::atomic<std::uint64_t> compile_count_{0};
    std::mutex programs_mutex_;
    std::map<std::string, ProgramPlace> programs_; // by ProgramKey::text()
    // The same programs by ProgramRequest::text(), where sources do not change: what plans ask for again and again is
    // found without its source.
    std::map<std::string, std::shared_ptr<Program>> requested_;
    bool wants_self_tests_ = false;
    std::mutex verdicts_mutex_;
    std::map<std::string, std::string> verdicts_;
    std::mutex driver_mutex_; // builds come one after the other: drivers differ in what they bear
};

} // namespace gz
