// Blurs a row of floats by the C++ header. Says why where there is no device, which is no failure.
#include <cstdlib>
#include <iostream>
#include <vector>

#include <gauze/gauze.hpp>
#include <gauze/gauze_tuning.hpp>

int main() {
    try {
        const gauze::Engine engine;
        const gauze::Plan plan =
            engine.plan(gauze::separable({0.25, 0.5, 0.25}, {1.0}), gauze::Image::f32(16, 1));
        std::vector<float> source(16), target(16);
        source[8] = 4.0F;
        plan.run(source, target);
        std::cout << target[6] << ' ' << target[7] << ' ' << target[8] << ' ' << target[9] << '\n';
        const bool right = target[6] == 0.0F && target[7] == 1.0F && target[8] == 2.0F &&
                           target[9] == 1.0F && !gauze::problems(plan).empty();
        return right ? EXIT_SUCCESS : EXIT_FAILURE;
    } catch (const gauze::Error &error) {
        std::cout << error.what() << '\n';
        return error.status() == GAUZE_ERROR_NO_DEVICE ? EXIT_SUCCESS : EXIT_FAILURE;
    }
}
