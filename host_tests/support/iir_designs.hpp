// Recursive filters as signal processing designs them, made without any other program: the usual source of
// scans. Frequencies are in units of half the sampling rate, as SciPy's are.
#pragma once

#include <complex>
#include <string>
#include <vector>

#include "families/recursive/recursion.hpp"

namespace support {

// sum over i of a[i] y[n - i] = sum over i of b[i] x[n - i]; a[0] is 1.
struct Coefficients {
    std::vector<double> b, a;
};

struct ZerosPolesGain {
    std::vector<std::complex<double>> zeros, poles;
    double gain = 1.0;
};

enum class Prototype { butterworth, chebyshev1, chebyshev2, elliptic, bessel };
enum class Band { low, high, pass, stop };

// Decibels, where the prototype has any: chebyshev1 and elliptic may fall by `ripple` where they pass,
// chebyshev2 and elliptic stop by `attenuation`.
struct Decibels {
    double ripple = 1.0, attenuation = 40.0;
};

// Returns an analog low-pass of the order (1 to 20), brought to the band and then to samples by the bilinear
// transform, as scipy.signal.iirfilter does it; Bessel's with norm='phase'. edges: the cutoff of a low-pass
// or high-pass, the two of a band, rising, between 0 and 1. Bands have twice the order.
ZerosPolesGain design(Prototype prototype, Band band, int order, const std::vector<double> &edges,
                      const Decibels &decibels = {});

// Returns the products of their factors, in double: the rounding of high orders is part of them.
Coefficients to_coefficients(const ZerosPolesGain &filter);
// Second-order sections, three b and three a each; of an odd order the first-order one has zeros at
// the ends. Poles go with the zeros nearest them, those nearest the circle last; the first section
// has the gain.
std::vector<Coefficients> to_sections(const ZerosPolesGain &filter);

// One frequency taken out, or kept; its bandwidth is the frequency over `quality`.
Coefficients notch(double frequency, double quality);
Coefficients peak(double frequency, double quality);

// Returns the scan that computes it: its feedback is -a[1], -a[2], ...
gz::Scan to_scan(const Coefficients &coefficients, int axis = 0, bool forward = true);

// Whether the environment variable GAUZE_ALL_DESIGNS asks for every design in place of one of several.
bool wants_all_designs();

struct Design {
    std::string family;
    int order;
    double cutoff; // or what else distinguishes it from others
    std::vector<Coefficients> scans;
};

std::vector<gz::Scan> to_scans(const Design &design, int axis = 0, bool forward = true);

// Every prototype of orders 1 to 12 at 14 cutoffs from .005 to .95, and bands: as b and a.
std::vector<Design> families();
// Notches and peaks, poles of multiplicity 1 to 20, random poles to order 20 with fewer zeros or with
// up to 8 more, delays, and filters without feedback: as b and a.
std::vector<Design> others();
// Every prototype to order 20 from cutoff .001, bands to 40 poles, and sections that are repeated.
std::vector<Design> sections();
// Poles at distances .1 to 1e-5 from the unit circle.
std::vector<Design> distances();

} // namespace support
