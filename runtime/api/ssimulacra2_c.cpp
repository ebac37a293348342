// The metric SSIMULACRA 2: see gauze.h.
#include <gauze/gauze.h>

#include <memory>
#include <vector>

#include "api/boundary.hpp"
#include "api/handles.hpp"
#include "api/versioned_struct.hpp"
#include "families/ssimulacra2/ssimulacra2.hpp"

namespace {

using gz::check_handle;
using gz::check_pointer;
using gz::guarded;
using gz::host_source;
using gz::image_desc;
using gz::known_part;
using gz::or_empty;
using gz::require;

// Frames of `count` images: from[i], or *from[i].
std::vector<gz::Frame> frames(const gauze_host_source *from, std::uint32_t count) {
    std::vector<gz::Frame> result;
    for (std::uint32_t i = 0; from && i < count; ++i)
        result.emplace_back(host_source(from + i));
    return result;
}

std::vector<gz::Frame> frames(const gauze_image *const *from, std::uint32_t count) {
    std::vector<gz::Frame> result;
    for (std::uint32_t i = 0; from && i < count; ++i) {
        check_handle(from[i], gz::text("image ", i));
        result.emplace_back(&from[i]->image);
    }
    return result;
}

template <class Images>
gauze_status score(gauze_ssimulacra2 *metric, const Images *references, const Images *distorted,
                   std::uint32_t count, double *scores) {
    return guarded([&] {
        check_handle(metric, "metric");
        require(count > 0, "count is 0; there is nothing to score");
        check_pointer(distorted, "distorted");
        check_pointer(scores, "scores");
        metric->metric->score(frames(references, count), frames(distorted, count), scores);
    });
}

} // namespace

extern "C" {

gauze_status gauze_ssimulacra2_create(gauze_engine *engine, const gauze_ssimulacra2_desc *desc,
                                      gauze_ssimulacra2 **metric) {
    return guarded([&] {
        check_handle(engine, "engine");
        const gauze_ssimulacra2_desc known = known_part(desc, "desc");
        check_pointer(metric, "metric");
        const gz::ImageDesc reference = image_desc(known.reference, "reference");
        const gz::ImageDesc distorted = image_desc(known.distorted, "distorted");
        *metric = new gauze_ssimulacra2{{},
                                        std::make_shared<gz::Ssimulacra2>(engine->engine, reference,
                                                                          distorted,
                                                                          or_empty(known.variant)),
                                        distorted.extent[0] * distorted.extent[1]};
    });
}

void gauze_ssimulacra2_destroy(gauze_ssimulacra2 *metric) {
    gz::destroy(metric);
}

gauze_status gauze_ssimulacra2_explain(const gauze_ssimulacra2 *metric, const char **text) {
    return guarded([&] {
        check_handle(metric, "metric");
        check_pointer(text, "text");
        *text = metric->metric->explain().c_str();
    });
}

gauze_status gauze_ssimulacra2_set_reference(gauze_ssimulacra2 *metric,
                                             const gauze_host_source *reference) {
    return guarded([&] {
        check_handle(metric, "metric");
        check_pointer(reference, "reference");
        metric->metric->set_reference(host_source(reference));
    });
}

gauze_status gauze_ssimulacra2_set_reference_image(gauze_ssimulacra2 *metric,
                                                   const gauze_image *reference) {
    return guarded([&] {
        check_handle(metric, "metric");
        check_handle(reference, "reference");
        metric->metric->set_reference(&reference->image);
    });
}

gauze_status gauze_ssimulacra2_score(gauze_ssimulacra2 *metric, const gauze_host_source *references,
                                     const gauze_host_source *distorted, uint32_t count,
                                     double *scores) {
    return score(metric, references, distorted, count, scores);
}

gauze_status gauze_ssimulacra2_score_images(gauze_ssimulacra2 *metric,
                                            const gauze_image *const *references,
                                            const gauze_image *const *distorted, uint32_t count,
                                            double *scores) {
    return score(metric, references, distorted, count, scores);
}

gauze_status gauze_ssimulacra2_error_map(gauze_ssimulacra2 *metric,
                                         const gauze_host_source *distorted, float *map,
                                         size_t bytes, double *score) {
    return guarded([&] {
        check_handle(metric, "metric");
        check_pointer(distorted, "distorted");
        check_pointer(map, "map");
        const auto needed = static_cast<std::uint64_t>(metric->pixels) * sizeof(float);
        require(bytes >= needed, "the map has ", bytes, " bytes; it needs ", needed);
        const double found = metric->metric->error_map(host_source(distorted), map);
        if (score)
            *score = found;
    });
}

double gauze_ssimulacra2_score_of(double weighted_error) {
    return gz::ssimulacra2::score_of(weighted_error);
}

} // extern "C"
