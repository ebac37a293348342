#include "families/derivative/derivative.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <utility>

#include "core/error.hpp"
#include "families/filter.hpp"

namespace gz {

namespace {

constexpr double u = 0x1p-24; // unit roundoff of f32

std::string name_of(DerivativeMethod method) {
    switch (method) {
    case DerivativeMethod::central:
        return "central difference";
    case DerivativeMethod::sobel:
        return "sobel";
    case DerivativeMethod::prewitt:
        return "prewitt";
    case DerivativeMethod::scharr:
        return "scharr";
    case DerivativeMethod::gaussian:
        return "gaussian";
    }
    return "";
}

// The axes whose derivatives count.
std::vector<int> axes_of(const DerivativeRequest &request) {
    std::vector<int> axes;
    for (int axis = 0; axis < 4; ++axis)
        if (request.method == DerivativeMethod::gaussian
                ? request.gaussian.sigma[static_cast<std::size_t>(axis)] > 0.0
                : axis < request.dimensions)
            axes.push_back(axis);
    return axes;
}

void check_axis(int axis, const DerivativeRequest &request) {
    const bool is_gaussian = request.method == DerivativeMethod::gaussian;
    const std::vector<int> axes = axes_of(request);
    require(axis >= 0 && axis < 4, "the axis is ", axis, "; it must be from 0 to 3");
    require(std::count(axes.begin(), axes.end(), axis) > 0, "the axis is ",
            axis_name[static_cast<std::size_t>(axis)],
            is_gaussian ? ", which has no sigma" : ", and the filter is of ",
            is_gaussian ? "" : text(request.dimensions, " dimensions"));
}

void check(const DerivativeRequest &request) {
    const bool is_gaussian = request.method == DerivativeMethod::gaussian;
    if (!is_gaussian)
        require(request.dimensions >= 1 && request.dimensions <= 4, "dimensions is ",
                request.dimensions, "; it must be from 1 to 4");
    else
        for (std::size_t i = 0; i < 4; ++i)
            require(request.gaussian.derivative[i] == 0, "the Gaussian has a derivative of order ",
                    request.gaussian.derivative[i], " along ", axis_name[i],
                    "; which ones to take the filter says itself");
    if (is_gaussian)
        gz::check(request.gaussian);
    const bool is_of_second_order = request.result == DerivativeResult::second ||
                                    request.result == DerivativeResult::laplacian ||
                                    request.result == DerivativeResult::eigenvalue;
    require(!is_of_second_order || is_gaussian || request.method == DerivativeMethod::central,
            name_of(request.method),
            " estimates first derivatives; those of second order are central differences or of a "
            "gaussian");
    const bool is_of_pair =
        request.result == DerivativeResult::second || request.result == DerivativeResult::structure;
    if (request.result == DerivativeResult::first || is_of_pair)
        check_axis(request.axes[0], request);
    if (is_of_pair)
        check_axis(request.axes[1], request);
    if (request.result == DerivativeResult::eigenvalue) {
        const auto count = static_cast<int>(axes_of(request).size());
        require(count == 2 || count == 3,
                "an eigenvalue is of 2 or 3 dimensions, and the filter of ", count);
        require(request.axes[0] >= 0 && request.axes[0] < count, "the eigenvalue is number ",
                request.axes[0], "; it must be from 0, the largest, to ", count - 1);
    }
    if (request.result == DerivativeResult::structure) {
        require(request.smoothing.has_value(),
                "an entry of the structure tensor needs a Gaussian that smooths it");
        for (std::size_t i = 0; i < 4; ++i)
            require(request.smoothing->derivative[i] == 0,
                    "the smoothing has a derivative of order ", request.smoothing->derivative[i],
                    " along ", axis_name[i], "; means have none");
        gz::check(*request.smoothing);
    }
    require(request.result != DerivativeResult::orientation ||
                axes_of(request) == std::vector<int>{0, 1},
            "an orientation is of the derivatives along x and y, of 2 dimensions");
}

// A derivative, of order 0 to 2 along each axis, and a bound of its results for pixels up to 1.
struct Part {
    Filter filter;
    double gain;
};

// The weights of three pixels along the axes across the derivative's; none: these are left alone.
std::vector<double> smoothing_taps(DerivativeMethod method) {
    switch (method) {
    case DerivativeMethod::sobel:
        return {1.0, 2.0, 1.0};
    case DerivativeMethod::prewitt:
        return {1.0, 1.0, 1.0};
    case DerivativeMethod::scharr:
        return {3.0 / 16.0, 10.0 / 16.0, 3.0 / 16.0};
    default:
        return {};
    }
}

Part by_differences(const DerivativeRequest &request, const std::array<int, 4> &orders) {
    const double step = request.method == DerivativeMethod::central ? 0.5 : 1.0;
    AxisTaps taps;
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(request.dimensions); ++axis)
        if (orders[axis] == 1)
            taps.values[axis] = {-step, 0.0, step};
        else if (orders[axis] == 2)
            taps.values[axis] = {1.0, -2.0, 1.0};
        else
            taps.values[axis] = smoothing_taps(request.method);
    Correlate filter = separable(taps, name_of(request.method));
    const double gain = filter.correlation.sum_of_magnitudes();
    return {std::move(filter), gain};
}

// The samples of a Gaussian's derivatives have magnitudes whose sum is below that of the Gaussian itself times
// sigma^-1, and 2 sigma^-2: means of |x| / s^2 and |x^2 / s^2 - 1| / s^2, as the mean of x^2 is at most s^2.
Part by_gaussian(const DerivativeRequest &request, const std::array<int, 4> &orders) {
    Gaussian gaussian = request.gaussian;
    double gain = 1.0 + gaussian.accuracy;
    for (std::size_t axis = 0; axis < 4; ++axis) {
        gaussian.derivative[axis] = orders[axis];
        for (int i = 0; i < orders[axis]; ++i)
            gain *= (i + 1) / gaussian.sigma[axis];
    }
    if (request.result == DerivativeResult::orientation) {
        require(gaussian.method == GaussianMethod::automatic ||
                    gaussian.method == GaussianMethod::fir,
                "an orientation is of a Gaussian by taps: the method must be automatic or fir");
        gaussian.method = GaussianMethod::fir;
    }
    return {Filter::gaussian(gaussian), gain};
}

Part part_of(const DerivativeRequest &request, const std::array<int, 4> &orders) {
    return request.method == DerivativeMethod::gaussian ? by_gaussian(request, orders)
                                                        : by_differences(request, orders);
}

// All second differences in one set of taps.
Filter laplacian_of_differences(int dimensions) {
    Taps taps;
    for (std::size_t i = 0; i < static_cast<std::size_t>(dimensions); ++i) {
        taps.size[i] = 3;
        taps.anchor[i] = 1;
    }
    std::int64_t count = 1;
    for (const std::int64_t size : taps.size)
        count *= size;
    taps.values.assign(static_cast<std::size_t>(count), 0.0);
    const std::int64_t middle = count / 2;
    std::int64_t step = 1;
    for (int axis = 0; axis < dimensions; ++axis) {
        taps.values[static_cast<std::size_t>(middle - step)] = 1.0;
        taps.values[static_cast<std::size_t>(middle + step)] = 1.0;
        step *= 3;
    }
    taps.values[static_cast<std::size_t>(middle)] = -2.0 * dimensions;
    Correlate filter = correlate(std::move(taps));
    filter.name = "laplace";
    return filter;
}

std::string result_text(DerivativeResult result) {
    switch (result) {
    case DerivativeResult::laplacian:
        return "sum of second derivatives";
    case DerivativeResult::magnitude:
        return "gradient magnitude";
    case DerivativeResult::orientation:
        return "gradient orientation";
    case DerivativeResult::eigenvalue:
        return "Hessian eigenvalue";
    case DerivativeResult::structure:
        return "structure tensor entry";
    default:
        return "derivative";
    }
}

// Bounds the error of a result that is made of parts in f32, each within `errors` of the exact ones, whose
// magnitudes reach `magnitudes`.
double combined_bound(DerivativeResult result, const std::vector<double> &errors,
                      const std::vector<double> &magnitudes) {
    const auto count = static_cast<double>(errors.size());
    double sum = 0.0;
    double sum_of_squares = 0.0;
    double error = 0.0;
    double error_of_squares = 0.0;
    for (std::size_t i = 0; i < errors.size(); ++i) {
        const double most = magnitudes[i] + errors[i];
        // Entries beside the diagonal stand in the matrix twice.
        const bool is_twice = result == DerivativeResult::eigenvalue &&
                              (errors.size() == 3 ? i == 1 : i == 1 || i == 2 || i == 4);
        const double times = is_twice ? 2.0 : 1.0;
        sum += most;
        sum_of_squares += times * most * most;
        error += errors[i];
        error_of_squares += times * errors[i] * errors[i];
    }
    constexpr double largest_number = std::numeric_limits<float>::max();
    if (result == DerivativeResult::laplacian)
        return sum > largest_number ? std::numeric_limits<double>::infinity()
                                    : error + 2.0 * count * u * sum;
    // Squares that are next to nothing vanish. The root of a sum that is off by some part is off by
    // half of that part; it is rounded itself, by little more than u.
    if (sum_of_squares > largest_number)
        return std::numeric_limits<double>::infinity();
    // An eigenvalue moves by no more than the root of the sum of squares of what the entries do (Hoffman and
    // Wielandt).
    if (result == DerivativeResult::eigenvalue)
        return std::sqrt(error_of_squares) + eigenvalue_error * std::sqrt(sum_of_squares) + 0x1p-62;
    const double vanishing = std::sqrt(count) * 0x1p-63;
    return std::sqrt(error_of_squares) + (count + 3.0) * u * std::sqrt(sum_of_squares) + vanishing;
}

// The same of the products of one part, or two, that a mean smooths, whose own bound mean_bound gives for values
// up to some largest one.
template <class BoundOf>
double bound_of_products(const Derivative &filter, const std::vector<double> &errors,
                         const std::vector<double> &magnitudes, BoundOf &&mean_bound) {
    const double most = magnitudes.front() + errors.front();
    const double other = magnitudes.back() + errors.back();
    const double product = most * other;
    if (product > std::numeric_limits<float>::max())
        return std::numeric_limits<double>::infinity();
    const double error = most * errors.back() + other * errors.front() + u * product + 0x1p-126;
    return filter.mean_gain * error + mean_bound(filter.means.front(), product);
}

template <class BoundOf>
double bound_of_parts(const Derivative &filter, double largest, BoundOf &&bound_of) {
    if (filter.result == DerivativeResult::orientation)
        return orientation_error;
    std::vector<double> errors;
    std::vector<double> magnitudes;
    for (std::size_t i = 0; i < filter.filters.size(); ++i) {
        errors.push_back(bound_of(filter.filters[i], largest));
        magnitudes.push_back(filter.gains[i] * largest);
    }
    return filter.result == DerivativeResult::structure
               ? bound_of_products(filter, errors, magnitudes, bound_of)
               : combined_bound(filter.result, errors, magnitudes);
}

// The eigenvalues of the symmetric matrix of two or three axes, of which these are the entries, by Jacobi's
// rotations.
std::vector<double> eigenvalues(const std::vector<double> &entries) {
    const std::size_t n = entries.size() == 3 ? 2 : 3;
    std::array<std::array<double, 3>, 3> a{};
    std::size_t at = 0;
    double most = 0.0;
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = i; j < n; ++j, ++at) {
            a[i][j] = a[j][i] = entries[at];
            most = std::max(most, std::abs(entries[at]));
        }
    for (int sweep = 0; sweep < 20; ++sweep)
        for (std::size_t p = 0; p < n; ++p)
            for (std::size_t q = p + 1; q < n; ++q) {
                if (!(std::abs(a[p][q]) > 1e-18 * most))
                    continue;
                const double angle = 0.5 * std::atan2(2.0 * a[p][q], a[p][p] - a[q][q]);
                const double c = std::cos(angle);
                const double s = std::sin(angle);
                for (std::size_t i = 0; i < n; ++i) {
                    const double own = a[i][p];
                    a[i][p] = c * own + s * a[i][q];
                    a[i][q] = c * a[i][q] - s * own;
                }
                for (std::size_t i = 0; i < n; ++i) {
                    const double own = a[p][i];
                    a[p][i] = c * own + s * a[q][i];
                    a[q][i] = c * a[q][i] - s * own;
                }
            }
    std::vector<double> result;
    for (std::size_t i = 0; i < n; ++i)
        result.push_back(a[i][i]);
    std::sort(result.rbegin(), result.rend());
    return result;
}

double combined(const Derivative &filter, const std::vector<double> &parts) {
    const DerivativeResult result = filter.result;
    if (result == DerivativeResult::orientation)
        return std::atan2(parts[1], parts[0]);
    if (result == DerivativeResult::eigenvalue)
        return eigenvalues(parts)[static_cast<std::size_t>(filter.number)];
    if (result == DerivativeResult::structure)
        return parts.front() * parts.back();
    double sum = 0.0;
    for (const double part : parts)
        sum += result == DerivativeResult::laplacian ? part : part * part;
    return result == DerivativeResult::laplacian ? sum : std::sqrt(sum);
}

// Computes all rows of a part, one after the other.
std::vector<double> rows_of(const Derivative &whole, const Filter &part, const ReferenceJob &job,
                            ModesAs modes) {
    const auto width = static_cast<std::size_t>(job.region.extent[0] * job.source.channels);
    std::vector<double> rows;
    if (whole.result == DerivativeResult::orientation) {
        const ReferenceJob own{part, job.source, job.border, job.region, job.pixels};
        compute_in_f32(own, [&](const RowPlace &, const float *values) {
            rows.insert(rows.end(), values, values + width);
        });
    } else {
        part.compute(job, modes, [&](const RowPlace &, const double *values) {
            rows.insert(rows.end(), values, values + width);
        });
    }
    return rows;
}

} // namespace

Filter derivative(const DerivativeRequest &request) {
    check(request);
    const std::vector<int> axes = axes_of(request);
    std::array<int, 4> orders{0, 0, 0, 0};
    if (request.result == DerivativeResult::first || request.result == DerivativeResult::second) {
        ++orders[static_cast<std::size_t>(request.axes[0])];
        if (request.result == DerivativeResult::second)
            ++orders[static_cast<std::size_t>(request.axes[1])];
        return part_of(request, orders).filter;
    }
    // Along x and y their sum is a filter of its own kernels; in volumes one set of taps has them all.
    if (request.result == DerivativeResult::laplacian &&
        request.method == DerivativeMethod::central && request.dimensions > 2)
        return laplacian_of_differences(request.dimensions);
    Derivative result;
    result.result = request.result;
    result.name = result_text(request.result);
    const auto add = [&](std::initializer_list<int> derived) {
        orders = {0, 0, 0, 0};
        for (const int axis : derived)
            ++orders[static_cast<std::size_t>(axis)];
        Part part = part_of(request, orders);
        result.filters.push_back(std::move(part.filter));
        result.gains.push_back(part.gain);
    };
    if (request.result == DerivativeResult::structure) {
        add({request.axes[0]});
        if (request.axes[1] != request.axes[0])
            add({request.axes[1]});
        result.means = {Filter::gaussian(*request.smoothing)};
        result.mean_gain += request.smoothing->accuracy;
        return result;
    }
    if (request.result == DerivativeResult::eigenvalue) {
        for (std::size_t i = 0; i < axes.size(); ++i)
            for (std::size_t j = i; j < axes.size(); ++j)
                add({axes[i], axes[j]});
        result.number = request.axes[0];
        return result;
    }
    for (const int axis : axes)
        if (request.result == DerivativeResult::laplacian)
            add({axis, axis});
        else
            add({axis});
    if (result.filters.size() == 1 && request.result == DerivativeResult::laplacian)
        return result.filters.front();
    return result;
}

std::string to_text(const Derivative &filter) {
    std::string result = filter.name;
    if (filter.result == DerivativeResult::eigenvalue)
        result += text(" ", filter.number);
    result += " of";
    for (const Filter &one : filter.filters)
        result += text(&one == filter.filters.data() ? " " : "; ", to_text(one));
    for (const Filter &mean : filter.means)
        result += ", mean: " + to_text(mean);
    return result;
}

void check_border(const Derivative &filter, const Border &border) {
    for (const Filter &one : filter.filters)
        one.check_border(border);
    for (const Filter &mean : filter.means) {
        refuse_border_zero(border, to_text(filter));
        mean.check_border(Derivative::border_of_products(border));
    }
}

double error_bound(const Derivative &filter, double largest) {
    return bound_of_parts(filter, largest,
                          [](const Filter &one, double most) { return one.error_bound(most); });
}

double rounding_bound(const Derivative &filter, double largest) {
    return bound_of_parts(filter, largest,
                          [](const Filter &one, double most) { return one.rounding_bound(most); });
}

AxesReach reach_of(const Derivative &filter) {
    AxesReach result;
    for (const Filter &one : filter.filters)
        result = cover(result, one.reach());
    for (const Filter &mean : filter.means)
        result = after(result, mean.reach());
    return result;
}

bool rounds_once(const Derivative &, const Rounded &) {
    return false;
}

Results results_of(const Derivative &) {
    return Results::pixels;
}

namespace {

// Rows of all parts come in the same order.
void compute_combined(const Derivative &filter, const ReferenceJob &job, ModesAs modes,
                      const RowSink<double> &sink) {
    std::vector<std::vector<double>> parts;
    for (std::size_t i = 0; i + 1 < filter.filters.size(); ++i)
        parts.push_back(rows_of(filter, filter.filters[i], job, modes));
    const std::vector<double> last = rows_of(filter, filter.filters.back(), job, modes);
    const auto width = static_cast<std::size_t>(job.region.extent[0] * job.source.channels);
    std::vector<double> row(width);
    std::vector<double> values(filter.filters.size());
    std::size_t at = 0;
    for (std::int64_t plane = 0; plane < job.source.planes; ++plane)
        for (std::int64_t t = 0; t < job.region.extent[3]; ++t)
            for (std::int64_t z = 0; z < job.region.extent[2]; ++z)
                for (std::int64_t y = 0; y < job.region.extent[1]; ++y) {
                    for (std::size_t x = 0; x < width; ++x, ++at) {
                        for (std::size_t i = 0; i < parts.size(); ++i)
                            values[i] = parts[i][at];
                        values.back() = last[at];
                        row[x] = combined(filter, values);
                    }
                    sink({y, z, t, plane}, row.data());
                }
}

// The products of all pixels that the mean may read, in double, are its source.
void compute_structure(const Derivative &filter, const ReferenceJob &job, ModesAs modes,
                       const RowSink<double> &sink) {
    const bool isolated = job.region.edge == RegionEdge::isolated;
    Region all = job.region;
    if (!isolated) {
        all.source_origin = {0, 0, 0, 0};
        all.extent = job.source.extent;
    }
    ImageDesc products;
    products.type = PixelType::f64;
    products.channels = job.source.channels;
    products.extent = all.extent;
    products.planes = job.source.planes;
    products = complete(products, "products");
    const auto width = static_cast<std::size_t>(all.extent[0] * job.source.channels);
    std::vector<double> values;
    compute_combined(filter, {job.filter, job.source, job.border, all, job.pixels}, modes,
                     [&](const RowPlace &, const double *row) {
                         values.insert(values.end(), row, row + width);
                     });
    Region region = job.region;
    if (isolated)
        region.source_origin = {0, 0, 0, 0};
    const Filter &mean = filter.means.front();
    mean.compute({mean, products, Derivative::border_of_products(job.border), region,
                  reinterpret_cast<const std::byte *>(values.data())},
                 modes, sink);
}

} // namespace

void compute(const Derivative &filter, const ReferenceJob &job, ModesAs modes,
             const RowSink<double> &sink) {
    if (filter.result == DerivativeResult::structure)
        compute_structure(filter, job, modes, sink);
    else
        compute_combined(filter, job, modes, sink);
}

} // namespace gz
