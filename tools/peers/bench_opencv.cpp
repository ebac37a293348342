// A row of `gauze bench` computed by OpenCV: on the CPU, or on an OpenCL device where OpenCV takes
// it. Prints one measurement as JSON. `gauze bench --peers` runs it; see bench_peers.cpp.
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <opencv2/core.hpp>
#include <opencv2/core/ocl.hpp>
#include <opencv2/imgproc.hpp>
#ifdef GAUZE_OPENCV_PHOTO
#include <opencv2/photo.hpp>
#endif

#include "bench_measurement.hpp"
#include "bench_rows.hpp"

namespace gauze::tool {
namespace {

constexpr unsigned warm_ups = 2; // as many as the library makes
constexpr int border = cv::BORDER_REPLICATE;

struct PeerOptions {
    std::string filter;
    int value = 0;
    std::vector<int> size;
    std::string type = "f32";
    int channels = 1;
    unsigned repeats = 15;
    double copy_ms = std::numeric_limits<double>::quiet_NaN();
    int threads = 0;
    std::string opencl_platform, opencl_device;

    bool on_opencl() const { return !opencl_device.empty(); }
};

// Thrown for rows that OpenCV cannot compute.
class Refusal : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

cv::Mat random_image(const PeerOptions &options) {
    struct TypeFacts {
        const char *name;
        int depth;
        double low, high;
    };
    if (options.size.size() != 2)
        throw Refusal("OpenCV filters images, not volumes");
    for (const TypeFacts &facts :
         {TypeFacts{"u8", CV_8U, 0, 256}, TypeFacts{"u16", CV_16U, 0, 65536},
          TypeFacts{"s16", CV_16S, -32768, 32768}, TypeFacts{"f32", CV_32F, 0, 1}})
        if (options.type == facts.name) {
            cv::Mat image(options.size[1], options.size[0],
                          CV_MAKETYPE(facts.depth, options.channels));
            cv::randu(image, cv::Scalar::all(facts.low), cv::Scalar::all(facts.high));
            return image;
        }
    throw Refusal("OpenCV does not filter " + options.type);
}

// The pixels at most `radius` away, as gauze::disk has them.
cv::Mat disk(int radius) {
    cv::Mat pixels(2 * radius + 1, 2 * radius + 1, CV_8U);
    for (int y = -radius; y <= radius; ++y)
        for (int x = -radius; x <= radius; ++x)
            pixels.at<unsigned char>(y + radius, x + radius) = x * x + y * y <= radius * radius;
    return pixels;
}

// A filter of OpenCV with its arguments, made before the clock starts.
class PeerFilter {
public:
    PeerFilter(const BenchRow &row, const PeerOptions &options)
        : row_(row), size_(row.taps()), range_(options.type == "u8" ? 255 : 1) {
        if (row.filter == "separable") {
            // The taps are symmetric: OpenCV has faster code for those.
            kernel_ = cv::getGaussianKernel(size_, 0.5 * (row.radius + 1), CV_32F);
            name_ = "cv::sepFilter2D";
        } else if (row.filter == "correlate") {
            kernel_.create(size_, size_, CV_32F);
            cv::randu(kernel_, cv::Scalar(0), cv::Scalar(2.0 / (size_ * size_)));
            name_ = "cv::filter2D";
        } else if (row.filter == "box") {
            name_ = "cv::boxFilter";
        } else if (row.filter == "median") {
            if (size_ > 5 && options.type != "u8")
                throw Refusal("medianBlur is up to 5x5 for " + options.type);
            name_ = "cv::medianBlur";
        } else if (row.filter == "maximum") {
            kernel_ = cv::getStructuringElement(cv::MORPH_RECT, {size_, size_});
            name_ = "cv::dilate";
        } else if (row.filter == "erode") {
            kernel_ = disk(row.value());
            name_ = "cv::erode";
        } else if (row.filter == "bilateral") {
            if (options.type != "u8" && (options.type != "f32" || options.on_opencl()))
                throw Refusal("bilateralFilter is for u8, and on the CPU for f32, not for " +
                              options.type);
            if (options.channels != 1 && options.channels != 3)
                throw Refusal("bilateralFilter is for 1 or 3 channels");
            name_ = "cv::bilateralFilter";
        } else if (row.filter == "nlm") {
            check_nlm(options);
            name_ = "cv::fastNlMeansDenoising";
        } else if (row.filter != "gaussian") {
            throw Refusal("there is no filter to compare " + row.filter + " with");
        } else if (options.on_opencl()) {
            // GaussianBlur silently moves from the device to the CPU.
            kernel_ = cv::getGaussianKernel(size_, row.value(), CV_32F);
            name_ = "cv::sepFilter2D";
        } else {
            name_ = "cv::GaussianBlur";
        }
    }

    const std::string &name() const { return name_; }

    void operator()(cv::InputArray src, cv::OutputArray dst) const {
        const cv::Size size(size_, size_);
        const cv::Point middle(-1, -1);
        if (name_ == "cv::sepFilter2D")
            cv::sepFilter2D(src, dst, -1, kernel_, kernel_, middle, 0, border);
        else if (name_ == "cv::filter2D")
            cv::filter2D(src, dst, -1, kernel_, middle, 0, border);
        else if (name_ == "cv::boxFilter")
            cv::boxFilter(src, dst, -1, size, middle, true, border);
        else if (name_ == "cv::medianBlur")
            cv::medianBlur(src, dst, size_);
        else if (name_ == "cv::dilate") // with its own border, the only one that it has on OpenCL
            cv::dilate(src, dst, kernel_);
        else if (name_ == "cv::erode")
            cv::erode(src, dst, kernel_);
        else if (name_ == "cv::bilateralFilter") // Its window is a disk.
            cv::bilateralFilter(src, dst, size_, bilateral_sigma_range * range_,
                                bilateral_sigma_space * row_.value(), border);
#ifdef GAUZE_OPENCV_PHOTO
        else if (name_ == "cv::fastNlMeansDenoising") // It always reflects at the border.
            cv::fastNlMeansDenoising(src, dst, static_cast<float>(nlm_strength * range_), nlm_patch,
                                     row_.value());
#endif
        else
            cv::GaussianBlur(src, dst, size, row_.value(), row_.value(), border);
    }

private:
    static void check_nlm([[maybe_unused]] const PeerOptions &options) {
#ifdef GAUZE_OPENCV_PHOTO
        if (options.type != "u8")
            throw Refusal("fastNlMeansDenoising is for u8, not for " + options.type);
#else
        throw Refusal("OpenCV's photo module was not found when this was built");
#endif
    }

    BenchRow row_;
    int size_;
    double range_; // the difference between the largest and the least value of a pixel
    cv::Mat kernel_;
    std::string name_;
};

// Returns the milliseconds of `work`, the median after warming up.
template <class Work> double timed(unsigned repeats, Work &&work) {
    using Clock = std::chrono::steady_clock;
    std::vector<double> times;
    for (unsigned i = 0; i < warm_ups + repeats; ++i) {
        const Clock::time_point begin = Clock::now();
        work();
        const std::chrono::duration<double, std::milli> time = Clock::now() - begin;
        if (i >= warm_ups)
            times.push_back(time.count());
    }
    return median(times);
}

double time_on_cpu(const PeerOptions &options, const PeerFilter &filter) {
    cv::ocl::setUseOpenCL(false);
    if (options.threads > 0)
        cv::setNumThreads(options.threads);
    const cv::Mat src = random_image(options);
    cv::Mat dst;
    return timed(options.repeats, [&] { filter(src, dst); });
}

void select_opencl_device(const PeerOptions &options) {
    // OpenCV reads this when it is first asked for a device.
    setenv("OPENCV_OPENCL_DEVICE",
           (options.opencl_platform + ":GPU:" + options.opencl_device).c_str(), 1);
    cv::ocl::setUseOpenCL(true);
    if (!cv::ocl::useOpenCL() ||
        cv::ocl::Device::getDefault().name().find(options.opencl_device) == std::string::npos)
        throw Refusal("OpenCV does not take the device " + options.opencl_device);
}

double time_on_opencl(const PeerOptions &options, const PeerFilter &filter) {
    const cv::UMat src = random_image(options).getUMat(cv::ACCESS_READ).clone();
    cv::UMat dst;
    cv::ocl::finish();
    return timed(options.repeats, [&] {
        filter(src, dst);
        cv::ocl::finish();
    });
}

std::string cpu_name() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);)
        if (line.rfind("model name", 0) == 0 && line.find(": ") != std::string::npos)
            return line.substr(line.find(": ") + 2);
    return "CPU";
}

Measurement measure(const PeerOptions &options) {
    Measurement result;
    result.row = make_row(options.filter, options.value);
    if (options.on_opencl())
        select_opencl_device(options);
    const PeerFilter filter(result.row, options);
    result.time_ms =
        options.on_opencl() ? time_on_opencl(options, filter) : time_on_cpu(options, filter);
    result.wall_ms = result.time_ms;
    result.copy_ms = options.copy_ms;
    result.type = options.type;
    result.channels = options.channels;
    result.size = {options.size.begin(), options.size.end()};
    const std::string version = "OpenCV " + std::to_string(cv::getVersionMajor()) + "." +
                                std::to_string(cv::getVersionMinor());
    if (options.on_opencl()) {
        result.device = cv::ocl::Device::getDefault().name();
        result.platform = version + " (OpenCL)";
        result.variant = filter.name() + " of cv::UMat";
    } else {
        result.device = cpu_name();
        const int threads = cv::getNumThreads();
        result.platform = version + " (CPU, " + std::to_string(threads) +
                          (threads == 1 ? " thread)" : " threads)");
        result.variant = filter.name();
    }
    return result;
}

int fail(int code, const std::string &text) {
    std::cerr << "gauze_bench_opencv: " << text.substr(0, text.find('\n')) << '\n';
    return code;
}

int run(int argc, char **argv) {
    CLI::App app("Times a filter of OpenCV as gauze bench times its own; prints JSON.");
    PeerOptions options;
    app.add_option("FILTER", options.filter, "As gauze bench names it")->required();
    app.add_option("VALUE", options.value, "Its radius, size or sigma")
        ->required()
        ->check(CLI::Range(1, 4096));
    app.add_option("--size", options.size, "Of the image, as 4096x4096")
        ->required()
        ->delimiter('x')
        ->check(CLI::PositiveNumber);
    app.add_option("--type", options.type, "u8, u16, s16 or f32");
    app.add_option("--channels", options.channels, "1 to 4")->check(CLI::Range(1, 4));
    app.add_option("--repeat", options.repeats, "Runs to take the median of, after two more")
        ->check(CLI::Range(1u, 1000000u));
    app.add_option("--copy-ms", options.copy_ms, "Time of a copy, for the ratio to it");
    app.add_option("--threads", options.threads, "Of the CPU (default: OpenCV's choice)");
    app.add_option("--opencl-platform", options.opencl_platform, "The device's platform");
    app.add_option("--opencl-device", options.opencl_device, "An OpenCL device, not the CPU");
    try {
        app.parse(argc, argv);
        std::cout << to_json(measure(options)).dump() << '\n';
        return 0;
    } catch (const CLI::ParseError &error) {
        return error.get_exit_code() == 0 ? app.exit(error) : fail(2, error.what());
    } catch (const std::exception &error) { // of OpenCV's own, too
        return fail(3, error.what());
    }
}

} // namespace
} // namespace gauze::tool

int main(int argc, char **argv) {
    return gauze::tool::run(argc, argv);
}
