// The columns of kernels that go down columns in one launch and along rows in another.
#pragma once

#include "plan/image_pass.hpp"

namespace gz {

#include "lib/box_columns.clh"
static_assert(sizeof(BoxColumns) == 16, "OpenCL C lays the struct out without padding");

// Returns the columns that the windows along x reach, if all of them are in the image; otherwise all columns, as
// the border may fold to any of them.
BoxColumns columns_of(const ImagePass &pass);

} // namespace gz
