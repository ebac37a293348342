// Passes over device memory, and the kernels that can compute them: choice, tuning, pipelines and tests see
// both without knowing what they compute.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "device/facts.hpp"
#include "device/launch.hpp"

namespace gz {

class Kernel;

// One pass: the struct of a family, such as BoxPass, of which it keeps an immutable copy. A family gives
// these functions for each of its structs P:
//   std::string problem_of(const P &): the class of problems that want the same configuration, as results
//     of measurements are kept for it ("box taps<=7 f32 large"); "" where none are kept;
//   const std::vector<Kernel> &kernels_of(const P &): the kernels of the family;
// and a P whose images may lie anywhere has a number `alignment`: every row of them starts at a multiple of
// so many values.
class Pass {
public:
    template <class P> Pass(P pass) : self_(std::make_shared<const Model<P>>(std::move(pass))) {}

    std::string problem() const { return self_->problem(); }
    const std::vector<Kernel> &kernels() const { return self_->kernels(); }
    // Returns the same pass over images that may start at any address.
    Pass unaligned() const { return self_->unaligned(); }

    bool is(const std::type_info &type) const { return *type_ == type; }
    // The struct, or nullptr where it is another one.
    template <class P> const P *get_if() const {
        return is(typeid(P)) ? static_cast<const P *>(self_->data()) : nullptr;
    }
    template <class P> const P &get() const { return *static_cast<const P *>(self_->data()); }

private:
    struct Interface {
        virtual ~Interface() = default;
        virtual std::string problem() const = 0;
        virtual const std::vector<Kernel> &kernels() const = 0;
        virtual Pass unaligned() const = 0;
        virtual const void *data() const = 0;
        virtual const std::type_info &type() const = 0;
    };
    template <class P> struct Model final : Interface {
        P pass;

        explicit Model(P value) : pass(std::move(value)) {}
        std::string problem() const override { return problem_of(pass); }
        const std::vector<Kernel> &kernels() const override { return kernels_of(pass); }
        Pass unaligned() const override {
            P copy = pass;
            if constexpr (requires { copy.alignment; })
                copy.alignment = 1;
            return copy;
        }
        const void *data() const override { return &pass; }
        const std::type_info &type() const override { return typeid(P); }
    };

    std::shared_ptr<const Interface> self_;
    const std::type_info *type_ = &self_->type();
};

// A tunable of a kernel in texts: the name of a macro in the .cl, or of a number that only the launch uses;
// and the values that it can take.
struct Tunable {
    std::string name;
    std::vector<int> values;
};

// A value for each tunable.
using Config = std::map<std::string, int>;

std::string to_text(const Config &config);                 // "GROUP_X=8,GROUP_Y=8"
std::string to_text(const std::vector<Tunable> &tunables); // "GROUP_X=1|8,GROUP_Y=1|8"

// Every combination of the tunables' values.
std::vector<Config> all_configs(const std::vector<Tunable> &tunables);

// The rank of a kernel for a pass on a device, among other kernels for the same pass.
struct Rank {
    int wanted = 1;           // larger is preferred; 0: where results or a caller ask for it alone
    std::string against = ""; // why kernels without a drawback come first; "" for no drawback

    static Rank never() { return {-1}; } // for kernels of other passes
    bool is_never() const { return wanted < 0; }
};

// A tunable of a kernel: the member of its settings that holds the value.
template <class Settings> struct Setting {
    std::string name;
    int Settings::*member;
    std::vector<int> values;
};

// The one description of a kernel. Build options, launches, the choice of a kernel, forcing one from outside,
// the tuner's search and the generic tests are all derived from it.
template <class P, class Settings> struct KernelSpec {
    std::string name;   // the .cl file's stem, and its first kernel function
    std::string folder; // the .cl file's folder, in cl/
    std::vector<Setting<Settings>> tunables{};
    // Makes the complete launches for the device, for settings that take their values from the tunables and
    // that are not refused.
    std::function<Work(const P &, const Settings &, const DeviceFacts &)> work{};
    // Settings to try first on the device, best first.
    std::function<std::vector<Settings>(const P &, const DeviceFacts &)> preferred{};
    std::function<Rank(const P &, const Settings &, const DeviceFacts &)> rank{};
    // Returns why the kernel cannot compute the pass with the settings; "" where it can. Empty: it always
    // can.
    std::function<std::string(const P &, const Settings &)> refusal{};
    // Returns what explain() adds about the work; "", or an empty function, for nothing.
    std::function<std::string(const P &, const Settings &)> details{};
};

// A kernel for any kind of pass. Immutable; copies share one description. takes() tells which struct its
// passes are; configurations have a value for each tunable.
class Kernel {
public:
    std::string name;
    std::string file; // of its source, in cl/
    std::vector<Tunable> tunables;

    template <class P, class Settings>
    Kernel(KernelSpec<P, Settings> spec)
        : name(spec.name), file(spec.folder + "/" + spec.name + ".cl"),
          self_(std::make_shared<const Model<P, Settings>>(std::move(spec))) {
        self_->list(tunables);
    }

    bool takes(const Pass &pass) const { return pass.is(self_->takes()); }
    std::string refusal(const Pass &pass, const Config &config) const {
        return self_->refusal(pass, config);
    }
    std::vector<Config> preferred(const Pass &pass, const DeviceFacts &facts) const {
        return self_->preferred(pass, facts);
    }
    Work work(const Pass &pass, const Config &config, const DeviceFacts &facts) const {
        return self_->work(pass, config, facts);
    }
    std::string details(const Pass &pass, const Config &config) const {
        return self_->details(pass, config);
    }
    Rank rank(const Pass &pass, const Config &config, const DeviceFacts &facts) const {
        return self_->rank(pass, config, facts);
    }
    // Returns the rank of the configuration that the kernel prefers.
    Rank rank(const Pass &pass, const DeviceFacts &facts) const {
        return self_->first_rank(pass, facts);
    }

private:
    struct Interface {
        virtual ~Interface() = default;
        virtual const std::type_info &takes() const = 0;
        virtual void list(std::vector<Tunable> &tunables) const = 0;
        virtual std::string refusal(const Pass &, const Config &) const = 0;
        virtual std::vector<Config> preferred(const Pass &, const DeviceFacts &) const = 0;
        virtual Work work(const Pass &, const Config &, const DeviceFacts &) const = 0;
        virtual std::string details(const Pass &, const Config &) const = 0;
        virtual Rank rank(const Pass &, const Config &, const DeviceFacts &) const = 0;
        virtual Rank first_rank(const Pass &, const DeviceFacts &) const = 0;
    };
    template <class P, class Settings> struct Model final : Interface {
        KernelSpec<P, Settings> spec;

        explicit Model(KernelSpec<P, Settings> description) : spec(std::move(description)) {}
        Settings settings(const Config &config) const {
            Settings result{};
            if constexpr (!std::is_empty_v<Settings>)
                for (const Setting<Settings> &setting : spec.tunables)
                    result.*setting.member = config.at(setting.name);
            return result;
        }
        const std::type_info &takes() const override { return typeid(P); }
        void list(std::vector<Tunable> &result) const override {
            for (const Setting<Settings> &setting : spec.tunables)
                result.push_back({setting.name, setting.values});
        }
        std::string refusal(const Pass &pass, const Config &config) const override {
            return spec.refusal ? spec.refusal(pass.get<P>(), settings(config)) : "";
        }
        std::vector<Config> preferred(const Pass &pass, const DeviceFacts &facts) const override {
            std::vector<Config> result;
            for (const Settings &values : spec.preferred(pass.get<P>(), facts)) {
                Config &config = result.emplace_back();
                if constexpr (!std::is_empty_v<Settings>)
                    for (const Setting<Settings> &setting : spec.tunables)
                        config[setting.name] = values.*setting.member;
            }
            return result;
        }
        Work work(const Pass &pass, const Config &config, const DeviceFacts &facts) const override {
            return spec.work(pass.get<P>(), settings(config), facts);
        }
        std::string details(const Pass &pass, const Config &config) const override {
            return spec.details ? spec.details(pass.get<P>(), settings(config)) : "";
        }
        Rank rank(const Pass &pass, const Config &config, const DeviceFacts &facts) const override {
            return spec.rank(pass.get<P>(), settings(config), facts);
        }
        Rank first_rank(const Pass &pass, const DeviceFacts &facts) const override {
            const P &own = pass.get<P>();
            const std::vector<Settings> first = spec.preferred(own, facts);
            return spec.rank(own, first.empty() ? Settings{} : first.front(), facts);
        }
    };

    std::shared_ptr<const Interface> self_;
};

// The macros that hold a kernel's settings.
template <class Settings>
void add_defines(Defines &to, const std::vector<Setting<Settings>> &tunables,
                 const Settings &values) {
    for (const Setting<Settings> &setting : tunables)
        to[setting.name] = values.*setting.member;
}

// Lets an item take `most` registers where the device's compiler can be told so; 0: as many as it likes.
void limit_registers(Defines &to, int most, const DeviceFacts &facts);

// Returns the kernel of that name for the pass; nullptr where there is none.
const Kernel *find_kernel(const Pass &pass, const std::string &name);

// A kernel for a pass, and its rank on a device.
struct RankedKernel {
    const Kernel *kernel;
    Rank rank;
};

// Returns all kernels for the pass, best rank first; those with a drawback come last.
std::vector<RankedKernel> kernels_for(const Pass &pass, const DeviceFacts &facts);

// How a device's work-groups run, which decides the kind of kernel that suits it.
enum class GroupHabit {
    strips, // a CPU runs a group's items one after the other: needs long strips and no barriers
    nothing_shared, // local memory is ordinary memory: items should share nothing
    tiles           // a GPU with local memory for each group
};
GroupHabit habit_of(const DeviceFacts &facts);

// A rank for each habit.
struct RankByHabit {
    int strips, nothing_shared, tiles;

    int operator()(const DeviceFacts &facts) const;
};

// Returns the bytes of local memory that a group takes.
std::size_t local_memory_of(const Launch &launch);

// Returns why a launch, or one of several, does not fit the device, "" where it does. Trusts no driver to
// report that itself.
std::string misfit(const Launch &launch, const DeviceFacts &facts);
std::string misfit(const Work &work, const DeviceFacts &facts);

// POLLS_ATOMICALLY of cl/lib/shared_words.clh: whether words that other groups publish are read by atomic
// functions.
bool polls_atomically(const DeviceFacts &facts);

// Words that the groups of a launch share, and that are 0 when it starts: see cl/lib/shared_words.clh.
struct SharedWords {
    Argument words;
    ByValue to_clear;              // as count_group() takes them; 0 where a launch clears them
    std::uint64_t workspace_bytes; // that `own` must have
    int self_clears;               // SELF_CLEARS
};

// Returns whether all groups that see what an item writes after a fence see what it wrote before. OpenCL 1.2 promises that for the
// item's own group alone.
bool fences_reach_all(const DeviceFacts &facts);

// Returns words in `own`, and adds a launch to `to` that clears them.
SharedWords words_cleared_before(const WorkspaceBuffer &own, std::int64_t count, Work &to);
// The same, but few words are such that the launch which shares them leaves 0, and need none, where fences reach all groups. The
// last group alone would take longer over many.
SharedWords share_words(const WorkspaceBuffer &own, std::int64_t count, const DeviceFacts &facts,
                        Work &to);

} // namespace gz
