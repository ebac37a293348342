// The references in double for recursive filters against expected values from an independent source,
// in the directory that GAUZE_ORACLES names.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/pixel_value.hpp"
#include "families/filter.hpp"
#include "image_file.hpp"
#include "support/difference.hpp"

namespace {

using nlohmann::json;

// "+x" and its terms.
gz::Scan scan_of(const json &scan) {
    const std::string axis = scan["axis"];
    return {static_cast<int>(std::string("xyzt").find(axis[1])),
            axis[0] == '+',
            {scan["feedforward"].get<double>()},
            scan["feedback"].get<std::vector<double>>()};
}

gz::Filter filter_of(const json &test) {
    const json &params = test["params"];
    if (test["op"] == "sat")
        return gz::Filter::sat();
    if (test["op"] == "bspline_prefilter")
        return gz::Filter::bspline(params["order"]);
    if (test["op"] == "gaussian") {
        gz::Gaussian gaussian;
        gaussian.sigma = {params["sigma"][0], params["sigma"][1], 0, 0};
        gaussian.method = gz::GaussianMethod::recursive;
        return gz::Filter::gaussian(gaussian);
    }
    std::vector<gz::Scan> scans;
    for (const json &scan : params["scans"])
        scans.push_back(scan_of(scan));
    return gz::Filter::recursive(std::move(scans));
}

gz::Border border_of(const json &test) {
    const std::string name = test["border"];
    if (name == "zero")
        return {gz::BorderMode::zero, 0.0};
    for (const gz::BorderMode mode : gz::all_border_modes)
        if (name == gz::name_of(mode))
            return {mode, test["border_value"]};
    FAIL("no border is called " << name);
    return {};
}

gz::ImageDesc desc_of(const gauze::ImageDesc &image) {
    gz::ImageDesc desc;
    desc.type = static_cast<gz::PixelType>(image.type);
    desc.extent = image.extent;
    return gz::complete(desc, "image");
}

} // namespace

TEST_CASE("oracles of recursive filters") {
    const char *const root = std::getenv("GAUZE_ORACLES");
    const std::string directory = root ? root : "";
    std::ifstream manifest(directory + "/manifest.json");
    if (!manifest) {
        MESSAGE("no oracles here: nothing is compared with them");
        return;
    }
    int passed = 0;
    double worst_share = 0.0;
    const json cases = json::parse(manifest)["cases"];
    for (const json &test : cases) {
        const std::string op = test["op"];
        if (op != "recursive" && op != "sat" && op != "bspline_prefilter" && op != "gaussian")
            continue;
        const std::string name = test["name"];
        CAPTURE(name);
        const auto load = [&](const char *key) {
            return gauze::tool::read_image(directory + "/" + test[key].get<std::string>(),
                                           gauze::tool::ChannelAxis::none);
        };
        const gauze::tool::HostImage input = load("input");
        const gauze::tool::HostImage expected = load("expected");
        const gz::ImageDesc source = desc_of(input.desc);
        const gz::ImageDesc target = desc_of(expected.desc);
        REQUIRE(source.extent == target.extent);
        const gz::Filter filter = filter_of(test);
        const gz::ReferenceJob job{filter, source, border_of(test),
                                   gz::complete(gz::Region(), source, source), input.pixels.data()};
        for (const auto compute : {gz::compute_in_double, gz::compute_as_written}) {
            double largest = 1.0;
            double worst = 0.0;
            compute(job, [&](const gz::RowPlace &at, const double *row) {
                for (std::int64_t x = 0; x < source.extent[0]; ++x) {
                    const double wanted = gz::load_pixel(
                        target.type,
                        expected.pixels.data() + target.byte_of({x, at.y, at.z, at.t}, at.plane));
                    largest = std::max(largest, std::abs(wanted));
                    worst = std::max(worst, support::difference(row[x], wanted));
                }
            });
            // Modes as they are must meet the tolerance; all others must be equal to the last digits.
            const bool approximates = op == "gaussian" && compute == gz::compute_as_written;
            const double tolerance = approximates ? test["tolerance"].get<double>() : 1e-11;
            CHECK(worst <= tolerance * largest);
            worst_share = std::max(worst_share, worst / largest / tolerance);
        }
        ++passed;
    }
    MESSAGE(passed, " cases; the worst error is ", worst_share, " of its tolerance");
    CHECK(passed > 0);
}
