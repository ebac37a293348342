// Every kernel of derivatives, one by one and in banks, against the reference in f32: the same bits; whole filters
// against the reference in double and against values of scipy.ndimage.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cfloat>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/fma.hpp"
#include "families/derivative/kernels.hpp"
#include "families/family.hpp"
#include "families/reference.hpp"
#include "plan/plan.hpp"
#include "plan/verify.hpp"
#include "support/correlate_case.hpp"
#include "support/formulas.hpp"
#include "support/pairwise.hpp"
#include "support/passes.hpp"
#include "support/under_test.hpp"
#include "support/unit.hpp"

namespace {

using namespace gz;
using namespace support;

Filter make(DerivativeMethod method, DerivativeResult result, int dimensions = 2, int axis = 0,
            int other_axis = 0) {
    DerivativeRequest request;
    request.method = method;
    request.result = result;
    request.dimensions = dimensions;
    request.axes = {axis, other_axis};
    return Filter::derivative(request);
}

Filter first(DerivativeMethod method, int axis, int dimensions = 2) {
    return make(method, DerivativeResult::first, dimensions, axis);
}

Filter second(int axis, int other_axis) {
    return make(DerivativeMethod::central, DerivativeResult::second, 2, axis, other_axis);
}

Filter of_gaussian(const Gaussian &gaussian, DerivativeResult result) {
    DerivativeRequest request;
    request.method = DerivativeMethod::gaussian;
    request.result = result;
    request.gaussian = gaussian;
    return Filter::derivative(request);
}

Filter eigenvalue(int number, int dimensions = 2) {
    return make(DerivativeMethod::central, DerivativeResult::eigenvalue, dimensions, number);
}

Filter eigenvalue_of(const Gaussian &gaussian, int number) {
    DerivativeRequest request;
    request.method = DerivativeMethod::gaussian;
    request.result = DerivativeResult::eigenvalue;
    request.gaussian = gaussian;
    request.axes = {number, 0};
    return Filter::derivative(request);
}

Gaussian taps_gaussian(const std::array<double, 4> &sigma) {
    Gaussian gaussian{sigma};
    gaussian.method = GaussianMethod::fir;
    return gaussian;
}

Filter structure(DerivativeMethod method, int axis, int other_axis, const Gaussian &smoothing,
                 int dimensions = 2, const Gaussian &gaussian = {}) {
    DerivativeRequest request;
    request.method = method;
    request.result = DerivativeResult::structure;
    request.dimensions = dimensions;
    request.axes = {axis, other_axis};
    request.gaussian = gaussian;
    request.smoothing = smoothing;
    return Filter::derivative(request);
}

// Filters of one plan. All but the first are of several targets.
std::vector<std::vector<Filter>> sets_from_one_reading() {
    using Method = DerivativeMethod;
    using Result = DerivativeResult;
    return {{make(Method::sobel, Result::magnitude)},
            {first(Method::sobel, 0), first(Method::sobel, 1)},
            {make(Method::central, Result::magnitude)},
            {make(Method::scharr, Result::orientation)},
            {second(0, 0), second(0, 1), second(1, 1)},
            {first(Method::central, 0), first(Method::central, 1),
             make(Method::central, Result::magnitude), make(Method::central, Result::orientation)},
            {make(Method::prewitt, Result::orientation), first(Method::prewitt, 0)},
            {make(Method::central, Result::laplacian)},
            {second(0, 0), second(1, 1), make(Method::central, Result::laplacian)},
            {make(Method::prewitt, Result::magnitude), make(Method::prewitt, Result::orientation)}};
}

struct DerivativeCase : ImageCase {
    std::vector<Filter> filters;
    std::string variant;
};

// Computes an entry of the structure tensor in f32 as kernels do: the products are an image of their own.
std::vector<std::byte> expected_structure(const Derivative &filter, const PlanDesc &desc,
                                          const std::vector<std::byte> &source,
                                          std::vector<std::byte> target) {
    const bool isolated = desc.region.edge == RegionEdge::isolated;
    Region all = desc.region;
    if (!isolated) {
        all.source_origin = {0, 0, 0, 0};
        all.extent = desc.source.extent;
    }
    const auto values_of = [&](const Filter &part) {
        std::vector<float> values;
        compute_in_f32({part, desc.source, desc.border, all, source.data()}, [&](const RowPlace &,
                                                                                 const float *row) {
            values.insert(values.end(), row, row + all.extent[0] * desc.source.channels);
        });
        return values;
    };
    std::vector<float> products = values_of(filter.filters.front());
    const std::vector<float> other = values_of(filter.filters.back());
    for (std::size_t i = 0; i < products.size(); ++i)
        products[i] *= other[i];
    ImageDesc image;
    image.type = PixelType::f32;
    image.channels = desc.source.channels;
    image.extent = all.extent;
    image.planes = desc.source.planes;
    image = complete(image, "products");
    Border border = desc.border;
    border.value = 0.0;
    Region region = desc.region;
    if (isolated)
        region.source_origin = {0, 0, 0, 0};
    compute_in_f32({filter.means.front(), image, border, region,
                    reinterpret_cast<const std::byte *>(products.data())},
                   [&](const RowPlace &at, const float *row) { store_row(desc, at, row, target); });
    return target;
}

// Computes a target in f32 as kernels do.
std::vector<std::byte> expected_of(const Filter &filter, const PlanDesc &desc,
                                   const std::vector<std::byte> &source,
                                   std::vector<std::byte> target) {
    const auto rows_of = [&](const Filter &part) {
        std::vector<std::vector<float>> rows;
        const ReferenceJob job{part, desc.source, desc.border, desc.region, source.data()};
        compute_in_f32(job, [&](const RowPlace &, const float *row) {
            rows.emplace_back(row, row + desc.region.extent[0] * desc.source.channels);
        });
        return rows;
    };
    const ReferenceJob job{filter, desc.source, desc.border, desc.region, source.data()};
    const Derivative *const derivative = filter.get_if<Derivative>();
    if (!derivative) {
        compute_in_f32(
            job, [&](const RowPlace &at, const float *row) { store_row(desc, at, row, target); });
        return target;
    }
    std::vector<std::vector<std::vector<float>>> parts;
    for (const Filter &part : derivative->filters)
        parts.push_back(rows_of(part));
    if (derivative->result == DerivativeResult::structure)
        return expected_structure(*derivative, desc, source, std::move(target));
    const auto combined = [&](std::size_t y, std::size_t x) {
        if (derivative->result == DerivativeResult::eigenvalue) {
            const auto entry = [&](std::size_t i) { return parts[i][y][x]; };
            return parts.size() == 3
                       ? formulas::eigenvalue2(entry(0), entry(1), entry(2), derivative->number)
                       : formulas::eigenvalue3(entry(0), entry(1), entry(2), entry(3), entry(4),
                                               entry(5), derivative->number);
        }
        if (derivative->result == DerivativeResult::orientation)
            return formulas::angle(parts[0][y][x], parts[1][y][x]);
        const bool is_sum = derivative->result == DerivativeResult::laplacian;
        float sum = parts[0][y][x];
        if (!is_sum)
            sum *= sum;
        for (std::size_t i = 1; i < parts.size(); ++i) {
            const float part = parts[i][y][x];
            sum = is_sum ? sum + part : gz::fma(part, part, sum);
        }
        return is_sum ? sum : formulas::root(sum);
    };
    std::size_t y = 0;
    std::vector<float> values;
    compute_in_f32({derivative->filters[0], desc.source, desc.border, desc.region, source.data()},
                   [&](const RowPlace &at, const float *) {
                       values.clear();
                       for (std::size_t x = 0; x < parts[0][y].size(); ++x)
                           values.push_back(combined(y, x));
                       store_row(desc, at, values.data(), target);
                       ++y;
                   });
    return target;
}

std::string run(const DerivativeCase &test, Tally &tally) {
    std::minstd_rand random(5);
    PlanDesc desc = make_plan_desc(test);
    const std::vector<std::byte> source = make_source(desc, random);
    const std::vector<std::byte> before = make_target(desc, random);
    desc.more_targets.assign(test.filters.size() - 1, desc.target);
    const Filter all = test.filters.size() > 1 ? Filter::bank(test.filters) : test.filters.front();
    const auto got = run_forced_bank(all, desc, test.variant, source, before);
    if (got.empty()) {
        ++tally.misfits;
        return "";
    }
    ++tally.ran;
    for (std::size_t i = 0; i < got.size(); ++i) {
        const PlanDesc alone = desc.for_target(i);
        const std::string wrong =
            first_difference(expected_of(test.filters[i], alone, source, before), got[i], alone);
        if (!wrong.empty())
            return gz::text("target ", i, ", ", to_text(test.filters[i]), ": ", wrong);
    }
    return "";
}

void run_all(const std::vector<DerivativeCase> &cases) {
    Tally tally;
    for (const DerivativeCase &test : cases) {
        INFO(test.variant, " ", test.name(), " ", test.filters.size(), " filters, the first ",
             gz::to_text(test.filters.front()));
        CHECK(run(test, tally) == "");
    }
    CHECK((tally.ran > 0 || support::is_shared()));
    MESSAGE(tally.ran, " cases on ", engine()->facts().name, ", ", tally.misfits,
            " that do not fit it");
}

std::vector<std::string> kernels() {
    std::vector<std::string> names = support::kernels_under_test<StencilPass>();
    for (const std::string &name : support::kernels_under_test<CombinationPass>())
        names.push_back(name);
    return names;
}

const gz::Kernel &spec_of(const std::string &kernel) {
    const std::vector<gz::Kernel> &all = derivative_kernels();
    return *std::find_if(all.begin(), all.end(),
                         [&](const gz::Kernel &own) { return own.name == kernel; });
}

// Filters by taps along x and y alone, which are a step each before they are combined.
std::vector<std::vector<Filter>> combinations() {
    Gaussian gaussian{{0.6, 0.9, 0.0, 0.0}};
    gaussian.method = GaussianMethod::fir;
    return {{of_gaussian(gaussian, DerivativeResult::laplacian)},
            {of_gaussian(gaussian, DerivativeResult::magnitude)},
            {of_gaussian(gaussian, DerivativeResult::orientation)},
            {eigenvalue(0)},
            {eigenvalue_of(gaussian, 1)},
            {structure(DerivativeMethod::sobel, 0, 1, taps_gaussian({0.8, 0.5, 0.0, 0.0}))},
            {structure(DerivativeMethod::central, 1, 1, taps_gaussian({0.5, 1.1, 0.0, 0.0}))}};
}

std::vector<DerivativeCase> pairwise_cases_of(const std::string &kernel, const Limits &limits) {
    const gz::Kernel &spec = spec_of(kernel);
    const bool is_combination = spec.takes(CombinationPass());
    const auto sets = is_combination ? combinations() : sets_from_one_reading();
    const std::vector<std::pair<int, int>> sizes = pairwise_sizes(limits);
    std::vector<int> counts = image_counts(sizes.size());
    const std::size_t image = counts.size();
    counts.push_back(static_cast<int>(sets.size()));
    append_counts(counts, spec.tunables);
    std::vector<DerivativeCase> cases;
    for (const std::vector<int> &row : pairwise(counts)) {
        DerivativeCase test;
        static_cast<ImageCase &>(test) = image_of(row, sizes);
        test.filters = sets[static_cast<std::size_t>(row[image])];
        test.variant = kernel + ":" + gz::to_text(config_of(spec.tunables, row, image + 1));
        if (is_combination) {
            const auto &derivative = test.filters.front().get<Derivative>();
            for (std::size_t i = 0; i < derivative.filters.size(); ++i)
                test.variant = "; " + test.variant;
            if (!derivative.means.empty())
                test.variant += "; ";
        }
        cases.push_back(test);
    }
    return cases;
}

// Images of several groups, bands and strips, and regions within them.
std::vector<DerivativeCase> cases_of_several_tiles(const std::string &kernel) {
    const auto sets = sets_from_one_reading();
    std::vector<DerivativeCase> cases;
    std::size_t turn = 0;
    for (const PixelType type : {PixelType::u8, PixelType::f32, PixelType::s16, PixelType::f16})
        for (const int channels : {1, 3})
            for (const RegionKind region : {RegionKind::whole, RegionKind::neighbours}) {
                DerivativeCase test;
                test.src_type = type;
                test.dst_type = turn % 3 == 0 ? PixelType::f32 : type;
                test.channels = channels;
                test.width = 600;
                test.height = 70;
                test.region = region;
                test.layout = turn % 2 ? Layout::odd_offset_and_pitch : Layout::padded_aligned;
                test.border = all_border_modes[turn % std::size(all_border_modes)];
                test.filters = sets[turn % sets.size()];
                const gz::Kernel &spec = spec_of(kernel);
                gz::Config config;
                for (const gz::Tunable &tunable : spec.tunables)
                    config[tunable.name] = tunable.values[turn / 2 % tunable.values.size()];
                test.variant = kernel + ":" + gz::to_text(config);
                cases.push_back(test);
                ++turn;
            }
    return cases;
}

// Eigenvalues and entries of structure tensors of images of several groups, and of volumes.
std::vector<DerivativeCase> cases_of_several_steps() {
    using Method = DerivativeMethod;
    const Gaussian volume = taps_gaussian({0.8, 0.6, 0.7, 0.0});
    const Gaussian plane = taps_gaussian({1.5, 1.0, 0.0, 0.0});
    const std::vector<std::vector<Filter>> sets{
        {eigenvalue(0), eigenvalue(1)},
        {eigenvalue(0, 3), eigenvalue(1, 3), eigenvalue(2, 3)},
        {structure(Method::central, 0, 0, plane), structure(Method::central, 0, 1, plane),
         structure(Method::central, 1, 1, plane)},
        {eigenvalue_of(volume, 2)},
        {structure(Method::scharr, 0, 2, volume, 3)},
        {structure(Method::gaussian, 1, 2, plane, 2, volume)},
        {structure(Method::prewitt, 1, 0, taps_gaussian({0.0, 0.0, 0.9, 0.0}))}};
    std::vector<DerivativeCase> cases;
    std::size_t turn = 0;
    for (const std::vector<Filter> &set : sets)
        for (const RegionKind region : all_regions) {
            DerivativeCase test;
            constexpr PixelType types[] = {PixelType::f32, PixelType::u8, PixelType::s16,
                                           PixelType::f16, PixelType::u16};
            test.src_type = types[turn % 5];
            test.dst_type = turn % 2 ? PixelType::f32 : test.src_type;
            test.channels = turn % 4 == 0 ? 3 : 1;
            const bool is_large = turn % 2 == 0 && set.size() > 1;
            test.width = is_large ? 290 : 19;
            test.height = is_large ? 70 : 11;
            test.slices = &set == &sets[0] || &set == &sets[2] ? 1 : is_large ? 2 : 5;
            test.region = region;
            test.border = all_border_modes[(turn * 2 + turn / 5) % std::size(all_border_modes)];
            test.layout = turn % 2 ? Layout::odd_offset_and_pitch : Layout::padded_aligned;
            test.filters = set;
            cases.push_back(test);
            ++turn;
        }
    return cases;
}

struct WholeCase : ImageCase {
    std::vector<Filter> filters;
};

// Filters of other kernels than these, and of volumes.
std::vector<Filter> whole_filters() {
    using Method = DerivativeMethod;
    using Result = DerivativeResult;
    Gaussian plane{{1.2, 0.8, 0.0, 0.0}};
    Gaussian volume{{0.9, 0.7, 0.8, 0.0}};
    Gaussian recursive{{2.5, 3.0, 0.0, 0.0}};
    recursive.method = GaussianMethod::recursive;
    return {make(Method::central, Result::laplacian),
            make(Method::central, Result::laplacian, 3),
            make(Method::central, Result::laplacian, 1),
            make(Method::sobel, Result::magnitude, 3),
            make(Method::central, Result::magnitude, 3),
            make(Method::central, Result::magnitude, 1),
            first(Method::scharr, 2, 3),
            first(Method::prewitt, 1, 3),
            make(Method::central, Result::second, 3, 0, 2),
            of_gaussian(plane, Result::laplacian),
            of_gaussian(plane, Result::magnitude),
            of_gaussian(plane, Result::orientation),
            of_gaussian(volume, Result::laplacian),
            of_gaussian(volume, Result::magnitude),
            of_gaussian(recursive, Result::laplacian),
            of_gaussian(recursive, Result::magnitude),
            eigenvalue(0),
            eigenvalue(1),
            eigenvalue(0, 3),
            eigenvalue(1, 3),
            eigenvalue(2, 3),
            eigenvalue_of(plane, 1),
            eigenvalue_of(volume, 0),
            eigenvalue_of(recursive, 0),
            structure(Method::central, 0, 1, plane),
            structure(Method::sobel, 0, 0, recursive),
            structure(Method::scharr, 0, 2, volume, 3),
            structure(Method::gaussian, 1, 1, volume, 2, recursive)};
}

std::vector<std::pair<ImageCase, Filter>> whole_cases() {
    const std::vector<std::pair<int, int>> sizes{{1, 1}, {37, 1}, {2, 9}, {23, 17}};
    const std::vector<Filter> filters = whole_filters();
    std::vector<int> counts = image_counts(sizes.size());
    const std::size_t image = counts.size();
    counts.push_back(static_cast<int>(filters.size()));
    std::vector<std::pair<ImageCase, Filter>> cases;
    for (const std::vector<int> &row : pairwise(counts)) {
        ImageCase test = image_of(row, sizes);
        if (test.slices > 1)
            test.slices = 5;
        cases.emplace_back(test, filters[static_cast<std::size_t>(row[image])]);
    }
    return cases;
}

std::size_t launches_of(const std::vector<Filter> &filters, const PlanDesc &desc) {
    return Plan(engine(), Filter::bank(filters), desc, "").pipeline().launches();
}

} // namespace

TEST_SUITE("kernels") {
    TEST_CASE("derivative kernels: pairwise") {
        for (const std::string &kernel : kernels())
            run_all(sample_of(pairwise_cases_of(kernel, {})));
    }
    TEST_CASE("derivative kernels: several tiles") {
        for (const std::string &kernel : support::kernels_under_test<StencilPass>())
            run_all(cases_of_several_tiles(kernel));
    }
}

TEST_SUITE("simulated" * doctest::skip()) {
    TEST_CASE("derivative kernels: small") {
        for (const std::string &kernel : kernels())
            run_all(sample_of(pairwise_cases_of(kernel, {40, 40})));
    }
}

TEST_SUITE("derivative") {
    TEST_CASE("derivative: whole filters, of images and volumes, are within their bounds") {
        Tally tally;
        for (const auto &[test, filter] : sample_of(whole_cases())) {
            INFO(test.name(), " ", to_text(filter));
            std::minstd_rand random(11);
            const PlanDesc desc = make_plan_desc(test);
            const std::vector<std::byte> source = make_source(desc, random);
            CHECK(run_and_compare(filter, desc, "", source, random, tally,
                                  [&](const ReferenceJob &job) -> BoundOf {
                                      const double bound =
                                          job.filter.error_bound(largest_magnitude(job));
                                      return [=](double exact) {
                                          return bound + storing_error(desc.target.type,
                                                                       std::abs(exact) + bound);
                                      };
                                  }) == "");
        }
        CHECK((tally.ran > 0 || support::is_shared()));
        MESSAGE(tally.ran, " cases, worst ", tally.worst, " of the bound");
    }

    // scipy 1.8: sobel(a, axis=1, mode=...), with 'nearest', 'reflect', 'mirror', 'wrap' for clamp, reflect,
    // reflect101, wrap; and so on.
    TEST_CASE("derivative: as scipy.ndimage has them") {
        using Row = std::vector<float>;
        const Row a{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4};
        const Axes extent{5, 4, 1, 1};
        const auto by = [&](const Filter &filter, BorderMode mode, double value = 0.0) {
            return filtered(filter, a, extent, {mode, value});
        };
        const Filter sobel_x = first(DerivativeMethod::sobel, 0);
        CHECK(by(sobel_x, BorderMode::clamp) ==
              Row{-13, 0, 3, 0, 10, -13, -1, 5, -5, 2, -2, 5, 7, -2, -2, 0, 4, 17, 3, -10});
        CHECK(by(sobel_x, BorderMode::reflect101) ==
              Row{0, -4, 6, -4, 0, 0, -1, 5, -5, 0, 0, 5, 7, -2, 0, 0, 8, 10, 2, 0});
        CHECK(by(sobel_x, BorderMode::wrap) ==
              Row{-11, -1, 9, 0, 3, -7, -1, 5, -5, 8, -5, 5, 7, -2, -5, -9, 5, 11, 3, -10});
        // sobel(numpy.pad(a, 1, constant_values=2), axis=0) without the padding: SciPy alone applies the constant
        // to the result of the first axis again.
        CHECK(
            by(first(DerivativeMethod::sobel, 1), BorderMode::constant, 2.0) ==
            Row{14, 11, 11, 11, 5, 11, 21, 23, 21, 14, -12, -9, -3, 4, 5, -12, -22, -25, -24, -19});
        CHECK(by(first(DerivativeMethod::prewitt, 1), BorderMode::clamp) ==
              Row{13, 9, 7, 4, 0, 11, 14, 18, 15, 14, -12, -9, 0, 1, 5, -10, -14, -11, -10, -9});
        const Filter laplace = make(DerivativeMethod::central, DerivativeResult::laplacian);
        CHECK(by(laplace, BorderMode::clamp) ==
              Row{4, 6, -4, 11, -6, -17, 16, -4, -3, 10, 5, -14, -12, 3, -13, 1, 8, 10, -10, 9});
        CHECK(by(laplace, BorderMode::reflect101) ==
              Row{8, 7, -2, 15, -12, -24, 16, -4, -3, 12, 8, -14, -12, 3, -15, 2, 14, 16, -11, 18});
        CHECK(by(laplace, BorderMode::wrap) ==
              Row{6, 7, -5, 18, -9, -23, 16, -4, -3, 16, 9, -14, -12, 3, -17, 2, 7, 11, -17, 9});

        const auto near = [](const Row &got, const std::vector<double> &expected) {
            REQUIRE(got.size() == expected.size());
            for (std::size_t i = 0; i < got.size(); ++i)
                CHECK(std::abs(static_cast<double>(got[i]) - expected[i]) < 4e-6);
        };
        Gaussian one{{1.0, 1.0, 0.0, 0.0}};
        one.method = GaussianMethod::fir;
        // gaussian_laplace(a, 1.0, mode='nearest'), gaussian_gradient_magnitude(a, 1.0, mode='nearest')
        near(by(of_gaussian(one, DerivativeResult::laplacian), BorderMode::clamp),
             {0.508504419,  1.635584979,  0.902200747,  1.376889418,  0.665093545,
              -1.818125513, -0.220001937, -0.78156425,  -0.191333217, 0.382301866,
              -1.114658288, -1.285042943, -2.154999125, -2.133733837, -1.621908624,
              0.962328187,  1.165264631,  0.014165799,  -1.494665119, -0.39188248});
        near(by(of_gaussian(one, DerivativeResult::magnitude), BorderMode::clamp),
             {1.639742157, 1.256337889, 1.171395589, 1.025342898, 0.753639293,
              1.080656576, 1.26982108,  1.525255064, 1.537155284, 1.219870914,
              1.030119271, 0.623997995, 0.583860953, 0.467332646, 0.456683821,
              1.234527636, 1.45507386,  1.554066693, 0.675578382, 0.878968632});
        // hypot(*numpy.gradient(numpy.pad(a, 1, 'edge'))) without the padding
        near(by(make(DerivativeMethod::central, DerivativeResult::magnitude), BorderMode::clamp),
             {3.16227766,  0.707106781, 1.0,         2.061552813, 2.236067977,
              3.640054945, 3.807886553, 2.915475947, 3.354101966, 2.236067977,
              3.354101966, 2.0,         1.58113883,  1.5,         1.118033989,
              1.118033989, 3.0,         4.242640687, 0.707106781, 3.201562119});
    }

    TEST_CASE("derivative: eigenvalues and structure tensors have the bits of the reference") {
        run_all(sample_of(cases_of_several_steps()));
    }

    TEST_CASE("derivative: eigenvalues of quadratic forms, by hand") {
        // Half of p^T H p has the Hessian H everywhere but at the border.
        const auto middle = [](const std::vector<double> &h, int dimensions, int number) {
            std::vector<float> pixels;
            const bool is_volume = dimensions == 3;
            const double zz = is_volume ? h[5] : 0.0;
            for (int z = is_volume ? -2 : 0; z <= (is_volume ? 2 : 0); ++z)
                for (int y = -2; y <= 2; ++y)
                    for (int x = -2; x <= 2; ++x)
                        pixels.push_back(static_cast<float>(
                            is_volume ? 0.5 * (h[0] * x * x + h[3] * y * y + zz * z * z) +
                                            h[1] * x * y + h[2] * x * z + h[4] * y * z
                                      : 0.5 * (h[0] * x * x + h[2] * y * y) + h[1] * x * y));
            const Axes extent{5, 5, is_volume ? 5 : 1, 1};
            return static_cast<double>(
                filtered(eigenvalue(number, dimensions), pixels, extent)[pixels.size() / 2]);
        };
        CHECK(middle({2, 2, 5}, 2, 0) == doctest::Approx(6).epsilon(1e-6));
        CHECK(middle({2, 2, 5}, 2, 1) == doctest::Approx(1).epsilon(1e-6));
        CHECK(middle({-3, 0, -3}, 2, 0) == -3);
        CHECK(middle({1, 0, -7}, 2, 1) == -7);
        // 3 - 0, 6 and 6; diagonal; 2 + 2 cos(pi / 4), 2, 2 - 2 cos(pi / 4).
        const std::vector<double> one{4, -2, -2, 4, -2, 4};
        for (const int number : {0, 1})
            CHECK(middle(one, 3, number) == doctest::Approx(6).epsilon(1e-6));
        CHECK(std::abs(middle(one, 3, 2)) < 3e-6);
        const std::vector<double> two{-1, 0, 0, 5, 0, 2};
        CHECK(middle(two, 3, 0) == 5);
        CHECK(middle(two, 3, 1) == 2);
        CHECK(middle(two, 3, 2) == -1);
        const std::vector<double> three{2, 1, 0, 2, 1, 2};
        CHECK(middle(three, 3, 0) == doctest::Approx(2 + std::sqrt(2.0)).epsilon(1e-6));
        CHECK(middle(three, 3, 1) == doctest::Approx(2).epsilon(1e-6));
        CHECK(middle(three, 3, 2) == doctest::Approx(2 - std::sqrt(2.0)).epsilon(1e-6));
    }

    TEST_CASE("derivative: the structure tensor, written out") {
        constexpr int w = 7, h = 6;
        std::vector<float> a;
        for (int i = 0; i < w * h; ++i)
            a.push_back(static_cast<float>(i * i * 7 % 23));
        const double weights[] = {0.10650697891920068, 0.7869860421615985, 0.10650697891920068};
        const Gaussian smoothing{{0.5, 0.5, 0.0, 0.0}, {}, 2.0};
        for (const bool is_constant : {false, true}) {
            const auto pixel = [&](int x, int y) {
                if (is_constant && (x < 0 || x >= w || y < 0 || y >= h))
                    return 3.0;
                return static_cast<double>(a[static_cast<std::size_t>(std::clamp(y, 0, h - 1) * w +
                                                                      std::clamp(x, 0, w - 1))]);
            };
            const auto slope = [&](int x, int y, int axis) {
                return axis == 0 ? 0.5 * (pixel(x + 1, y) - pixel(x - 1, y))
                                 : 0.5 * (pixel(x, y + 1) - pixel(x, y - 1));
            };
            for (const auto &[i, j] : {std::pair(0, 0), {0, 1}, {1, 1}}) {
                const std::vector<float> got =
                    filtered(structure(DerivativeMethod::central, i, j, smoothing), a, {w, h, 1, 1},
                             {is_constant ? BorderMode::constant : BorderMode::clamp,
                              is_constant ? 3.0 : 0.0});
                for (int y = 0; y < h; ++y)
                    for (int x = 0; x < w; ++x) {
                        double sum = 0.0;
                        for (int v = -1; v <= 1; ++v)
                            for (int u = -1; u <= 1; ++u) {
                                const int px = std::clamp(x + u, 0, w - 1);
                                const int py = std::clamp(y + v, 0, h - 1);
                                if (is_constant && (px != x + u || py != y + v))
                                    continue;
                                sum += weights[u + 1] * weights[v + 1] * slope(px, py, i) *
                                       slope(px, py, j);
                            }
                        CHECK(
                            std::abs(static_cast<double>(got[static_cast<std::size_t>(y * w + x)]) -
                                     sum) < 3e-5);
                    }
            }
        }
    }

    TEST_CASE("derivative: eigenvalues in f32 are within their bound") {
        std::minstd_rand random(17);
        const auto draw = [&] { return static_cast<double>(random() % 2000001) / 1e6 - 1.0; };
        double worst = 0.0;
        double worst_of_two = 0.0;
        for (int i = 0; i < 60000; ++i) {
            // Eigenvalues that are random, nearly equal, equal, some 0, or of any size.
            std::array<double, 3> values{draw(), draw(), draw()};
            const double near = std::pow(10.0, -static_cast<double>(random() % 9));
            if (i % 5 == 1)
                values = {1.0, 1.0 + near * draw(), 1.0 + near * draw()};
            if (i % 5 == 2)
                values[static_cast<std::size_t>(i / 5 % 3)] =
                    values[0] * static_cast<double>(i % 2);
            if (i % 5 == 3)
                for (double &value : values)
                    value *= std::pow(10.0, 10.0 * draw());
            if (i % 5 == 4)
                values = {values[0], 0.0, near * values[1]};
            const double scale =
                i % 7 == 0 ? std::ldexp(1.0, static_cast<int>(random() % 200) - 100) : 1.0;
            for (double &value : values)
                value *= scale;
            // A rotation by a quaternion.
            double q[4] = {draw(), draw(), draw(), draw()};
            double length = 0.0;
            for (const double part : q)
                length += part * part;
            for (double &part : q)
                part /= std::sqrt(length);
            const double r[3][3] = {
                {1 - 2 * (q[2] * q[2] + q[3] * q[3]), 2 * (q[1] * q[2] - q[0] * q[3]),
                 2 * (q[1] * q[3] + q[0] * q[2])},
                {2 * (q[1] * q[2] + q[0] * q[3]), 1 - 2 * (q[1] * q[1] + q[3] * q[3]),
                 2 * (q[2] * q[3] - q[0] * q[1])},
                {2 * (q[1] * q[3] - q[0] * q[2]), 2 * (q[2] * q[3] + q[0] * q[1]),
                 1 - 2 * (q[1] * q[1] + q[2] * q[2])}};
            float m[3][3];
            double norm = 0.0;
            for (int a = 0; a < 3; ++a)
                for (int b = 0; b < 3; ++b) {
                    double sum = 0.0;
                    for (std::size_t k = 0; k < 3; ++k)
                        sum += r[a][k] * values[k] * r[b][k];
                    m[a][b] = static_cast<float>(sum);
                }
            for (const double value : values)
                norm += value * value;
            norm = std::sqrt(norm);
            std::sort(values.rbegin(), values.rend());
            for (int k = 0; k < 3; ++k) {
                const double got = static_cast<double>(
                    formulas::eigenvalue3(m[0][0], m[0][1], m[0][2], m[1][1], m[1][2], m[2][2], k));
                worst = std::max(worst, std::abs(got - values[static_cast<std::size_t>(k)]) / norm);
            }
            // The same of two axes.
            const double c = std::cos(3 * q[0]);
            const double s = std::sin(3 * q[0]);
            const double two[] = {std::max(values[0], values[2]), std::min(values[0], values[2])};
            const double norm_of_two = std::hypot(two[0], two[1]);
            if (i % 7 != 0 && norm_of_two > 1e-18)
                for (int k = 0; k < 2; ++k) {
                    const double got = static_cast<double>(formulas::eigenvalue2(
                        static_cast<float>(c * c * two[0] + s * s * two[1]),
                        static_cast<float>(c * s * (two[0] - two[1])),
                        static_cast<float>(s * s * two[0] + c * c * two[1]), k));
                    worst_of_two = std::max(worst_of_two, std::abs(got - two[k]) / norm_of_two);
                }
        }
        MESSAGE("eigenvalues are up to ", worst * 0x1p24, " and, of two axes, ",
                worst_of_two * 0x1p24, " x 2^-24 of the matrix off, with its own rounding");
        CHECK(worst <= eigenvalue_error);
        CHECK(worst_of_two <= eigenvalue_error / 2);
        constexpr float infinity = std::numeric_limits<float>::infinity();
        constexpr float nan = std::numeric_limits<float>::quiet_NaN();
        for (int k = 0; k < 3; ++k) {
            CHECK(formulas::eigenvalue3(0, 0, 0, 0, 0, 0, k) == 0.0F);
            CHECK(std::isnan(formulas::eigenvalue3(nan, 0, 0, 1, 0, 2, k)));
            CHECK(std::isnan(formulas::eigenvalue3(1, 0, 0, 1, nan, 2, k)));
            CHECK(std::isnan(formulas::eigenvalue3(1, infinity, 0, 1, 0, 2, k)));
        }
        CHECK(formulas::eigenvalue3(FLT_MAX, 0, 0, 1, 0, -FLT_MAX, 0) == FLT_MAX);
        CHECK(formulas::eigenvalue3(FLT_MAX, 0, 0, 1, 0, -FLT_MAX, 2) == -FLT_MAX);
        CHECK(formulas::eigenvalue3(FLT_MIN, 0, 0, 0, 0, -FLT_MIN, 2) == -FLT_MIN);
    }

    TEST_CASE("derivative: of a volume as scipy.ndimage has them") {
        using Row = std::vector<float>;
        Row v;
        for (int i = 0; i < 27; ++i)
            v.push_back(static_cast<float>(i * i % 13));
        const Axes extent{3, 3, 3, 1};
        // sobel(v, axis=0, mode='nearest'), laplace(v, mode='nearest')
        CHECK(filtered(first(DerivativeMethod::sobel, 2, 3), v, extent) ==
              Row{24,  32,  -12,  -56,  -48, -92, -84, -76, -120, 144, 108, 72,  36, 0,
                  -36, -72, -108, -144, 120, 76,  84,  92,  48,   56,  12,  -32, -24});
        CHECK(filtered(make(DerivativeMethod::central, DerivativeResult::laplacian, 3), v,
                       extent) == Row{13,  12,  5,  -22, 17, -28, -7, -6,  -11,
                                      10,  -27, 8,  23,  26, 23,  8,  -27, 10,
                                      -11, -6,  -7, -28, 17, -22, 5,  12,  13});
    }

    TEST_CASE("derivative: a ramp has the slope and the direction that it is made with") {
        std::vector<float> ramp;
        for (int y = 0; y < 9; ++y)
            for (int x = 0; x < 9; ++x)
                ramp.push_back(static_cast<float>(3 * x - 4 * y));
        const Axes extent{9, 9, 1, 1};
        const auto middle = [&](const Filter &filter) {
            return filtered(filter, ramp, extent)[40];
        };
        using Method = DerivativeMethod;
        CHECK(middle(first(Method::central, 0)) == 3.0F);
        CHECK(middle(first(Method::central, 1)) == -4.0F);
        CHECK(middle(first(Method::sobel, 0)) == 24.0F);
        CHECK(middle(first(Method::prewitt, 1)) == -24.0F);
        CHECK(middle(first(Method::scharr, 0)) == 6.0F);
        CHECK(middle(make(Method::central, DerivativeResult::magnitude)) == 5.0F);
        CHECK(middle(make(Method::central, DerivativeResult::laplacian)) == 0.0F);
        CHECK(std::abs(static_cast<double>(
                           middle(make(Method::central, DerivativeResult::orientation))) -
                       std::atan2(-4.0, 3.0)) < 3e-7);
        CHECK(middle(second(0, 1)) == 0.0F);
    }

    TEST_CASE("derivative: a bank reads the image once where its filters allow it") {
        PlanDesc desc;
        desc.source = desc.target = make_image(PixelType::f32, {64, 48, 1, 1});
        const auto launches = [&](const std::vector<Filter> &filters) {
            PlanDesc own = desc;
            own.more_targets.assign(filters.size() - 1, desc.target);
            return launches_of(filters, complete(own));
        };
        using Method = DerivativeMethod;
        for (const std::vector<Filter> &filters : sets_from_one_reading())
            CHECK(launches(filters) == 1);
        // A fourth derivative is one too many, and a blur between two is none.
        CHECK(launches({first(Method::sobel, 0), first(Method::sobel, 1), first(Method::prewitt, 0),
                        first(Method::prewitt, 1)}) == 2);
        CHECK(launches({first(Method::sobel, 0), Filter::box({{2, 2, 0, 0}, 1}),
                        first(Method::sobel, 1)}) == 3);
        // The magnitude is of another pair than the derivatives before it.
        CHECK(launches({first(Method::sobel, 1), first(Method::sobel, 0),
                        make(Method::sobel, DerivativeResult::magnitude)}) == 2);
        PlanDesc two = desc;
        two.more_targets = {make_image(PixelType::u8, {64, 48, 1, 1})};
        CHECK(launches_of({first(Method::sobel, 0), first(Method::sobel, 1)}, complete(two)) == 2);
    }

    TEST_CASE("derivative: roots and angles are within their bounds") {
        // A third of the numbers of two binades: the others differ by a power of four.
        std::uint32_t all = 0;
        std::uint32_t wrong = 0;
        double worst_root = 0.0; // in units of the last place
        for (std::uint32_t bits = std::bit_cast<std::uint32_t>(1.0F);
             bits < std::bit_cast<std::uint32_t>(4.0F); bits += 3) {
            const float s = std::bit_cast<float>(bits);
            const float root = formulas::root(s);
            wrong += root == std::sqrt(s) ? 0U : 1U;
            worst_root = std::max(
                worst_root,
                std::abs(static_cast<double>(root) - std::sqrt(static_cast<double>(s))) * 0x1p23);
            ++all;
        }
        MESSAGE(wrong, " of ", all, " roots are not the nearest, up to ", worst_root,
                " units in the last place off");
        CHECK(wrong < all / 1000);
        CHECK(worst_root < 0.501);
        constexpr float infinity = std::numeric_limits<float>::infinity();
        CHECK(formulas::root(0.0F) == 0.0F);
        CHECK(formulas::root(infinity) == infinity);
        CHECK(std::isnan(formulas::root(std::numeric_limits<float>::quiet_NaN())));
        for (const float s : {FLT_MIN, 3.0F * FLT_MIN, FLT_MAX, 1e-30F, 7e33F})
            CHECK(std::abs(formulas::root(s) / std::sqrt(s) - 1.0F) <= 0x1p-22F);
        for (const float s : {FLT_TRUE_MIN, FLT_MIN / 3.0F})
            CHECK(std::abs(formulas::root(s) - std::sqrt(s)) <= 0x1p-63F);

        double worst = 0.0;
        const auto check = [&](float x, float y) {
            const double exact = std::atan2(static_cast<double>(y), static_cast<double>(x));
            worst = std::max(worst, std::abs(exact - static_cast<double>(formulas::angle(x, y))));
        };
        std::minstd_rand random(3);
        for (int i = 0; i < 400000; ++i) {
            const auto draw = [&] {
                const auto number = static_cast<float>(random() % 2000001) / 1000000.0F - 1.0F;
                return number * std::ldexp(1.0F, static_cast<int>(random() % 9) - 4);
            };
            const float x = draw();
            const float y = draw();
            check(x, y);
        }
        for (const float x : {0.0F, 1.0F, -1.0F, FLT_MAX, -FLT_MAX, FLT_MIN, FLT_TRUE_MIN, 1e-20F})
            for (const float y :
                 {0.0F, 1.0F, -1.0F, FLT_MAX, -FLT_MAX, -FLT_MIN, FLT_TRUE_MIN, 1e30F})
                check(x, y);
        MESSAGE("angles are up to ", worst, " off");
        CHECK(worst <= orientation_error);
        CHECK(std::isnan(formulas::angle(infinity, 1.0F)));
        CHECK(std::isnan(formulas::angle(1.0F, std::numeric_limits<float>::quiet_NaN())));
    }

    TEST_CASE("derivative: bad input is named") {
        using Method = DerivativeMethod;
        using Result = DerivativeResult;
        constexpr Status invalid = Status::invalid_argument;
        check_refused(invalid, {"dimensions is 5"}, [] { first(Method::sobel, 0, 5); });
        check_refused(invalid, {"dimensions is -1"}, [] { first(Method::sobel, 0, -1); });
        check_refused(invalid, {"the axis is z", "2 dimensions"},
                      [] { first(Method::sobel, 2, 2); });
        check_refused(invalid, {"the axis is 4"}, [] { first(Method::sobel, 4, 4); });
        check_refused(invalid, {"the axis is -1"}, [] { second(0, -1); });
        check_refused(invalid, {"sobel", "first derivatives"},
                      [] { make(Method::sobel, Result::laplacian); });
        check_refused(invalid, {"orientation", "2 dimensions"},
                      [] { make(Method::sobel, Result::orientation, 3); });
        const auto of = [](double sigma, Result result) {
            return of_gaussian({{sigma, sigma, 0.0, 0.0}}, result);
        };
        check_refused(invalid, {"sigma is nan"},
                      [&] { of(std::numeric_limits<double>::quiet_NaN(), Result::laplacian); });
        check_refused(invalid, {"sigma"}, [&] { of(-1.0, Result::magnitude); });
        check_refused(invalid, {"no axis has a sigma"}, [&] { of(0.0, Result::magnitude); });
        check_refused(invalid, {"no axis has a sigma"}, [&] { of(0.0, Result::laplacian); });
        check_refused(invalid, {"the axis is z, which has no sigma"}, [] {
            DerivativeRequest request;
            request.method = Method::gaussian;
            request.gaussian.sigma = {1.0, 1.0, 0.0, 0.0};
            request.axes = {2, 0};
            Filter::derivative(request);
        });
        check_refused(invalid, {"derivative of order 1 along y"}, [] {
            of_gaussian({{1.0, 1.0, 0.0, 0.0}, {0, 1, 0, 0}}, Result::magnitude);
        });
        Gaussian boxes{{2.0, 2.0, 0.0, 0.0}};
        boxes.method = GaussianMethod::box;
        check_refused(invalid, {"boxes have none"}, [&] { of_gaussian(boxes, Result::laplacian); });
        Gaussian recursive{{2.0, 2.0, 0.0, 0.0}};
        recursive.method = GaussianMethod::recursive;
        check_refused(invalid, {"sobel", "first derivatives"},
                      [] { make(Method::sobel, Result::eigenvalue); });
        check_refused(invalid, {"2 or 3 dimensions", "of 1"}, [] { eigenvalue(0, 1); });
        check_refused(invalid, {"2 or 3 dimensions", "of 4"}, [] { eigenvalue(0, 4); });
        check_refused(invalid, {"number 2", "from 0", "to 1"}, [] { eigenvalue(2); });
        check_refused(invalid, {"number -1"}, [] { eigenvalue(-1, 3); });
        const Gaussian smooth = taps_gaussian({1.0, 1.0, 0.0, 0.0});
        check_refused(invalid, {"needs a Gaussian"},
                      [] { make(Method::sobel, Result::structure); });
        check_refused(invalid, {"the axis is z"}, [&] { structure(Method::sobel, 0, 2, smooth); });
        check_refused(invalid, {"no axis has a sigma"},
                      [&] { structure(Method::sobel, 0, 1, {}); });
        check_refused(invalid, {"smoothing has a derivative of order 1 along x"}, [&] {
            structure(Method::sobel, 0, 1, {{1.0, 0, 0, 0}, {1, 0, 0, 0}});
        });
        check_refused(invalid, {"orientation", "automatic or fir"},
                      [&] { of_gaussian(recursive, Result::orientation); });
    }
}
