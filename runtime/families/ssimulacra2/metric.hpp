// SSIMULACRA 2 of images of one size on an engine, with kernels chosen.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "device/engine.hpp"
#include "families/ssimulacra2/ssimulacra2.hpp"
#include "families/ssimulacra2/ssimulacra2_pass.hpp"
#include "plan/choice.hpp"
#include "plan/device_image.hpp"
#include "plan/problems.hpp"

namespace gz {

// An image to score: in host memory, or on the plan's engine.
using Frame = std::variant<HostSource, const DeviceImage *>;

// Keeps a reference and scores images against it. Safe to use from many threads, which take turns.
class Ssimulacra2 {
public:
    // Descriptions are complete. variant: "" for the environment's GAUZE_VARIANT, else the
    // library's choice; names of kernels, separated by ';', each for the pass that it can compute.
    Ssimulacra2(std::shared_ptr<Engine> engine, const ImageDesc &reference,
                const ImageDesc &distorted, const std::string &variant);

    const std::string &explain() const { return explain_; }
    const std::string &variant() const { return variant_; }
    Engine &engine() const { return *engine_; }
    // Returns the pass of a distorted image to planes, over no background.
    XybPass planes_pass() const;
    const Ssimulacra2Pass &errors_pass() const { return pass_; }
    // Launches from the pixels of an image to its score.
    int launches() const;

    void set_reference(const Frame &reference);
    // Scores each distorted image against the reference, or against its own one of `references`, if there
    // are any; the last of these is kept. Transfers of an image overlap with the computing of the
    // one before.
    void score(std::span<const Frame> references, std::span<const Frame> distorted, double *scores);
    // Writes what each pixel adds to the weighted error, as ssimulacra2::shares_of defines it, in rows of the
    // images' width. Returns the score.
    double error_map(const Frame &distorted, float *map);

private:
    // Pixels from host memory, and when a kernel has read them.
    struct Staging {
        cl::Buffer pixels;
        cl::Event read;
    };

    // The reference or the distorted image: passes from pixels to planes.
    struct Source {
        const char *name = "";
        ImageDesc desc;
        std::vector<Choice> choices; // for each background
        std::vector<ReadyLaunch> ready;
        std::array<Staging, 2> staging;
    };

    // What an image's kernels run on and write to. Images take lanes in turn: what those of one leave idle, those of
    // the next can use.
    struct Lane {
        cl::CommandQueue queue;
        std::vector<cl::Buffer> reference_planes; // for each background
        cl::Buffer distorted_planes;
        std::vector<cl::Buffer> workspace;
    };
    void prepare();
    cl::CommandQueue new_queue() const;
    Lane make_lane(const cl::CommandQueue &queue);
    std::uint64_t bytes_of_lane() const; // without parts of sums, which are few
    void check(const Frame &frame, const Source &source) const;
    // Enqueues an image's way to planes over one of the backgrounds, all of them for a reference.
    // turn: of the images that are on their way, to which buffer its pixels go.
    void enqueue_planes(Lane &lane, Source &source, const Frame &frame, std::size_t turn,
                        std::size_t background, const cl::Buffer &planes);
    void enqueue_reference(Lane &lane, const Frame &frame, std::size_t turn);
    // Enqueues a distorted image's way to sums, those of each background after the other.
    void enqueue_sums(Lane &lane, const Frame &distorted, std::size_t turn, std::size_t image);
    // Makes lanes for so many images, as far as the device has room, and has those behind the first wait for what the
    // first one's queue, the engine's, was given.
    void open_lanes(std::size_t images);
    // A list for each background, of an entry for each scale.
    using SubScores = std::vector<std::vector<ssimulacra2::SubScores>>;
    // Waits for the sums of so many images.
    std::vector<SubScores> read(std::size_t images);
    // Waits for all that reads the caller's memory.
    void settle() noexcept;

    std::shared_ptr<Engine> engine_;
    Forced forced_;
    std::vector<ssimulacra2::Extent> extents_;
    Pyramid pyramid_;
    Source reference_, distorted_;
    Ssimulacra2Pass pass_;
    Choice errors_;
    std::vector<ReadyLaunch> errors_ready_;
    std::string variant_, explain_;

    std::mutex mutex_;
    cl::CommandQueue transfers_;
    std::vector<Lane> lanes_;        // one or more; the first has the engine's queue
    std::size_t reference_lane_ = 0; // has the planes of the reference
    // Sums of images that are on their way, and parts of it: [image][background].
    cl::Buffer sums_;
    std::vector<cl::Buffer> sums_of_;
    bool has_reference_ = false;
    bool is_map_tested_ = false;
};

// Tests kernels on a tiny pair of images of the pixels of `xyb`, as plan/self_test.hpp does for plans: its
// score, or where `errors` makes a map, that.
void self_test(const std::shared_ptr<Engine> &engine, const XybPass &xyb,
               const Ssimulacra2Pass &errors, const std::string &variant);

// The metric has two problems: from pixels of the distorted image to planes, and from planes to sums of
// errors.
std::size_t count_of_problems(const Ssimulacra2 &metric);
std::string name_of_problem(const Ssimulacra2 &metric, std::size_t index);
std::vector<std::string> candidates_of_problem(const Ssimulacra2 &metric, std::size_t index);
void add_results(const Ssimulacra2 &metric, std::size_t index,
                 const std::vector<ProblemResult> &results);

} // namespace gz
