// Tests of the parts that tests of recursive filters are made of: designs against published values, and the
// exact scans against sums by hand.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "support/exact_scans.hpp"
#include "support/iir_designs.hpp"

using gz::Border;
using gz::BorderMode;
using gz::Scan;
using support::Band;
using support::Coefficients;
using support::exact;
using support::Prototype;

namespace {

void check_terms(const std::vector<double> &terms, const std::vector<double> &expected) {
    REQUIRE(terms.size() == expected.size());
    for (std::size_t i = 0; i < terms.size(); ++i)
        CHECK(std::abs(terms[i] - expected[i]) < 1e-13);
}

void check_coefficients(const Coefficients &got, const std::vector<double> &b,
                        const std::vector<double> &a) {
    check_terms(got.b, b);
    check_terms(got.a, a);
}

Coefficients designed(Prototype prototype, Band band, int order, const std::vector<double> &edges) {
    return support::to_coefficients(support::design(prototype, band, order, edges));
}

std::complex<double> response(const std::vector<Coefficients> &filters, double angle) {
    const std::complex<double> u = std::polar(1.0, -angle);
    const auto value = [u](const std::vector<double> &terms) {
        std::complex<double> sum = 0.0;
        for (std::size_t i = terms.size(); i-- > 0;)
            sum = sum * u + terms[i];
        return sum;
    };
    std::complex<double> all = 1.0;
    for (const Coefficients &filter : filters)
        all *= value(filter.b) / value(filter.a);
    return all;
}

} // namespace

TEST_SUITE("designs for tests") {
    TEST_CASE("coefficients as SciPy 1.10 gives them") {
        check_coefficients(designed(Prototype::butterworth, Band::low, 2, {.5}),
                           {0.292893218813452, 0.585786437626905, 0.292893218813452},
                           {1.0, 0.0, 0.17157287525381});
        check_coefficients(
            designed(Prototype::butterworth, Band::high, 3, {.2}),
            {0.527624382501943, -1.58287314750583, 1.58287314750583, -0.527624382501943},
            {1.0, -1.76004188034317, 1.18289326203783, -0.278059917634546});
        check_coefficients(
            designed(Prototype::butterworth, Band::pass, 2, {.2, .4}),
            {0.0674552738890719, 0.0, -0.134910547778144, 0.0, 0.0674552738890719},
            {1.0, -1.94246877654788, 2.11920239714428, -1.21665163551553, 0.412801598096189});
        check_coefficients(
            designed(Prototype::chebyshev1, Band::low, 3, {.3}),
            {0.034384966351816, 0.103154899055448, 0.103154899055448, 0.034384966351816},
            {1.0, -1.58040493832647, 1.25384498135502, -0.398360312214027});
        check_coefficients(
            designed(Prototype::chebyshev2, Band::low, 3, {.3}),
            {0.0146153660029934, 0.000417616257573617, 0.000417616257573613, 0.0146153660029934},
            {1.0, -2.32170262280988, 1.85599740749978, -0.504228820168773});
        check_coefficients(
            designed(Prototype::elliptic, Band::low, 4, {.3}),
            {0.0353067702746809, 0.0233748754499246, 0.0560496263501873, 0.0233748754499246,
             0.0353067702746809},
            {1.0, -2.32099329048917, 2.67715548688035, -1.57739126250319, 0.415801560097294});
        check_coefficients(
            designed(Prototype::elliptic, Band::stop, 2, {.2, .5}),
            {0.51468107929682, -1.04622206839656, 1.55704103360352, -1.04622206839656,
             0.51468107929682},
            {1.0, -1.46847289783821, 1.48016230947711, -0.879288038239614, 0.421829802433614});
        check_coefficients(
            designed(Prototype::bessel, Band::low, 3, {.3}),
            {0.0439156166232874, 0.131746849869862, 0.131746849869862, 0.0439156166232874},
            {1.0, -1.06318999775552, 0.503611276433387, -0.0890963456915643});
        check_coefficients(support::notch(.2, 30),
                           {0.989636175362892, -1.60126496823361, 0.989636175362892},
                           {1.0, -1.60126496823361, 0.979272350725784});
        check_coefficients(support::peak(.2, 30), {0.0103638246371079, 0.0, -0.0103638246371079},
                           {1.0, -1.60126496823361, 0.979272350725784});
        // The innermost pair of twenty.
        const auto bessel = support::design(Prototype::bessel, Band::low, 20, {.3});
        CHECK(std::count_if(bessel.poles.begin(), bessel.poles.end(), [](std::complex<double> p) {
                  return std::abs(p - std::complex<double>(0.36765445, 0.0276317)) < 1e-8;
              }) == 1);
    }

    TEST_CASE("responses keep to what was asked for") {
        const double ripple = std::pow(10.0, -0.05);
        for (const int order : {4, 5, 20}) {
            CAPTURE(order);
            const auto at = [&](Prototype prototype, double frequency) {
                const auto filter = support::design(prototype, Band::low, order, {.3});
                return std::abs(
                    response(support::to_sections(filter), 3.14159265358979 * frequency));
            };
            CHECK(at(Prototype::butterworth, .3) == doctest::Approx(std::sqrt(0.5)));
            CHECK(at(Prototype::chebyshev1, .3) == doctest::Approx(ripple));
            CHECK(at(Prototype::chebyshev2, .3) == doctest::Approx(0.01));
            CHECK(at(Prototype::elliptic, .3) == doctest::Approx(ripple));
            for (int i = 0; i <= 100; ++i) {
                CHECK(at(Prototype::elliptic, .003 * i) <= 1.0 + 1e-9);
                CHECK(at(Prototype::elliptic, .003 * i) >= ripple - 1e-9);
                CHECK(at(Prototype::elliptic, .6 + .004 * i) <= 0.01 + 1e-9);
                CHECK(at(Prototype::chebyshev2, .3 + .007 * i) <= 0.01 + 1e-9);
            }
            CHECK(at(Prototype::bessel, 0.0) == doctest::Approx(1.0));
        }
    }

    TEST_CASE("sections make the response of b and a, in rows of six") {
        for (const Prototype prototype :
             {Prototype::butterworth, Prototype::chebyshev2, Prototype::elliptic})
            for (const Band band : {Band::low, Band::high, Band::pass, Band::stop})
                for (const int order : {1, 2, 3, 4}) {
                    const bool one = band == Band::low || band == Band::high;
                    const auto filter = support::design(prototype, band, order,
                                                        one ? std::vector<double>{.4}
                                                            : std::vector<double>{.3, .6});
                    const auto sections = support::to_sections(filter);
                    CHECK(sections.size() == (filter.poles.size() + 1) / 2);
                    for (const Coefficients &section : sections)
                        CHECK((section.b.size() == 3 && section.a.size() == 3));
                    for (const double angle : {0.0, .5, 1.0, 1.5, 2.0, 3.0})
                        CHECK(std::abs(response(sections, angle) -
                                       response({support::to_coefficients(filter)}, angle)) <
                              1e-10);
                }
    }

    TEST_CASE("lists have every design, and all of it finite") {
        const auto finite = [](const std::vector<double> &terms) {
            return std::all_of(terms.begin(), terms.end(),
                               [](double term) { return std::isfinite(term); });
        };
        const std::vector<support::Design> lists[] = {support::families(), support::others(),
                                                      support::sections(), support::distances()};
        const std::size_t sizes[] = {1728, 762, 387, 35};
        for (std::size_t i = 0; i < 4; ++i) {
            CHECK(lists[i].size() == sizes[i]);
            for (const support::Design &design : lists[i]) {
                CAPTURE(design.family);
                CAPTURE(design.order);
                CAPTURE(design.cutoff);
                REQUIRE_FALSE(design.scans.empty());
                for (const Coefficients &coefficients : design.scans) {
                    REQUIRE((finite(coefficients.b) && finite(coefficients.a)));
                    REQUIRE(coefficients.a[0] == 1.0);
                }
            }
        }
        const std::vector<Scan> scans = support::to_scans(lists[3][2], 1, false);
        REQUIRE(scans.size() == 1); // a double pole of .9
        CHECK(scans[0].axis == 1);
        CHECK_FALSE(scans[0].forward);
        CHECK(scans[0].feedback[0] == doctest::Approx(1.8));
        CHECK(scans[0].feedback[1] == doctest::Approx(-0.81));
    }
}

TEST_SUITE("exact scans") {
    TEST_CASE("by hand, in both directions and one after the other") {
        const Scan forth{0, true, {3, 1}, {0.5, -0.25}};
        const Scan back{0, false, {3, 1}, {0.5, -0.25}};
        const std::vector<double> line{1, 2, 4, -8};
        CHECK(exact({forth}, line) == std::vector<double>{3, 8.5, 17.5, -13.375});
        CHECK(exact({back}, line) == std::vector<double>{13, 12, -8, -24});
        CHECK(exact({forth, back}, line) == exact({back}, {3, 8.5, 17.5, -13.375}));
        CHECK(exact({{0, true, {0, 0, 1}, {}}}, line) == std::vector<double>{0, 0, 1, 2});
    }

    TEST_CASE("what doubles lose between two scans is kept") {
        // 1.1^n, and then all of it subtracted again: 1.1^700 is 1e29.
        std::vector<double> line(700, 0.0);
        line[0] = 1.0;
        line[699] = 1.0;
        const std::vector<double> got =
            exact({{0, true, {1}, {1.1}}, {0, true, {1, -1.1}, {}}}, line);
        for (std::size_t i = 0; i < line.size(); ++i)
            CHECK(std::abs(got[i] - line[i]) < 1e-2);
    }

    TEST_CASE("borders by hand: y[n] = x[n] + y[n - 1] / 2") {
        const auto first = [](BorderMode mode, double value) {
            return exact({{0, true, {1}, {0.5}}}, {1, 2, 4}, Border{mode, value}, 70).front();
        };
        CHECK(first(BorderMode::clamp, 0) == 2.0);
        CHECK(first(BorderMode::constant, 3) == 4.0);
        CHECK(first(BorderMode::zero, 3) == 1.0);
        CHECK(first(BorderMode::wrap, 0) == doctest::Approx(4.0));
        CHECK(first(BorderMode::reflect101, 0) == doctest::Approx(1 + 2.3125 / (1 - 0x1p-4)));
    }
}
