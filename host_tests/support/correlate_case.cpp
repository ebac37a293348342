#include "support/correlate_case.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "families/reference.hpp"
#include "plan/plan.hpp"
#include "plan/verify.hpp"
#include "support/pairwise.hpp"

namespace support {

namespace {

using namespace gz;

// Kernels that are made for separable taps, or for few, get the nearest that they take.
void make_possible(CorrelateCase &test) {
    TapsCase &taps = test.taps;
    const int size = std::max(taps.width, taps.height);
    if (test.kernel.find("separable") == 0)
        taps.separable = true;
    if (test.kernel == "separable_columns") {
        if (size > 11)
            taps = {taps.width % 11 + 1,
                    taps.height % 11 + 1,
                    taps.width % 11 / 2,
                    taps.height % 11,
                    true,
                    true};
        if (!gz::facts_of(test.src_type).is_integer)
            test.src_type = gz::PixelType::u8;
    }
    if (test.kernel == "correlate_stream") {
        taps.separable = false;
        const auto possible = [](int count) {
            return std::max(count > 15 ? count % 14 + 2 : count, 2);
        };
        taps.width = possible(taps.width);
        taps.height = possible(taps.height);
        taps.anchor_x = std::min(taps.anchor_x, taps.width - 1);
        taps.anchor_y = std::min(taps.anchor_y, taps.height - 1);
    }
    if (test.kernel == "correlate_planar") {
        if (size > 31)
            taps = {17, 31, 4, 30, false, taps.convolve};
        taps.separable = false;
        taps.width = std::max(taps.width, 2); // lines of taps are separable
        taps.height = std::max(taps.height, 2);
        test.channels = std::max(test.channels, 2);
    }
    if (test.kernel != "separable_passes" && test.kernel != "correlate_plain" && size > max_taps)
        taps = {63, 2, 0, 1, true, false};
}

std::vector<TapsCase> pairwise_taps(const Limits &limits) {
    std::vector<TapsCase> fitting, picked;
    for (const TapsCase &taps : all_taps())
        if (std::max(taps.width, taps.height) <= limits.taps)
            fitting.push_back(taps);
    const auto kinds = std::min(fitting.size(), static_cast<std::size_t>(limits.kinds));
    for (std::size_t i = 0; i < kinds; ++i)
        picked.push_back(fitting[i * fitting.size() / kinds]);
    return picked;
}

} // namespace

gz::Kernel correlate_spec(const std::string &kernel) {
    CorrelatePass any;
    any.sets.resize(1);
    return *find_kernel(any, kernel);
}

std::string CorrelateCase::name() const {
    return text(kernel, ":", to_text(config), " ", ImageCase::name(), " ",
                taps.convolve ? "convolve " : "correlate ", taps.width, "x", taps.height, "@",
                taps.anchor_x, ",", taps.anchor_y, taps.separable ? " separable" : " dense");
}

Filter make_filter(const TapsCase &test, unsigned seed) {
    std::minstd_rand random(seed);
    const auto draw = [&] { return static_cast<double>(random() % 20001) / 10000.0 - 1.0; };
    Taps taps;
    taps.size = {test.width, test.height, 1, 1};
    taps.anchor = {test.anchor_x, test.anchor_y, 0, 0};
    std::vector<double> x, y;
    for (int i = 0; i < test.width; ++i)
        x.push_back(draw());
    for (int j = 0; j < test.height; ++j)
        y.push_back(draw());
    if (std::max(test.width, test.height) > max_taps) {
        AxisTaps along{{x, y, {}, {}}, taps.anchor};
        for (std::size_t axis = 0; axis < 2; ++axis) {
            double sum = 0.0;
            for (const double k : along.values[axis])
                sum += std::abs(k);
            for (double &k : along.values[axis])
                k *= 1.2 / sum;
        }
        return Filter::separable(along);
    }
    for (int j = 0; j < test.height; ++j)
        for (int i = 0; i < test.width; ++i)
            taps.values.push_back(test.separable ? x[static_cast<std::size_t>(i)] *
                                                       y[static_cast<std::size_t>(j)]
                                                 : draw());
    // Results of the size of the input keep integers from saturating all over.
    const double sum = taps.sum_of_magnitudes();
    for (double &k : taps.values)
        k *= 1.5 / sum;
    return test.convolve ? Filter::convolve(taps) : Filter::correlate(taps);
}

std::string compare_with_double(const ReferenceJob &job, const PlanDesc &desc,
                                const std::vector<std::byte> &got, Tally &tally,
                                const std::function<double(double)> &bound_of,
                                Reference reference) {
    std::string wrong;
    reference(job, [&](const RowPlace &at, const double *row) {
        const Axes &origin = desc.region.target_origin;
        const std::byte *out =
            got.data() + desc.target.byte_of({origin[0], origin[1] + at.y, at.z, at.t}, at.plane);
        for (std::int64_t i = 0; i < desc.region.extent[0] * desc.source.channels; ++i) {
            const double value = load_pixel(
                desc.target.type, out + i * static_cast<std::int64_t>(size_of(desc.target.type)));
            const double bound = bound_of(row[i]);
            const double exact =
                desc.truncates() && bound == 0.0 ? gz::away_from_zero(row[i]) : row[i];
            const double error = desc.truncates()
                                     ? distance_from_truncated(exact, value, desc.target.type)
                                     : distance(exact, value, desc.target.type);
            tally.worst = std::max(tally.worst, error == 0.0 ? 0.0 : error / bound);
            if (!(error <= bound) && wrong.empty())
                wrong = text("at value ", i, " of row ", at.y, " slice ", at.z, " plane ", at.plane,
                             ": expected ", row[i], ", got ", value, ", bound ", bound);
        }
    });
    return wrong;
}

std::string run_and_compare(const Filter &filter, const PlanDesc &desc, const std::string &variant,
                            const std::vector<std::byte> &source, std::minstd_rand &random,
                            Tally &tally,
                            const std::function<BoundOf(const ReferenceJob &)> &bound_for,
                            Reference reference) {
    const std::vector<std::byte> before = make_target(desc, random);
    const std::vector<std::byte> got = run_forced(filter, desc, variant, source, before);
    if (got.empty()) {
        ++tally.misfits;
        return "";
    }
    if (const std::string where = written_outside(before, got, desc); !where.empty())
        return where;
    const ReferenceJob job{filter, desc.source, desc.border, desc.region, source.data()};
    ++tally.ran;
    return compare_with_double(job, desc, got, tally, bound_for(job), reference);
}

std::string run(const CorrelateCase &test, Tally &tally) {
    std::minstd_rand random(7);
    const Filter filter = make_filter(test.taps, 3);
    if (filter.get<gz::Correlate>().factors().has_value() !=
        (test.taps.separable || test.taps.width == 1 || test.taps.height == 1))
        return "taps are not recognised for what they are";
    const PlanDesc desc = make_plan_desc(test);
    const std::vector<std::byte> source = make_source(desc, random);
    const std::vector<std::byte> before = make_target(desc, random);
    const std::vector<std::byte> got =
        run_forced(filter, desc, test.kernel + ":" + gz::to_text(test.config), source, before);
    if (got.empty()) {
        ++tally.misfits;
        return "";
    }

    std::vector<std::byte> expected = before;
    const ReferenceJob job{filter, desc.source, desc.border, desc.region, source.data()};
    compute_in_f32(
        job, [&](const RowPlace &at, const float *row) { store_row(desc, at, row, expected); });
    if (const std::string where = first_difference(expected, got, desc); !where.empty())
        return where;

    const Plan plan(engine(), filter, desc, "correlate_plain");
    const Verification check =
        verify(plan, {{source.data(), source.size()}}, {{got.data(), got.size()}});
    ++tally.ran;
    tally.worst =
        std::max(tally.worst, check.worst_error == 0.0 ? 0.0 : check.worst_error / check.bound);
    if (check.worst_error > check.bound)
        return text("error ", check.worst_error, " over the bound ", check.bound);
    return "";
}

const std::vector<TapsCase> &all_taps() {
    static const std::vector<TapsCase> cases{
        {3, 3, 1, 1, true, false},      {3, 3, 1, 1, false, false},
        {5, 5, 2, 2, true, true},       {5, 5, 2, 2, false, false},
        {1, 1, 0, 0, true, false},      {9, 1, 4, 0, true, false},
        {1, 9, 0, 4, true, true},       {4, 4, 2, 2, false, true},
        {2, 7, 0, 6, false, false},     {6, 3, 5, 0, true, false},
        {7, 7, 3, 3, false, false},     {11, 8, 2, 7, true, true},
        {15, 15, 7, 7, true, false},    {15, 13, 14, 0, false, false},
        {21, 17, 10, 8, true, false},   {23, 5, 11, 2, false, true},
        {31, 31, 15, 15, false, false}, {63, 63, 31, 31, true, false},
        {63, 62, 0, 61, false, true},   {1, 67, 0, 66, true, false},
        {301, 2, 299, 1, true, false}};
    return cases;
}

const std::vector<std::pair<int, int>> &all_sizes() {
    static const std::vector<std::pair<int, int>> sizes{{1, 1},    {32, 32}, {37, 1},    {1, 37},
                                                        {31, 33},  {33, 31}, {7, 127},   {64, 65},
                                                        {129, 32}, {97, 63}, {131, 203}, {513, 17}};
    return sizes;
}

std::vector<std::pair<int, int>> pairwise_sizes(const Limits &limits) {
    // The number of cases is about the product of the two longest lists: some of the sizes suffice.
    if (limits.image > 203)
        return {{1, 1}, {1, 37}, {131, 203}, {513, 17}};
    std::vector<std::pair<int, int>> sizes;
    for (std::size_t i = 0; i < all_sizes().size(); i += 2)
        if (std::max(all_sizes()[i].first, all_sizes()[i].second) <= limits.image)
            sizes.push_back(all_sizes()[i]);
    return sizes;
}

std::vector<CorrelateCase> pairwise_cases(const std::string &kernel, const Limits &limits) {
    const gz::Kernel spec = correlate_spec(kernel);
    const std::vector<TapsCase> taps = pairwise_taps(limits);
    const std::vector<std::pair<int, int>> sizes = pairwise_sizes(limits);

    std::vector<int> counts = image_counts(sizes.size());
    const std::size_t image = counts.size();
    counts.insert(counts.end(), {static_cast<int>(taps.size()), 2});
    append_counts(counts, spec.tunables);

    std::vector<CorrelateCase> cases;
    for (const std::vector<int> &row : pairwise(counts)) {
        const auto at = [&](std::size_t i) { return static_cast<std::size_t>(row[image + i]); };
        CorrelateCase test;
        static_cast<ImageCase &>(test) = image_of(row, sizes);
        test.kernel = kernel;
        test.taps = taps[at(0)];
        test.store = at(1) ? gz::Store::truncate : gz::Store::saturate;
        test.config = config_of(spec.tunables, row, image + 2);
        make_possible(test);
        cases.push_back(test);
    }
    return cases;
}

std::vector<CorrelateCase> all_cases(const std::string &kernel, PixelType type) {
    const gz::Kernel spec = correlate_spec(kernel);
    // The parameters that are not multiplied out change with the size and with the configuration,
    // so that a configuration meets all taps and each program serves all borders.
    const auto number = static_cast<std::size_t>(
        std::find(std::begin(all_types), std::end(all_types), type) - std::begin(all_types));
    std::vector<CorrelateCase> cases;
    std::size_t config_number = 0;
    for (const Config &config : all_configs(spec.tunables)) {
        for (std::size_t s = 0; s < all_sizes().size(); ++s) {
            const std::size_t turn = config_number + 7 * number + s;
            CorrelateCase test;
            test.kernel = kernel;
            test.config = config;
            test.src_type = type;
            test.dst_type = turn % 4 == 3 ? all_types[(number + turn) % 5] : type;
            test.channels = static_cast<int>(turn % 4) + 1;
            test.planes = turn % 3 == 2 ? 3 : 1;
            test.slices = turn % 5 == 4 ? 2 : 1;
            std::tie(test.width, test.height) = all_sizes()[s];
            test.taps = all_taps()[(turn + turn / 4) % all_taps().size()];
            test.region = all_regions[turn % 3];
            test.layout = all_layouts[turn / 3 % 3];
            make_possible(test);
            for (const BorderMode border : gz::all_border_modes) {
                test.border = border;
                cases.push_back(test);
            }
        }
        ++config_number;
    }
    return cases;
}

} // namespace support
