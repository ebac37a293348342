// A pixel and means by taps along x and y in one launch, for GPUs: the means of the pixels, and of
// their squares.
#include "lib/inline.clh"
#include "lib/geometry.clh"
#include "lib/pixel.clh"
#include "lib/border.clh"
#include "lib/group_place.clh"
#define REAL float
#define AS_REAL as_float
#define AS_BITS as_uint
#include "lib/arithmetic.clh"
#include "lib/root.clh"
#include "lib/local.clh"

#define KERNEL local_fused
#define MORE_PARAMETERS , const Numbers numbers
#define FIELDS (1 + SQUARES)
#define FIELD_VALUE(f, pixel) ((f) == 0 ? (pixel) : (pixel) * (pixel))
#define READS_OWN (LOCAL_RESULT != VARIANCE && LOCAL_RESULT != DEVIATION)
#if READS_OWN
#define OWN(v) own[v]
#else
#define OWN(v) 0.0f
#endif
#define RESULT(o, v) local_result(OWN(v), sum[0][o][v], sum[SQUARES][o][v], numbers)
#include "lib/separable_tile.clh"
