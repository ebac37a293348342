#include "device/engine.hpp"

#include <algorithm>
#include <iterator>
#include <set>

#include "device/discovery.hpp"

namespace gz {

namespace {

// A kernel object that goes back to its program when the enqueue is over, however it ends.
class KernelLease {
public:
    explicit KernelLease(Program &program) : program_(program), kernel_(program.lease()) {}
    ~KernelLease() { program_.give_back(std::move(kernel_)); }
    KernelLease(const KernelLease &) = delete;
    KernelLease &operator=(const KernelLease &) = delete;
    cl::Kernel &kernel() { return kernel_; }

private:
    Program &program_;
    cl::Kernel kernel_;
};

cl::NDRange as_range(const std::array<std::size_t, 3> &sizes) {
    return {sizes[0], sizes[1], sizes[2]};
}

// Returns the named device of a context, or its only one.
cl::Device device_of(const cl::Context &context, cl_device_id named) {
    const std::vector<cl::Device> devices = context.getInfo<CL_CONTEXT_DEVICES>();
    if (!named) {
        require(devices.size() == 1, "the context has ", devices.size(),
                " devices; device_id must name one");
        return devices.front();
    }
    const auto found = std::find_if(devices.begin(), devices.end(),
                                    [&](const cl::Device &device) { return device() == named; });
    require(found != devices.end(), "device_id is not one of the context's devices");
    return *found;
}

} // namespace

void ReadyLaunch::enqueue(const cl::CommandQueue &queue, const Buffers &buffers,
                          const std::vector<cl::Event> &wait_list, cl::Event *event) const {
    KernelLease lease(*program_);
    cl::Kernel &kernel = lease.kernel();
    attempt("setting kernel arguments", [&] {
        std::size_t constant = 0;
        for (cl_uint i = 0; i < launch_.arguments.size(); ++i) {
            const Argument &argument = launch_.arguments[i];
            if (const auto *source = std::get_if<SourceBuffer>(&argument))
                kernel.setArg(i, buffers.sources.at(source->index));
            else if (const auto *target = std::get_if<TargetBuffer>(&argument))
                kernel.setArg(i, buffers.targets.at(target->index));
            else if (const auto *between = std::get_if<WorkspaceBuffer>(&argument))
                kernel.setArg(i, buffers.workspace.at(between->index));
            else if (std::holds_alternative<ClearedWords>(argument))
                kernel.setArg(i, buffers.cleared);
            else if (const auto *local = std::get_if<LocalMemory>(&argument))
                kernel.setArg(i, local->bytes, nullptr);
            else if (const auto *value = std::get_if<ByValue>(&argument))
                kernel.setArg(i, value->bytes.size(), value->bytes.data());
            else
                kernel.setArg(i, constants_.at(constant++));
        }
    });
    attempt("enqueueing a kernel", [&] {
        queue.enqueueNDRangeKernel(kernel, cl::NullRange, as_range(launch_.range.global),
                                   as_range(launch_.range.local),
                                   wait_list.empty() ? nullptr : &wait_list, event);
    });
}

Engine::Engine(const Options &options)
    : log_(options.log), process_(system::process_id()),
      sources_(or_environment(options.cl_dir, "GAUZE_CL_DIR")), cache_(options.cache, log_) {
    const Discovery found = discover();
    for (const std::string &note : found.notes)
        log_(GAUZE_LOG_WARNING, note);
    std::string chosen_by;
    if (options.context || options.device_id) {
        require(options.context, "a device is given without its context");
        require(options.device.empty(), "a context is given, and a selector of devices too");
        attempt("reading the context", [&] {
            context_ = cl::Context(options.context, true);
            device_ = device_of(context_, options.device_id);
            facts_ = facts_of(cl::Platform(device_.getInfo<CL_DEVICE_PLATFORM>()), device_);
        });
        const auto place = std::find_if(
            found.devices.begin(), found.devices.end(),
            [&](const FoundDevice &candidate) { return candidate.device() == device_(); });
        device_index_ = place == found.devices.end()
                            ? -1
                            : static_cast<int>(std::distance(found.devices.begin(), place));
        chosen_by = "with its context";
    } else {
        const std::string selector = or_environment(options.device, "GAUZE_DEVICE");
        device_index_ = found.select(selector);
        const FoundDevice &chosen = found.devices[static_cast<std::size_t>(device_index_)];
        device_ = chosen.device;
        facts_ = chosen.facts;
        chosen_by = selector.empty() ? "as the best device" : "by '" + selector + "'";
    }
    is_default_device_ = device_index_ >= 0 && device_index_ == found.default_device();
    if (!facts_.unusable.empty())
        fail(Status::no_device, facts_.name, " cannot be used: ", facts_.unusable);
    if (!context_())
        context_ = attempt("creating a context", [&] { return cl::Context(device_); });
    queue_ = attempt("creating a command queue", [&] {
        return cl::CommandQueue(context_, device_, CL_QUEUE_PROFILING_ENABLE);
    });
    workspace_ = std::make_unique<WorkspacePool>(context_, facts_.global_memory / 4);
    constexpr std::uint64_t most_cleared_bytes = 1 << 20;
    cleared_ =
        std::make_unique<WorkspacePool>(context_, most_cleared_bytes, WorkspacePool::Fresh::zeros);
    tuning_ = std::make_unique<Tuning>(tuning_file(options.tuning_file), facts_, sources_, log_);
    const std::string self_test = environment("GAUZE_SELF_TEST");
    // A simulator would take minutes, and finds more than wrong results.
    const bool is_simulated = facts_.device_class == DeviceClass::oclgrind;
    wants_self_tests_ =
        self_test == "always" || (self_test != "off" && !is_simulated && !tuning_->knows_device());
    log_(GAUZE_LOG_INFO, text("using ", facts_.name, " (", facts_.platform, ", class ",
                              name_of(facts_.device_class), "), chosen ", chosen_by));
}

const cl::CommandQueue &Engine::queue() const {
    check_process(process_);
    return queue_;
}

ProgramKey Engine::key_of(const ProgramRequest &request) const {
    ProgramKey key;
    key.platform = facts_.platform;
    key.platform_version = facts_.platform_version;
    key.device = facts_.name;
    key.device_version = facts_.version;
    key.driver = facts_.driver;
    key.driver_settings = facts_.driver_settings;
    key.entry = request.entry;
    key.source = sources_.expand(request.file, request.generated);
    key.options = options_of(request, key.source);
    return key;
}

std::string Engine::options_of(const ProgramRequest &request, const std::string &source) const {
    // A compiler that makes lanes of several items computes all lanes of a group of one item, and needs seconds
    // to compile what is made of vectors already.
    const char *const lone_item = "reqd_work_group_size(1, 1, 1)";
    if (!facts_.takes_vector_hint || source.find(lone_item) == std::string::npos)
        return request.options();
    return request.options() +
           " -Dreqd_work_group_size(x,y,z)=reqd_work_group_size(x,y,z),intel_vec_len_hint(1)";
}

std::string Engine::name_of_programs(const std::vector<Launch> &launches) const {
    std::set<std::string> names;
    for (const Launch &launch : launches)
        names.insert(entry_name(key_of(launch.program).text()));
    std::string all = "self-test of\n";
    for (const std::string &name : names)
        all += name + "\n";
    return all;
}

std::optional<std::string> Engine::verdict(const std::string &programs) {
    {
        const std::lock_guard<std::mutex> lock(verdicts_mutex_);
        if (const auto found = verdicts_.find(programs); found != verdicts_.end())
            return found->second;
    }
    const std::optional<std::string> kept = cache_.recall(programs);
    if (kept)
        remember_verdict(programs, *kept, VerdictLife::of_engine);
    return kept;
}

void Engine::remember_verdict(const std::string &programs, const std::string &verdict,
                              VerdictLife life) {
    {
        const std::lock_guard<std::mutex> lock(verdicts_mutex_);
        verdicts_[programs] = verdict;
    }
    if (life == VerdictLife::kept)
        cache_.remember(programs, verdict);
}

std::shared_ptr<Program> Engine::program(const ProgramRequest &request) {
    check_process(process_); // the mutexes may be locked by threads that are not here
    if (sources_.may_change())
        return find_or_make(request);
    const std::string asked = request.text();
    {
        const std::lock_guard<std::mutex> lock(programs_mutex_);
        if (const auto found = requested_.find(asked); found != requested_.end())
            return found->second;
    }
    std::shared_ptr<Program> result = find_or_make(request);
    const std::lock_guard<std::mutex> lock(programs_mutex_);
    requested_.emplace(asked, result);
    return result;
}

std::shared_ptr<Program> Engine::find_or_make(const ProgramRequest &request) {
    const ProgramKey key = key_of(request);
    const std::string known_as = key.text();
    ProgramPlace *place = nullptr;
    {
        const std::lock_guard<std::mutex> lock(programs_mutex_);
        place = &programs_[known_as];
    }
    // The embedder's callbacks run here: only threads that want this very program wait for them.
    std::vector<std::byte> binary;
    std::shared_ptr<Program> result;
    {
        const std::lock_guard<std::mutex> lock(place->mutex);
        if (place->program)
            return place->program;
        result = load(key, known_as);
        if (!result) {
            const std::lock_guard<std::mutex> driver(driver_mutex_);
            cl::Program program = compile(request, key);
            if (cache_.stores())
                binary = binary_of(program, device_);
            result = std::make_shared<Program>(std::move(program), request.entry);
        }
        place->program = result;
    }
    cache_.store(known_as, binary);
    return result;
}

// Returns nullptr where the cache does not have it.
std::shared_ptr<Program> Engine::load(const ProgramKey &key, const std::string &known_as) {
    std::shared_ptr<Program> result;
    cache_.load(known_as, [&](std::span<const std::byte> binary) {
        const std::lock_guard<std::mutex> driver(driver_mutex_);
        const auto program = std::make_shared<Program>(
            program_of(binary, context_, device_, key.options), key.entry);
        program->give_back(program->lease()); // it does have the function
        result = program;
    });
    if (result)
        log_(GAUZE_LOG_DEBUG, text("from the cache: ", key.entry, " with ", key.options));
    return result;
}

cl::Program Engine::compile(const ProgramRequest &request, const ProgramKey &key) {
    cl::Program program =
        attempt("creating a program", [&] { return cl::Program(context_, key.source); });
    const auto build_log = [&] {
        std::string lines;
        std::size_t size = 0;
        if (clGetProgramBuildInfo(program(), device_(), CL_PROGRAM_BUILD_LOG, 0, nullptr, &size) ==
                CL_SUCCESS &&
            size > 1) {
            lines.resize(size);
            clGetProgramBuildInfo(program(), device_(), CL_PROGRAM_BUILD_LOG, size, lines.data(),
                                  nullptr);
            lines.resize(lines.find_last_not_of(std::string("\0\n ", 3)) + 1);
        }
        return lines;
    };
    try {
        ++compile_count_;
        build(program, device_, key.options);
    } catch (const cl::Error &error) {
        if (error.err() == CL_OUT_OF_HOST_MEMORY) // of the compiler: says nothing of the source
            throw opencl_error(error, "compiling " + key.entry);
        fail(Status::build_failed, "kernel ", key.entry, " of ", request.file,
             " did not compile for ", facts_.name, ": ", error.what(), " failed with ",
             opencl_error_name(error.err()), "\noptions: ", key.options, "\n",
             with_real_places(build_log(), key.source));
    }
    const std::string lines = build_log();
    log_(GAUZE_LOG_DEBUG,
         text("compiled ", key.entry, " with ", key.options, lines.empty() ? "" : "\n", lines));
    return facts_.caps_registers ? with_capped_registers(std::move(program), request, key)
                                 : program;
}

cl::Program Engine::with_capped_registers(cl::Program program, const ProgramRequest &request,
                                          const ProgramKey &key) {
    const int most = request.most_registers();
    if (most == 0)
        return program;
    const std::vector<std::byte> capped =
        cap_registers(binary_of(program, device_), request.entry, most);
    if (capped.empty()) {
        log_(GAUZE_LOG_DEBUG, text("the registers of ", key.entry,
                                   " are not capped: the driver's "
                                   "form of programs is not the known one"));
        return program;
    }
    return program_of(capped, context_, device_, key.options);
}

ReadyLaunch Engine::make_ready(const Launch &launch) {
    std::shared_ptr<Program> ready = program(launch.program);
    std::vector<cl::Buffer> constants;
    for (const Argument &argument : launch.arguments)
        if (const auto *data = std::get_if<ConstantData>(&argument))
            constants.push_back(attempt("copying filter taps to the device", [&] {
                // OpenCL only reads through the pointer, though its type allows writing.
                return cl::Buffer(context_, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                  data->bytes.size(), const_cast<std::byte *>(data->bytes.data()));
            }));
    return {launch, std::move(ready), std::move(constants)};
}

void Engine::check_allocation(std::uint64_t bytes, const std::string &what) const {
    if (bytes > facts_.max_allocation)
        fail(Status::unsupported, what, " needs ", bytes, " bytes; the largest buffer of ",
             facts_.name, " is ", facts_.max_allocation, " bytes");
}

cl::Buffer Engine::allocate(std::uint64_t bytes, const std::string &what) const {
    check_allocation(bytes, what);
    return attempt("allocating device memory",
                   [&] { return cl::Buffer(context_, CL_MEM_READ_WRITE, bytes); });
}

} // namespace gz
