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
#include "filter/ssimulacra2.hpp"
#include "plan/choice.hpp"
#include "plan/device_image.hpp"
#include "plan/plan.hpp"

namespace gz {

// An image to score: in host memory, or on the plan's engine.
using Frame = std::variant<HostSource, const DeviceImage *>;

// Keeps a reference and scores images against it. Safe to use from many threads, which take turns.
class Ssimulacra2 {
public:
    // Descriptions are complete. variant: "" for the environment's GAUZE_VARIANT, else the library's
    // choice; names of kernels, separated by ';', each for the pass that it can compute.
    Ssimulacra2(std::shared_ptr<Engine> engine, const ImageDesc &reference,
                const ImageDesc &distorted, const std::string &variant);

    const std::string &explain() const { return explain_; }
    const std::string &variant() const { return variant_; }
    // Launches from the pixels of an image to its score.
    int launches() const;

    void set_reference(const Frame &reference);
    // Of each distorted image against the reference, or against one of its own if `references` are
    // not empty, the last of which is kept. Transfers of an image overlap with the computing of the
    // one before.
    void score(std::span<const Frame> references, std::span<const Frame> distorted, double *scores);
    // What each pixel adds to the weighted error, as ssimulacra2::shares_of says: rows of the images'
    // width. Returns the score.
    double error_map(const Frame &distorted, float *map);

private:
    // A pass from pixels to planes over one background.
    struct Source {
        ImageDesc desc;
        std::vector<Choice> choices; // for each background
        std::vector<ReadyLaunch> ready;
    };
    // What one of two images in progress uses.
    struct Slot {
        cl::Buffer reference, distorted; // pixels from host memory
        std::vector<cl::Buffer> sums;    // for each background
        std::vector<std::vector<float>> results;
        cl::Event done;
        double *score = nullptr; // where it goes; nullptr: nothing is in progress
    };

    void prepare();
    cl::Buffer pixels_of(const Frame &frame, const ImageDesc &desc, const char *what,
                         cl::Buffer &staging, std::vector<cl::Event> &waits);
    void check(const Frame &frame, const ImageDesc &desc, const char *what) const;
    void enqueue_reference(const cl::Buffer &pixels, const std::vector<cl::Event> &waits);
    void begin(Slot &slot, const Frame *reference, const Frame &distorted, double *score);
    void finish(Slot &slot);
    std::vector<ssimulacra2::SubScores> sub_scores(const std::vector<float> &sums) const;
    void settle() noexcept;

    std::shared_ptr<Engine> engine_;
    std::string forced_, forced_by_;
    std::vector<ssimulacra2::Extent> extents_;
    Pyramid pyramid_;
    Source reference_, distorted_;
    Ssimulacra2Pass pass_;
    Choice errors_;
    std::vector<ReadyLaunch> errors_ready_;
    std::string variant_, explain_;

    std::mutex mutex_;
    cl::CommandQueue transfers_;
    std::vector<cl::Buffer> reference_planes_; // for each background
    cl::Buffer distorted_planes_;
    bool has_reference_ = false;
    std::array<Slot, 2> slots_;
};

} // namespace gz
