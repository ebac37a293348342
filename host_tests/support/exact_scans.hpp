// The results of scans, exact to a double's last digit: filters are compared with them.
#pragma once

#include <cstdint>
#include <vector>

#include "core/border.hpp"
#include "families/recursive/recursion.hpp"

namespace support {

// The recurrences one after the other as they are written, in numbers of 32 digits throughout, each
// from nothing at the line's edge where it starts. All scans run along the line, whatever their axis.
std::vector<double> exact(const std::vector<gz::Scan> &scans, const std::vector<double> &line);

// The same for a line that has `padding` samples of the border at each end, cut from the result: right where
// responses of scans have faded by then.
std::vector<double> exact(const std::vector<gz::Scan> &scans, const std::vector<double> &line,
                          const gz::Border &border, std::int64_t padding);

} // namespace support
