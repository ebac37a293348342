// Tests kernels that nobody has tried on a device, whatever they compute.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device/engine.hpp"
#include "plan/choice.hpp"

namespace gz {

// Passes to be tested together on a tiny input.
class TestSubject {
public:
    virtual ~TestSubject() = default;

    // Returns the choice for each pass, by results and tests so far.
    virtual std::vector<Choice> choices() const = 0;
    // Returns the variants that can run a pass.
    virtual std::vector<std::string> candidates(std::size_t pass) const = 0;
    // Returns what is wrong with the result of a variant that has a part for each pass; "" where it is right.
    // Throws Error where it cannot be run.
    virtual std::string fault_of(const std::string &variant) const = 0;
};

// Kernels that are forced are not tested.
bool wants_self_test(const Engine &engine, const std::string &variant);

// Runs the kernels chosen for the passes, unless they were tested before or need no test. A kernel that fails
// is logged and no longer chosen, and the next choice is tested instead. A kernel that cannot be tested
// passes.
void test_kernels(Engine &engine, const TestSubject &subject);

} // namespace gz
