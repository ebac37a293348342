// Guided filters: an image as a linear function of a guide around each pixel (He, Sun and Tang, 2010 and 2013).
#pragma once

#include <cstdint>
#include <string>

#include "families/description.hpp"

namespace gz {

enum class Guide : gauze_guide {
    channels = GAUZE_GUIDE_CHANNELS,
    color = GAUZE_GUIDE_COLOR,
    image = GAUZE_GUIDE_IMAGE
};

struct Guided {
    std::int64_t radius = 1;
    double epsilon = 1.0;
    Guide guide = Guide::channels;
};

// Refuses numbers out of range.
Guided checked(const Guided &guided);

// How many channels guide together where the guide is an image with so many, or the filtered image itself has: 0
// where each channel guides itself, 1 or 3. Refuses other numbers.
int guide_channels(const Guided &filter, std::int64_t channels);

std::string to_text(const Guided &filter);
void check_border(const Guided &filter, const Border &border);
// The bound of the header's formula; see guided.cpp.
double error_bound(const Guided &filter, double largest);
double rounding_bound(const Guided &filter, double largest);
AxesReach reach_of(const Guided &filter);
bool rounds_once(const Guided &filter, const Rounded &images);
Results results_of(const Guided &filter);
void compute(const Guided &filter, const ReferenceJob &job, ModesAs modes,
             const RowSink<double> &sink);

} // namespace gz
