// Separable correlation of a tile in one launch, for GPUs.
#include "lib/inline.clh"
#include "lib/geometry.clh"
#include "lib/pixel.clh"
#include "lib/border.clh"
#include "lib/group_place.clh"

#define KERNEL separable_fused
#define MORE_PARAMETERS
#define FIELDS 1
#define FIELD_VALUE(f, pixel) (pixel)
#define RESULT(o, v) sum[0][o][v]
#define READS_OWN 0
#include "lib/separable_tile.clh"
