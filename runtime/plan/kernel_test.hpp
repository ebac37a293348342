// How kernels that nobody has tried on a device are tested, whatever they compute.
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

    // What each pass would run on, as results and tests so far have it.
    virtual std::vector<Choice> choices() const = 0;
    // Variants that can run a pass.
    virtual std::vector<std::string> candidates(std::size_t pass) const = 0;
    // What is wrong with the result of a variant that has a part for each pass; "" where it is right. Throws
    // Error where it cannot be run.
    virtual std::string fault_of(const std::string &variant) const = 0;
};

// Not where kernels are forced.
bool wants_self_test(const Engine &engine, const std::string &variant);

// Runs what the passes would run on, unless it was tested before or needs no test. What fails is not taken
// from then on, and logged: then the test is of what comes next. What cannot be tested passes.
void test_kernels(Engine &engine, const TestSubject &subject);

} // namespace gz
