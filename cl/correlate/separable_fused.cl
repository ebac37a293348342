// Separable correlation of a tile in one launch, for GPUs.
#include "lib/inline.clh"
#include "lib/geometry.clh"
#include "lib/pixel.clh"
#include "lib/border.clh"

#define KERNEL separable_fused
#define MORE_PARAMETERS
#define TARGETS 1
#define TARGET_PARAMETERS __global DST *restrict dst
#define TARGET_LIST dst
#define FIELDS 1
#define FIELD_VALUE(f, pixel) (pixel)
#define FIELD_TAP_X(f, i) TAP_X(i)
#define FIELD_TAP_Y(f, j) TAP_Y(j)
#define RESULT(t, o, v) sum[0][o][v]
#define READS_OWN 0
#include "lib/separable_tile.clh"
