#include "families/correlate/dense_tile.hpp"

namespace gz {

namespace {

int rounded_up(int value) {
    return (value + values_of_vector - 1) / values_of_vector * values_of_vector;
}

} // namespace

bool has_exact_body(int bucket, const DeviceFacts &facts) {
    return bucket <= most_unrolled && !facts.misreads_arguments;
}

TileShape tile_shape(const CorrelatePass &pass, int width, int height) {
    const Geometry &g = pass.geometry;
    TileShape shape;
    shape.width = width;
    shape.height = height;
    shape.apron_left = g.anchor_x * pass.channels;
    shape.apron_right = (g.taps_x - 1 - g.anchor_x) * pass.channels;
    if (has_vectors(pass)) {
        shape.apron_left = rounded_up(shape.apron_left);
        shape.apron_right = rounded_up(shape.apron_right);
    }
    shape.apron_top = g.anchor_y;
    shape.apron_bottom = g.taps_y - 1 - g.anchor_y;
    return shape;
}

} // namespace gz
