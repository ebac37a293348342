// Kernels that nobody has tried on a device like this one: each is first run on a tiny image, and what
// it makes of that is compared with the reference.
#pragma once

#include <memory>
#include <string>

#include "families/family.hpp"

namespace gz {

class Engine;

// Tests what a plan without a forced variant would run, unless it was tested before or needs no test, on
// the engine's queue, and waits. What fails is not taken from then on, and logged: then the test is of
// what comes next. What cannot be tested passes. filter: with the methods of Gaussians settled.
void self_test(const std::shared_ptr<Engine> &engine, const Filter &filter, const PlanDesc &desc,
               const std::string &variant);

} // namespace gz
