#include "families/ssimulacra2/metric.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.hpp"

namespace gz {

namespace {

namespace definition = ssimulacra2;

void check_image(const ImageDesc &desc, const char *what) {
    require(desc.type == PixelType::u8 || desc.type == PixelType::u16, "the ", what, " is of ",
            name_of(desc.type), "; SSIMULACRA 2 takes u8 and u16");
    require(desc.planes == 1 && desc.extent[2] == 1 && desc.extent[3] == 1, "the ", what, " is ",
            to_text(desc), "; SSIMULACRA 2 takes one plane of two dimensions");
    // Rows of values side by side are what kernels can read.
    require(desc.pitch[0] == desc.pixel_bytes() &&
                desc.pitch[1] % static_cast<std::int64_t>(size_of(desc.type)) == 0,
            "the pixels of the ", what, " do not lie side by side");
}

std::vector<definition::Extent> extents_of(const ImageDesc &reference, const ImageDesc &distorted) {
    check_image(reference, "reference");
    check_image(distorted, "distorted image");
    require(reference.extent == distorted.extent, "the reference is ", to_text(reference.extent),
            " and the distorted image ", to_text(distorted.extent), "; they must be of one size");
    return definition::scales_of({reference.extent[0], reference.extent[1]});
}

Pyramid pyramid_of_scales(const std::vector<definition::Extent> &extents) {
    std::vector<std::array<std::int64_t, 2>> sizes;
    for (const definition::Extent &extent : extents)
        sizes.push_back({extent.width, extent.height});
    return pyramid_of(sizes);
}

bool has_alpha(const ImageDesc &desc) {
    return desc.channels % 2 == 0;
}

Decoding decoding_of(PixelType type, double background) {
    const double largest = facts_of(type).highest;
    Decoding result{};
    result.low_slope = static_cast<float>(1.0 / (definition::srgb_low_slope * largest));
    result.low_end = static_cast<float>(definition::srgb_low_end * largest);
    result.high_slope = static_cast<float>(1.0 / ((1.0 + definition::srgb_offset) * largest));
    result.high_start =
        static_cast<float>(definition::srgb_offset / (1.0 + definition::srgb_offset));
    result.background = static_cast<float>(background * largest);
    result.unit = static_cast<float>(1.0 / largest);
    return result;
}

Opsin opsin_of_definition() {
    const auto &rows = definition::opsin;
    const auto at = [&](int row, int column) { return static_cast<float>(rows[row][column]); };
    const auto difference = [&](int column) {
        return static_cast<float>(rows[0][column] - rows[1][column]);
    };
    // The bias's cube root is subtracted from L and M each; it cancels in X and in B less Y.
    const double root = std::cbrt(definition::opsin_bias);
    Opsin result{};
    result.l_red = at(0, 0), result.l_green = at(0, 1), result.l_blue = at(0, 2);
    result.m_red = at(1, 0), result.m_green = at(1, 1), result.m_blue = at(1, 2);
    result.s_red = at(2, 0), result.s_green = at(2, 1), result.s_blue = at(2, 2);
    result.x_red = difference(0), result.x_green = difference(1), result.x_blue = difference(2);
    result.bias = static_cast<float>(definition::opsin_bias);
    result.x_scale = static_cast<float>(definition::x_scale / 2.0);
    result.x_offset = static_cast<float>(definition::offsets[0]);
    result.y_offset = static_cast<float>(definition::offsets[1] - root);
    result.b_offset = static_cast<float>(definition::offsets[2]);
    return result;
}

Blur blur_of_definition() {
    const auto tap = [](int i) { return static_cast<float>(definition::blur_taps[i]); };
    return {tap(0), tap(1), tap(2), tap(3), tap(4), static_cast<float>(definition::c2)};
}

// Over no background.
XybPass xyb_pass_of(const ImageDesc &desc, const Pyramid &pyramid) {
    XybPass pass;
    pass.type = desc.type;
    pass.channels = static_cast<int>(desc.channels);
    const auto bytes = static_cast<std::int64_t>(size_of(desc.type));
    pass.first = desc.offset / bytes;
    pass.row = desc.pitch[1] / bytes;
    pass.pyramid = pyramid;
    pass.opsin = opsin_of_definition();
    return pass;
}

// A bit for each channel whose SSIM error weighs anything at a scale.
std::vector<int> needs_of(std::size_t scales) {
    std::vector<int> result;
    for (const definition::SubScores &weights : definition::weights_of(scales)) {
        int bits = 0;
        for (std::size_t channel = 0; channel < definition::channels; ++channel)
            for (const auto &norm : weights[channel])
                if (norm[definition::ssim] != 0.0)
                    bits |= 1 << channel;
        result.push_back(bits);
    }
    return result;
}

// The part of `forced` that names a kernel of this pass, "" if none does.
std::string forced_for(const Pass &pass, const DeviceFacts &facts, const Forced &forced) {
    for (const std::string &part : forced.parts)
        if (names_kernel(part, pass, facts))
            return part;
    return "";
}

// Images whose kernels run at a time, each in a lane of its own, where there are so many.
constexpr std::size_t lane_count = 2;

// Images whose sums are read at once: reading waits, and the device should not.
constexpr std::size_t images_at_once = 32;

// Numbers of an image's sums, and bytes from those to the next, where a part of a buffer can start.
std::size_t count_of_sums(std::size_t scales) {
    return scales * definition::channels * SUMS * 2;
}
std::size_t stride_of_sums(std::size_t scales, const DeviceFacts &facts) {
    const std::size_t unit = std::max(facts.base_alignment, std::uint32_t{sizeof(float)});
    return (count_of_sums(scales) * sizeof(float) + unit - 1) / unit * unit;
}

} // namespace

Ssimulacra2::Ssimulacra2(std::shared_ptr<Engine> engine, const ImageDesc &reference,
                         const ImageDesc &distorted, const std::string &variant)
    : engine_(std::move(engine)), forced_(variant), extents_(extents_of(reference, distorted)),
      pyramid_(pyramid_of_scales(extents_)) {
    const DeviceFacts &facts = engine_->facts();
    const ChoiceOn on(facts, engine_->tuning());
    pass_ = {pyramid_, blur_of_definition(), needs_of(extents_.size()), {}};
    const std::string forced_errors = forced_for(pass_, facts, forced_);
    const std::string forced_xyb = forced_for(XybPass(), facts, forced_);
    require(forced_.variant.empty() || !forced_errors.empty() || !forced_xyb.empty(),
            "no kernel of SSIMULACRA 2 is called '", forced_.variant, "'");
    for (const ImageDesc *desc : {&reference, &distorted})
        self_test(engine_, xyb_pass_of(*desc, pyramid_), pass_, variant);
    errors_ = choose(pass_, on, forced_errors, forced_.by);

    const auto source = [&](const char *name, const ImageDesc &desc,
                            double definition::Backgrounds::*background) {
        Source result{name, desc, {}, {}, {}};
        XybPass pass = xyb_pass_of(desc, pyramid_);
        for (const auto &over :
             definition::backgrounds_for(has_alpha(reference), has_alpha(distorted))) {
            pass.decoding = decoding_of(desc.type, over.*background);
            result.choices.push_back(choose(pass, on, forced_xyb, forced_.by));
        }
        return result;
    };
    reference_ = source("reference", reference, &definition::Backgrounds::reference);
    distorted_ = source("distorted image", distorted, &definition::Backgrounds::distorted);

    variant_ = distorted_.choices[0].variant() + "; " + errors_.variant();
    const std::uint64_t plane_bytes = static_cast<std::uint64_t>(pyramid_.values) * sizeof(float);
    const std::size_t backgrounds = reference_.choices.size();
    explain_ = text("SSIMULACRA 2; reference ", to_text(reference), ", distorted image ",
                    to_text(distorted), "; ", extents_.size(), " scales, ", backgrounds,
                    backgrounds == 1 ? " background\n" : " backgrounds\n");
    explain_ += text("device: ", facts.name, " (", facts.platform, "), class ",
                     name_of(facts.device_class), "\n");
    explain_ += gz::explain("pixels to planes", distorted_.choices[0]);
    explain_ += gz::explain("planes to sums of errors", errors_);
    explain_ += text("launches: ", launches(), " for each distorted image, and ", backgrounds,
                     " for each reference; planes of ", plane_bytes, " bytes, ", backgrounds + 1,
                     " times, and as often again where several images are scored\n");
    // The planes are written once and read beside the reference's.
    double moved = 0.0;
    for (const definition::Extent &extent : extents_)
        moved += 3.0 * definition::channels * sizeof(float) *
                 static_cast<double>(extent.width * extent.height);
    moved += static_cast<double>(distorted.payload_bytes());
    explain_ += text("a distorted image moves ", static_cast<std::uint64_t>(moved) * backgrounds,
                     " bytes\n");
}

XybPass Ssimulacra2::planes_pass() const {
    return xyb_pass_of(distorted_.desc, pyramid_);
}

int Ssimulacra2::launches() const {
    const std::size_t each =
        distorted_.choices[0].work.launches.size() + errors_.work.launches.size();
    return static_cast<int>(each * distorted_.choices.size());
}

void Ssimulacra2::prepare() {
    cl::CommandQueue queue = engine_->queue(); // refuses a forked process
    if (!errors_ready_.empty())
        return;
    for (Source *source : {&reference_, &distorted_}) {
        source->ready.clear();
        for (const Choice &choice : source->choices)
            source->ready.push_back(engine_->make_ready(choice.work.launches.at(0)));
    }
    transfers_ = new_queue();
    lanes_.clear();
    lanes_.push_back(make_lane(queue));
    const std::size_t stride = stride_of_sums(extents_.size(), engine_->facts());
    const std::size_t parts = images_at_once * reference_.choices.size();
    sums_ = engine_->allocate(parts * stride, "the sums of errors");
    sums_of_.clear();
    attempt("dividing a buffer", [&] {
        for (std::size_t i = 0; i < parts; ++i) {
            const cl_buffer_region region{i * stride, stride};
            sums_of_.push_back(
                sums_.createSubBuffer(CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region));
        }
    });
    std::vector<ReadyLaunch> ready;
    for (const Launch &launch : errors_.work.launches)
        ready.push_back(engine_->make_ready(launch));
    errors_ready_ = std::move(ready);
}

cl::CommandQueue Ssimulacra2::new_queue() const {
    return attempt("creating a command queue",
                   [&] { return cl::CommandQueue(engine_->context(), engine_->device()); });
}

std::uint64_t Ssimulacra2::bytes_of_lane() const {
    return (reference_.choices.size() + 1) * static_cast<std::uint64_t>(pyramid_.values) *
           sizeof(float);
}

Ssimulacra2::Lane Ssimulacra2::make_lane(const cl::CommandQueue &queue) {
    Lane lane;
    lane.queue = queue;
    const auto allocate = [&] {
        const auto bytes = static_cast<std::uint64_t>(pyramid_.values) * sizeof(float);
        cl::Buffer planes = engine_->allocate(bytes, "a pyramid of planes");
        attempt("clearing planes", [&] {
            lane.queue.enqueueFillBuffer(planes, 0.0F, 0, static_cast<std::size_t>(bytes));
        });
        return planes;
    };
    for (std::size_t i = 0; i < reference_.choices.size(); ++i)
        lane.reference_planes.push_back(allocate());
    lane.distorted_planes = allocate();
    for (const std::uint64_t bytes : errors_.work.workspace)
        lane.workspace.push_back(engine_->allocate(bytes, "the sums of parts"));
    return lane;
}

void Ssimulacra2::check(const Frame &frame, const Source &source) const {
    const ImageDesc &desc = source.desc;
    if (const auto *host = std::get_if<HostSource>(&frame)) {
        require(host->data != nullptr, "the pointer of the ", source.name, " is null");
        require(host->bytes >= static_cast<std::uint64_t>(desc.bytes()), "the ", source.name,
                " has ", host->bytes, " bytes; its description needs ", desc.bytes());
    } else {
        const DeviceImage &image = *std::get<const DeviceImage *>(frame);
        require(image.engine == engine_, "the ", source.name, " belongs to another engine");
        const ImageDesc &own = image.desc;
        require(own.type == desc.type && own.channels == desc.channels &&
                    own.extent == desc.extent && own.pitch[0] == desc.pitch[0] &&
                    own.pitch[1] == desc.pitch[1] && own.offset == desc.offset &&
                    own.planes == desc.planes,
                "the ", source.name, " is ", to_text(own),
                ", laid out otherwise than described: ", to_text(desc));
    }
}

void Ssimulacra2::enqueue_planes(Lane &lane, Source &source, const Frame &frame, std::size_t turn,
                                 std::size_t background, const cl::Buffer &planes) {
    cl::CommandQueue &queue = lane.queue;
    const ReadyLaunch &launch = source.ready[background];
    if (const auto *image = std::get_if<const DeviceImage *>(&frame)) {
        launch.enqueue(queue, {{(*image)->buffer}, {planes}, {}}, {}, nullptr);
        return;
    }
    Staging &staging = source.staging[turn % source.staging.size()];
    const auto bytes = static_cast<std::size_t>(source.desc.bytes());
    if (!staging.pixels())
        staging.pixels = engine_->allocate(bytes, source.name);
    std::vector<cl::Event> waits;
    if (background == 0) { // for the others it is there
        const std::vector<cl::Event> read =
            staging.read() ? std::vector<cl::Event>{staging.read} : std::vector<cl::Event>();
        waits.emplace_back();
        attempt("copying an image to the device", [&] {
            transfers_.enqueueWriteBuffer(staging.pixels, CL_FALSE, 0, bytes,
                                          std::get<HostSource>(frame).data,
                                          read.empty() ? nullptr : &read, &waits.back());
            transfers_.flush();
        });
    }
    launch.enqueue(queue, {{staging.pixels}, {planes}, {}}, waits, &staging.read);
    attempt("flushing the queue", [&] { queue.flush(); }); // the next transfer waits for it
}

void Ssimulacra2::enqueue_reference(Lane &lane, const Frame &frame, std::size_t turn) {
    for (std::size_t i = 0; i < lane.reference_planes.size(); ++i)
        enqueue_planes(lane, reference_, frame, turn, i, lane.reference_planes[i]);
}

void Ssimulacra2::enqueue_sums(Lane &lane, const Frame &distorted, std::size_t turn,
                               std::size_t image) {
    const std::vector<cl::Buffer> &reference = lanes_[reference_lane_].reference_planes;
    for (std::size_t i = 0; i < reference.size(); ++i) {
        enqueue_planes(lane, distorted_, distorted, turn, i, lane.distorted_planes);
        const Buffers buffers{{reference[i], lane.distorted_planes},
                              {sums_of_[image * reference.size() + i]},
                              {lane.workspace.begin(), lane.workspace.end()}};
        for (const ReadyLaunch &launch : errors_ready_)
            launch.enqueue(lane.queue, buffers, {}, nullptr);
    }
    attempt("flushing the queue", [&] { lane.queue.flush(); });
}

void Ssimulacra2::open_lanes(std::size_t images) {
    const std::uint64_t room = engine_->facts().global_memory / 8;
    while (lanes_.size() < std::min(images, lane_count) && bytes_of_lane() <= room)
        lanes_.push_back(make_lane(new_queue()));
    if (lanes_.size() == 1)
        return;
    attempt("ordering command queues", [&] {
        std::vector<cl::Event> given(1);
        lanes_.front().queue.enqueueMarkerWithWaitList(nullptr, &given.front());
        lanes_.front().queue.flush();
        for (std::size_t i = 1; i < lanes_.size(); ++i)
            lanes_[i].queue.enqueueBarrierWithWaitList(&given);
    });
}

std::vector<Ssimulacra2::SubScores> Ssimulacra2::read(std::size_t images) {
    const std::size_t backgrounds = reference_.choices.size();
    const std::size_t stride = stride_of_sums(extents_.size(), engine_->facts()) / sizeof(float);
    std::vector<float> sums(images * backgrounds * stride);
    attempt("reading sums of errors", [&] {
        for (std::size_t i = 1; i < lanes_.size(); ++i)
            lanes_[i].queue.finish();
        engine_->queue().enqueueReadBuffer(sums_, CL_TRUE, 0, sums.size() * sizeof(float),
                                           sums.data());
    });
    std::vector<SubScores> result(images);
    for (std::size_t i = 0; i < images * backgrounds; ++i) {
        const float *pair = sums.data() + i * stride;
        auto &scales = result[i / backgrounds].emplace_back(extents_.size());
        for (std::size_t scale = 0; scale < scales.size(); ++scale) {
            for (auto &channel : scales[scale])
                for (std::size_t map = 0; map < definition::maps; ++map)
                    for (auto &norm : channel) {
                        norm[map] = static_cast<double>(pair[0]) + static_cast<double>(pair[1]);
                        pair += 2;
                    }
            scales[scale] = definition::pooled(scales[scale], extents_[scale]);
        }
    }
    return result;
}

void Ssimulacra2::settle() noexcept {
    if (transfers_())
        clFinish(transfers_());
    try {
        clFinish(engine_->queue()());
        for (std::size_t i = 1; i < lanes_.size(); ++i)
            clFinish(lanes_[i].queue());
    } catch (const Error &) {
        // A forked process has nothing on its way.
    }
}

void Ssimulacra2::set_reference(const Frame &reference) {
    check(reference, reference_);
    const std::lock_guard<std::mutex> lock(mutex_);
    prepare();
    has_reference_ = false;
    try {
        enqueue_reference(lanes_.front(), reference, 0);
        reference_lane_ = 0;
        has_reference_ = true;
    } catch (...) {
        settle();
        throw;
    }
    settle();
}

void Ssimulacra2::score(std::span<const Frame> references, std::span<const Frame> distorted,
                        double *scores) {
    for (const Frame &frame : references)
        check(frame, reference_);
    for (const Frame &frame : distorted)
        check(frame, distorted_);
    const std::lock_guard<std::mutex> lock(mutex_);
    require(!references.empty() || has_reference_, "no reference has been set");
    prepare();
    std::vector<double> results;
    try {
        open_lanes(distorted.size());
        while (results.size() < distorted.size()) {
            const std::size_t begin = results.size();
            const std::size_t images = std::min(images_at_once, distorted.size() - begin);
            for (std::size_t i = 0; i < images; ++i) {
                const std::size_t place = i % lanes_.size();
                if (!references.empty()) {
                    has_reference_ = false;
                    enqueue_reference(lanes_[place], references[begin + i], i);
                    reference_lane_ = place;
                    has_reference_ = true;
                }
                enqueue_sums(lanes_[place], distorted[begin + i], i, i);
            }
            for (const SubScores &backgrounds : read(images)) {
                double lowest = 100.0;
                for (const auto &sub_scores : backgrounds)
                    lowest = std::min(lowest, definition::score_of(sub_scores));
                results.push_back(lowest);
            }
        }
    } catch (...) {
        settle();
        throw;
    }
    std::copy(results.begin(), results.end(), scores);
}

double Ssimulacra2::error_map(const Frame &distorted, float *map) {
    check(distorted, distorted_);
    const std::lock_guard<std::mutex> lock(mutex_);
    require(has_reference_, "no reference has been set");
    prepare();
    try {
        Lane &lane = lanes_.front();
        enqueue_sums(lane, distorted, 0, 0);
        const SubScores found = std::move(read(1).front());
        std::size_t lowest = 0;
        for (std::size_t i = 1; i < found.size(); ++i)
            if (definition::score_of(found[i]) < definition::score_of(found[lowest]))
                lowest = i;

        Ssimulacra2Pass pass = pass_;
        for (const definition::Shares &shares : definition::shares_of(found[lowest])) {
            auto &scale = pass.shares.emplace_back();
            for (std::size_t channel = 0; channel < definition::channels; ++channel)
                for (std::size_t error = 0; error < definition::maps; ++error) {
                    const definition::Share &share = shares[channel][error];
                    scale[channel][error] = {static_cast<float>(share.mean),
                                             static_cast<float>(share.fourth),
                                             static_cast<float>(share.inverse_root)};
                }
        }
        if (!std::exchange(is_map_tested_, true))
            self_test(engine_, planes_pass(), pass, forced_.variant);
        const DeviceFacts &facts = engine_->facts();
        const ChoiceOn on(facts, engine_->tuning());
        const Work work = choose(pass, on, forced_for(pass, facts, forced_), forced_.by).work;
        cl::CommandQueue queue = engine_->queue();
        const auto bytes =
            static_cast<std::size_t>(extents_[0].width * extents_[0].height) * sizeof(float);
        const cl::Buffer target = engine_->allocate(bytes, "the error map");
        // The planes are those of the last background.
        for (std::size_t i = 0; lowest + 1 != found.size() && i <= lowest; ++i)
            enqueue_planes(lane, distorted_, distorted, 0, i, lane.distorted_planes);
        Buffers buffers{{lanes_[reference_lane_].reference_planes[lowest], lane.distorted_planes},
                        {target},
                        {}};
        for (const std::uint64_t size : work.workspace)
            buffers.workspace.push_back(engine_->allocate(size, "the errors of all scales"));
        std::vector<ReadyLaunch> ready;
        for (const Launch &launch : work.launches)
            ready.push_back(engine_->make_ready(launch));
        for (const ReadyLaunch &launch : ready)
            launch.enqueue(queue, buffers, {}, nullptr);
        attempt("reading the error map",
                [&] { queue.enqueueReadBuffer(target, CL_TRUE, 0, bytes, map); });
        return definition::score_of(found[lowest]);
    } catch (...) {
        settle();
        throw;
    }
}

std::size_t count_of_problems(const Ssimulacra2 &) {
    return 2;
}

namespace {

Pass pass_of_problem(const Ssimulacra2 &metric, std::size_t index) {
    require(index < count_of_problems(metric), "problem is ", index, "; the metric has ",
            count_of_problems(metric));
    return index == 0 ? Pass(metric.planes_pass()) : Pass(metric.errors_pass());
}

} // namespace

std::string name_of_problem(const Ssimulacra2 &metric, std::size_t index) {
    return pass_of_problem(metric, index).problem();
}

std::vector<std::string> candidates_of_problem(const Ssimulacra2 &metric, std::size_t index) {
    return candidates(pass_of_problem(metric, index), metric.engine().facts());
}

void add_results(const Ssimulacra2 &metric, std::size_t index,
                 const std::vector<ProblemResult> &results) {
    Tuning &tuning = metric.engine().tuning();
    const Pass pass = pass_of_problem(metric, index);
    add_results(tuning, pass.problem(), results,
                [&](const std::string &kernel) { return spec_hash(pass, tuning, kernel); });
}

} // namespace gz
