// Tests of kernels that nobody has tried on a device like this one: each first runs on a tiny image, and its
// result is compared with the reference.
#pragma once

#include <memory>
#include <string>

#include "families/family.hpp"

namespace gz {

class Engine;

// Tests the kernels that a plan without a forced variant would run, unless they were tested before or need no
// test, on the engine's queue, and waits. A kernel that fails is logged and no longer chosen, and the next
// choice is tested instead. A kernel that cannot be tested passes. filter: with the methods of Gaussians
// settled.
void self_test(const std::shared_ptr<Engine> &engine, const Filter &filter, const PlanDesc &desc,
               const std::string &variant);

} // namespace gz
