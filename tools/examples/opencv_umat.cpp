// Filters an OpenCV UMat where it is, from its own storage to that of another one: no pixel is copied,
// and what OpenCV does before and after is ordered by its own queue.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <stdexcept>

#include <opencv2/core/ocl.hpp>
#include <opencv2/imgproc.hpp>

#include <gauze/gauze.hpp>

namespace {

gauze::Type type_of(const cv::UMat &image) {
    switch (image.depth()) {
    case CV_8U:
        return gauze::Type::u8;
    case CV_16U:
        return gauze::Type::u16;
    case CV_16S:
        return gauze::Type::s16;
    case CV_32F:
        return gauze::Type::f32;
    default:
        throw std::runtime_error("Gauze has no such pixels");
    }
}

// Returns the place of the pixels in the buffer that the UMat is a part of.
gauze::ImageDesc desc_of(const cv::UMat &image) {
    gauze::ImageDesc desc(type_of(image), image.cols, image.rows, image.channels());
    desc.pitch[1] = static_cast<std::int64_t>(image.step[0]);
    desc.offset = static_cast<std::int64_t>(image.offset);
    return desc;
}

} // namespace

int main() {
    try {
        cv::ocl::setUseOpenCL(true);
        if (!cv::ocl::useOpenCL()) {
            std::cout << "OpenCV has no OpenCL device here: nothing to show\n";
            return EXIT_SUCCESS;
        }
        const cv::ocl::Context context = cv::ocl::Context::getDefault();
        gauze::EngineOptions options;
        options.context = static_cast<cl_context>(context.ptr());
        options.device_id = static_cast<cl_device_id>(cv::ocl::Device::getDefault().ptr());
        const gauze::Engine engine(options);

        // A part of a larger image, so that rows have a pitch and the first pixel an offset.
        cv::UMat whole(480, 640, CV_8UC3, cv::Scalar::all(0), cv::USAGE_ALLOCATE_DEVICE_MEMORY);
        cv::randu(whole, 0, 256);
        const cv::UMat source(whole, cv::Rect(30, 20, 500, 400));
        cv::UMat target(source.size(), source.type(), cv::USAGE_ALLOCATE_DEVICE_MEMORY);

        gauze::PlanOptions plan_options;
        plan_options.with_border(gauze::Border::reflect101());
        const gauze::Plan plan =
            engine.plan(gauze::gaussian(3.0), desc_of(source), desc_of(target), plan_options);
        // OpenCV counts what a handle is taken for: afterwards only the device has target's pixels.
        const auto from = static_cast<cl_mem>(source.handle(cv::ACCESS_READ));
        const auto to = static_cast<cl_mem>(target.handle(cv::ACCESS_WRITE));
        plan.enqueue(static_cast<cl_command_queue>(cv::ocl::Queue::getDefault().ptr()), from, to);

        cv::UMat expected, difference;
        const int border = cv::BORDER_REFLECT_101 | cv::BORDER_ISOLATED;
        cv::GaussianBlur(source, expected, cv::Size(25, 25), 3.0, 3.0, border);
        cv::absdiff(target, expected, difference);
        double worst = 0.0;
        cv::minMaxLoc(difference.reshape(1), nullptr, &worst);
        std::cout << "on " << engine.device().name << ", at most " << worst
                  << " of 255 from cv::GaussianBlur\n";
        return worst <= 1.0 ? EXIT_SUCCESS : EXIT_FAILURE;
    } catch (const std::exception &error) {
        std::cerr << error.what() << '\n';
        return EXIT_FAILURE;
    }
}
