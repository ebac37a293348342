// a * b + c, rounded once, as OpenCL's fma does it. MinGW-w64's C library rounds twice: 22 % of results of floats
// in [-1, 1] had other bits.
#pragma once

#include <cmath>

namespace gz {

// The same on any processor, by operations that round each for itself. In double, results below 2^-1000 in
// magnitude may be rounded twice.
float fma_in_steps(float a, float b, float c);
double fma_in_steps(double a, double b, double c);

#ifdef __MINGW32__
float fma(float a, float b, float c);
double fma(double a, double b, double c);
#else
using std::fma;
#endif

} // namespace gz
