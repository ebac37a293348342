/// @file
/// Gauze in C++17: RAII and exceptions over gauze.h, which says what each thing means, its ranges,
/// its thread safety and its ownership. Header only; includes no OpenCL header.
#ifndef GAUZE_GAUZE_HPP
#define GAUZE_GAUZE_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gauze/gauze.h>

/// Filters, images, plans and engines as C++ classes over the C ABI.
namespace gauze {

/// @addtogroup status
/// @{

/// Every failing call throws this: the status and the library's text.
class Error : public std::runtime_error {
public:
    /// With a text of the caller's.
    Error(gauze_status status, const std::string &text)
        : std::runtime_error(text), status_(status) {}
    /// The error, such as GAUZE_ERROR_UNSUPPORTED.
    gauze_status status() const noexcept { return status_; }

private:
    gauze_status status_;
};

/// Throws the thread's last error unless the status is GAUZE_OK.
inline void check(gauze_status status) {
    if (status != GAUZE_OK)
        throw Error(status, gauze_last_error());
}

/// @}

/// @addtogroup images
/// @{

/// gauze_type as an enumeration: the type of one value of a pixel.
enum class Type : gauze_type {
    u8 = GAUZE_U8,
    u16 = GAUZE_U16,
    s16 = GAUZE_S16,
    f16 = GAUZE_F16,
    f32 = GAUZE_F32,
    f64 = GAUZE_F64,
    u32 = GAUZE_U32,
    s32 = GAUZE_S32,
    u64 = GAUZE_U64
};

/// Bytes of one value.
inline std::size_t size_of(Type type) {
    return gauze_type_size(static_cast<gauze_type>(type));
}
/// "u8", "f32", ...
inline std::string name_of(Type type) {
    return gauze_type_name(static_cast<gauze_type>(type));
}

/// @}

/// @addtogroup devices
/// @{

/// gauze_device_info with strings of its own.
struct DeviceInfo {
    int index = 0;                        ///< place in the list of devices; -1: not in it
    gauze_device_kind kind = 0;           ///< GPU, CPU or accelerator
    bool is_default = false;              ///< the device that an engine without a selector takes
    std::string name;                     ///< the device's name
    std::string vendor;                   ///< the device's vendor
    std::string platform;                 ///< name of the OpenCL platform: the driver
    std::string version;                  ///< OpenCL version the device reports
    std::string driver;                   ///< driver version
    std::string device_class;             ///< what kernel choice goes by: "nvidia", "pocl-cpu", ...
    std::string unusable;                 ///< why an engine refuses the device; "" if it does not
    std::uint64_t global_memory = 0;      ///< bytes
    std::uint64_t max_allocation = 0;     ///< bytes of the largest single buffer
    std::uint64_t local_memory = 0;       ///< bytes a work-group can share
    std::uint64_t max_parameter_size = 0; ///< bytes of all arguments of one kernel
    unsigned compute_units = 0;           ///< multiprocessors of a GPU, cores of a CPU
    unsigned clock_mhz = 0;               ///< highest clock rate, MHz
    unsigned max_group_size = 0;          ///< work-items
    bool has_f64 = false;                 ///< whether the device computes in double
    std::string architecture;             ///< what devices like it have in common, such as "sm_90"
    std::string tuning;  ///< where kernels' configurations come from on it, in one line
    std::string library; ///< file of the driver; "" where the driver does not say it

    DeviceInfo() = default;
    /// Copies the strings.
    explicit DeviceInfo(const gauze_device_info &info)
        : index(info.index), kind(info.kind), is_default(info.is_default != 0), name(info.name),
          vendor(info.vendor), platform(info.platform), version(info.version), driver(info.driver),
          device_class(info.device_class), unusable(info.unusable ? info.unusable : ""),
          global_memory(info.global_memory), max_allocation(info.max_allocation),
          local_memory(info.local_memory), max_parameter_size(info.max_parameter_size),
          compute_units(info.compute_units), clock_mhz(info.clock_mhz),
          max_group_size(info.max_group_size), has_f64(info.has_f64 != 0),
          architecture(info.architecture ? info.architecture : ""),
          tuning(info.tuning ? info.tuning : ""), library(info.library ? info.library : "") {}
};

/// The devices that devices() found.
struct DeviceList {
    std::vector<DeviceInfo> devices; ///< in the order that selectors of digits count in
    std::string notes; ///< platforms that failed; what to install where there is no device
};

/// All devices of all platforms; none is not an error.
inline DeviceList devices() {
    gauze_device_list *list = nullptr;
    check(gauze_device_list_create(&list));
    const std::unique_ptr<gauze_device_list, decltype(&gauze_device_list_destroy)> owner(
        list, gauze_device_list_destroy);
    DeviceList result;
    for (std::size_t i = 0; i < gauze_device_list_count(list); ++i) {
        gauze_device_info info{};
        info.struct_size = sizeof info;
        check(gauze_device_list_get(list, i, &info));
        result.devices.emplace_back(info);
    }
    result.notes = gauze_device_list_notes(list);
    return result;
}

/// @}

/// @addtogroup images
/// @{

/// gauze_image_desc as a value: where an image's pixels are in a piece of memory. Extents of 0 mean
/// 1, pitches of 0 mean tight.
struct ImageDesc {
    Type type = Type::f32;                          ///< of each value of a pixel
    int channels = 1;                               ///< interleaved, 1 to 4
    std::array<std::int64_t, 4> extent{1, 1, 1, 1}; ///< pixels along x, y, z, t
    std::array<std::int64_t, 4> pitch{0, 0, 0, 0};  ///< bytes to the next; 0: tight
    std::int64_t offset = 0;                        ///< bytes to the first pixel
    std::int64_t planes = 1;      ///< images of these extents, one after the other
    std::int64_t plane_pitch = 0; ///< bytes from a plane to the next; 0: tight

    ImageDesc() = default;
    /// One slice of one plane, tight.
    ImageDesc(Type pixel_type, std::int64_t width, std::int64_t height, int channel_count = 1)
        : type(pixel_type), channels(channel_count), extent{width, height, 1, 1} {}

    /// The same for the C ABI.
    gauze_image_desc c_desc() const {
        gauze_image_desc desc{};
        desc.struct_size = sizeof desc;
        desc.type = static_cast<gauze_type>(type);
        desc.channels = channels;
        desc.memory = GAUZE_MEMORY_BUFFER;
        for (std::size_t i = 0; i < 4; ++i) {
            desc.extent[i] = extent[i];
            desc.pitch[i] = pitch[i];
        }
        desc.offset = offset;
        desc.planes = planes;
        desc.plane_pitch = plane_pitch;
        return desc;
    }

    /// Bytes from the start of the memory to the end of the last pixel.
    std::uint64_t bytes() const {
        const gauze_image_desc desc = c_desc();
        std::uint64_t result = 0;
        check(gauze_image_desc_bytes(&desc, &result));
        return result;
    }
};

namespace detail {
template <class T, void (*Destroy)(T *)> struct Deleter {
    void operator()(T *handle) const noexcept { Destroy(handle); }
};
template <class T, void (*Destroy)(T *)> using Handle = std::unique_ptr<T, Deleter<T, Destroy>>;
template <class T, void (*Destroy)(T *)> std::shared_ptr<T> share(T *handle) {
    return std::shared_ptr<T>(handle, Destroy);
}
} // namespace detail

/// Device memory with a description. Moves, does not copy.
class Image {
public:
    /// Describes a tight image of u8.
    static ImageDesc u8(std::int64_t width, std::int64_t height, int channels = 1) {
        return {Type::u8, width, height, channels};
    }
    /// Describes a tight image of u16.
    static ImageDesc u16(std::int64_t width, std::int64_t height, int channels = 1) {
        return {Type::u16, width, height, channels};
    }
    /// Describes a tight image of s16.
    static ImageDesc s16(std::int64_t width, std::int64_t height, int channels = 1) {
        return {Type::s16, width, height, channels};
    }
    /// Describes a tight image of f16.
    static ImageDesc f16(std::int64_t width, std::int64_t height, int channels = 1) {
        return {Type::f16, width, height, channels};
    }
    /// Describes a tight image of f32.
    static ImageDesc f32(std::int64_t width, std::int64_t height, int channels = 1) {
        return {Type::f32, width, height, channels};
    }

    /// Copies all bytes of the description from host memory, which has as many at least; waits.
    void write(const void *host, std::size_t bytes) {
        check(gauze_image_write(handle_.get(), host, bytes));
    }
    /// Copies all bytes of the description to host memory, which has room for them; waits.
    void read(void *host, std::size_t bytes) const {
        check(gauze_image_read(handle_.get(), host, bytes));
    }
    /// The buffer; the image goes on owning it.
    cl_mem mem() const { return gauze_image_mem(handle_.get()); }
    /// The image for the C ABI; the image goes on owning it.
    gauze_image *c_handle() const { return handle_.get(); }

private:
    friend class Engine;
    explicit Image(gauze_image *handle) : handle_(handle) {}
    detail::Handle<gauze_image, gauze_image_destroy> handle_;
};

/// @}

/// @addtogroup filters
/// @{

/// A box of taps, x fastest.
struct Taps {
    std::vector<double> values;                     ///< as many as the product of the sizes; finite
    std::array<std::int64_t, 4> size{1, 1, 1, 1};   ///< along x, y, z, t
    bool has_anchor = false;                        ///< false: the middle, size/2 rounded down
    std::array<std::int64_t, 4> anchor{0, 0, 0, 0}; ///< index into the taps as written

    Taps() = default;
    /// Anchored in the middle. taps: width times height of them.
    Taps(std::vector<double> taps, std::int64_t width, std::int64_t height)
        : values(std::move(taps)), size{width, height, 1, 1} {}
    /// Anchored at one of the taps, counted from 0. taps: width times height of them.
    Taps(std::vector<double> taps, std::int64_t width, std::int64_t height, std::int64_t anchor_x,
         std::int64_t anchor_y)
        : values(std::move(taps)), size{width, height, 1, 1},
          has_anchor(true), anchor{anchor_x, anchor_y, 0, 0} {}
};

/// A filter says what to compute. Copies share one immutable filter.
class Filter {
public:
    /// Takes over a filter of the C ABI.
    explicit Filter(gauze_filter *owned)
        : handle_(detail::share<gauze_filter, gauze_filter_destroy>(owned)) {}
    /// This filter, but with `other` for one component: see gauze_filter_with_component.
    Filter with_component(std::uint32_t component, const Filter &other) const {
        gauze_filter *filter = nullptr;
        check(gauze_filter_with_component(handle_.get(), component, other.c_handle(), &filter));
        return Filter(filter);
    }
    /// How many pixels around its own a result depends on along x, y, z, t, or GAUZE_REACH_WHOLE: see
    /// gauze_filter_reach().
    std::array<std::int64_t, 4> reach(double accuracy = 0) const {
        std::array<std::int64_t, 4> result{};
        check(gauze_filter_reach(handle_.get(), accuracy, result.data()));
        return result;
    }
    /// The filter for the C ABI; this goes on owning it.
    gauze_filter *c_handle() const { return handle_.get(); }

private:
    std::shared_ptr<gauze_filter> handle_;
};

namespace detail {
inline Filter make_filter(gauze_status (*create)(const gauze_taps *, gauze_filter **),
                          const Taps &taps) {
    std::int64_t count = 1;
    for (const std::int64_t n : taps.size) {
        if (n < 0 || (n > 0 && count > INT32_MAX / n))
            throw Error(GAUZE_ERROR_INVALID_ARGUMENT, "taps.size is out of range");
        count *= n == 0 ? 1 : n;
    }
    if (static_cast<std::uint64_t>(count) != taps.values.size())
        throw Error(GAUZE_ERROR_INVALID_ARGUMENT,
                    "taps.values has " + std::to_string(taps.values.size()) +
                        " values where taps.size asks for " + std::to_string(count));
    gauze_taps c_taps{};
    c_taps.struct_size = sizeof c_taps;
    c_taps.values = taps.values.data();
    c_taps.has_anchor = taps.has_anchor ? 1 : 0;
    for (std::size_t i = 0; i < 4; ++i) {
        c_taps.size[i] = taps.size[i];
        c_taps.anchor[i] = taps.anchor[i];
    }
    gauze_filter *filter = nullptr;
    check(create(&c_taps, &filter));
    return Filter(filter);
}
} // namespace detail

/// out[p] = sum over j of k[j] in[p + j - anchor]: see gauze_filter_correlate().
inline Filter correlate(const Taps &taps) {
    return detail::make_filter(gauze_filter_correlate, taps);
}
/// out[p] = sum over j of k[j] in[p - j + anchor]: see gauze_filter_convolve().
inline Filter convolve(const Taps &taps) {
    return detail::make_filter(gauze_filter_convolve, taps);
}

/// Taps along x, y, z, t; none: the axis is not filtered.
struct SeparableTaps {
    std::array<std::vector<double>, 4> values; ///< 1 to 4095 along an axis; finite
    bool has_anchor = false;                   ///< false: the middle of each, count/2 rounded down
    std::array<std::int64_t, 4> anchor{0, 0, 0, 0}; ///< index into each axis's taps
};

/// The correlation with the product of the taps: see gauze_filter_separable().
inline Filter separable(const SeparableTaps &taps) {
    gauze_separable_taps c_taps{};
    c_taps.struct_size = sizeof c_taps;
    c_taps.has_anchor = taps.has_anchor ? 1 : 0;
    for (std::size_t i = 0; i < 4; ++i) {
        c_taps.values[i] = taps.values[i].data();
        c_taps.count[i] = static_cast<std::int64_t>(taps.values[i].size());
        c_taps.anchor[i] = taps.anchor[i];
    }
    gauze_filter *filter = nullptr;
    check(gauze_filter_separable(&c_taps, &filter));
    return Filter(filter);
}
/// The same along x and y, anchored in the middle.
inline Filter separable(std::vector<double> x, std::vector<double> y) {
    SeparableTaps taps;
    taps.values[0] = std::move(x);
    taps.values[1] = std::move(y);
    return separable(taps);
}

/// gauze_gaussian_method as an enumeration.
enum class GaussianMethod : gauze_gaussian_method {
    automatic = GAUZE_GAUSSIAN_AUTO,
    fir = GAUZE_GAUSSIAN_FIR,
    recursive = GAUZE_GAUSSIAN_RECURSIVE,
    box = GAUZE_GAUSSIAN_BOX
};

/// gauze_gaussian as a value.
struct Gaussian {
    std::array<double, 4> sigma{0, 0, 0, 0};           ///< pixels
    std::array<int, 4> derivative{0, 0, 0, 0};         ///< order along each axis, 0 to 2
    double truncate = 4.0;                             ///< FIR: radius in sigmas
    GaussianMethod method = GaussianMethod::automatic; ///< how it is computed
    double accuracy = 0.0; ///< of the recursive method; 0: the library's default
};

namespace detail {
inline gauze_gaussian c_struct(const Gaussian &options) {
    gauze_gaussian c_options{};
    c_options.struct_size = sizeof c_options;
    c_options.method = static_cast<gauze_gaussian_method>(options.method);
    c_options.truncate = options.truncate;
    c_options.accuracy = options.accuracy;
    for (std::size_t i = 0; i < 4; ++i) {
        c_options.sigma[i] = options.sigma[i];
        c_options.derivative[i] = options.derivative[i];
    }
    return c_options;
}
} // namespace detail

/// A Gaussian or its derivatives: see gauze_gaussian.
inline Filter gaussian(const Gaussian &options) {
    const gauze_gaussian c_options = detail::c_struct(options);
    gauze_filter *filter = nullptr;
    check(gauze_filter_gaussian(&c_options, &filter));
    return Filter(filter);
}
/// The same along x and y.
inline Filter gaussian(double sigma) {
    Gaussian options;
    options.sigma = {sigma, sigma, 0, 0};
    return gaussian(options);
}

/// The mean of the pixels at most radius away along each axis, iterations times over: see gauze_box.
inline Filter box(const std::array<std::int64_t, 4> &radius, std::uint32_t iterations = 1) {
    gauze_box c_box{};
    c_box.struct_size = sizeof c_box;
    c_box.iterations = iterations;
    for (std::size_t i = 0; i < 4; ++i)
        c_box.radius[i] = radius[i];
    gauze_filter *filter = nullptr;
    check(gauze_filter_box(&c_box, &filter));
    return Filter(filter);
}
/// The same along x and y.
inline Filter box(std::int64_t radius, std::uint32_t iterations = 1) {
    return box({radius, radius, 0, 0}, iterations);
}

/// gauze_window as a value: the pixels around each that a filter looks at.
struct Window {
    std::array<std::int64_t, 4> size{1, 1, 1, 1}; ///< pixels along x, y, z, t
    std::array<std::int64_t, 4> anchor{};
    bool has_anchor = false; ///< else it is size / 2, rounded down
    std::vector<std::uint8_t>
        footprint; ///< x fastest, not 0 where a pixel counts; empty: all of them

    Window() = default;
    /// The square around each pixel.
    explicit Window(std::int64_t side) : size{side, side, 1, 1} {}
    /// A box.
    explicit Window(const std::array<std::int64_t, 4> &box) : size(box) {}
};

namespace detail {
/// Returns a window's values, one for each of its pixels; NULL where there are none.
template <class T>
const T *values_of(const Window &window, const std::vector<T> &values, const char *what) {
    if (values.empty())
        return nullptr;
    std::int64_t count = 1;
    for (const std::int64_t side : window.size)
        count *= side > 0 && side < INT32_MAX / count ? side : 1;
    if (static_cast<std::int64_t>(values.size()) != count)
        throw Error(GAUZE_ERROR_INVALID_ARGUMENT,
                    std::string(what) + std::to_string(values.size()) + " values, and the window " +
                        std::to_string(count) + " pixels");
    return values.data();
}

/// Calls make(const gauze_window *, gauze_filter **).
template <class Make> Filter with_window(const Window &window, Make make) {
    gauze_window c_window{};
    c_window.struct_size = sizeof c_window;
    c_window.has_anchor = window.has_anchor ? 1 : 0;
    for (std::size_t i = 0; i < 4; ++i) {
        c_window.size[i] = window.size[i];
        c_window.anchor[i] = window.anchor[i];
    }
    c_window.footprint = values_of(window, window.footprint, "the footprint has ");
    gauze_filter *filter = nullptr;
    check(make(&c_window, &filter));
    return Filter(filter);
}
} // namespace detail

/// The least pixel of a window: see gauze_filter_minimum.
inline Filter minimum(const Window &window) {
    return detail::with_window(window, gauze_filter_minimum);
}
/// The largest pixel of a window.
inline Filter maximum(const Window &window) {
    return detail::with_window(window, gauze_filter_maximum);
}
/// The middle one of the pixels of a window.
inline Filter median(const Window &window) {
    return detail::with_window(window, gauze_filter_median);
}
/// The pixel with so many percent of the window's pixels below it: see gauze_filter_percentile.
inline Filter percentile(const Window &window, double percent) {
    return detail::with_window(window, [&](const gauze_window *c_window, gauze_filter **filter) {
        return gauze_filter_percentile(c_window, percent, filter);
    });
}
/// The pixel with `rank` of the window's pixels below it, or, where it is negative, from the largest on.
inline Filter rank(const Window &window, std::int64_t rank) {
    return detail::with_window(window, [&](const gauze_window *c_window, gauze_filter **filter) {
        return gauze_filter_rank(c_window, rank, filter);
    });
}

namespace detail {
/// The square around each pixel, of which those places count for which counts(x, y) says so.
template <class Counts> Window footprint_of(std::int64_t radius, Counts counts) {
    constexpr std::int64_t most = 31; // a footprint's longest side is 63
    if (radius < 0 || radius > most)
        throw Error(GAUZE_ERROR_INVALID_ARGUMENT, "the radius is " + std::to_string(radius) +
                                                      "; it must be from 0 to " +
                                                      std::to_string(most));
    Window window(2 * radius + 1);
    for (std::int64_t y = -radius; y <= radius; ++y)
        for (std::int64_t x = -radius; x <= radius; ++x)
            window.footprint.push_back(counts(x, y) ? 1 : 0);
    return window;
}
} // namespace detail

/// The pixels at most `radius` away in the pixel's own row and column. radius: 0 to 31.
inline Window cross(std::int64_t radius) {
    return detail::footprint_of(radius,
                                [](std::int64_t x, std::int64_t y) { return x == 0 || y == 0; });
}
/// The pixels at most `radius` away: x^2 + y^2 <= radius^2. radius: 0 to 31.
inline Window disk(std::int64_t radius) {
    return detail::footprint_of(radius, [radius](std::int64_t x, std::int64_t y) {
        return x * x + y * y <= radius * radius;
    });
}

/// A window of morphology, and its weights: one for each pixel of the box, x fastest; none: flat. A Window is one
/// without weights.
struct Structure {
    Window window;
    std::vector<float> weights;

    Structure(Window flat) : window(std::move(flat)) {}
    Structure(Window own_window, std::vector<float> own_weights)
        : window(std::move(own_window)), weights(std::move(own_weights)) {}
};

namespace detail {
inline Filter morphology(gauze_morphology_operation operation, const Structure &structure,
                         std::uint32_t iterations) {
    gauze_morphology c_morphology{};
    c_morphology.struct_size = sizeof c_morphology;
    c_morphology.iterations = iterations;
    c_morphology.operation = operation;
    c_morphology.weights =
        values_of(structure.window, structure.weights, "the structure's weights have ");
    return with_window(structure.window, [&](const gauze_window *window, gauze_filter **filter) {
        c_morphology.window = window;
        return gauze_filter_morphology(&c_morphology, filter);
    });
}
} // namespace detail

/// The least of the pixels around each, less their weights: see gauze_morphology.
inline Filter erode(const Structure &structure, std::uint32_t iterations = 1) {
    return detail::morphology(GAUZE_MORPHOLOGY_ERODE, structure, iterations);
}
/// The largest of the pixels whose window each is in, plus their weights.
inline Filter dilate(const Structure &structure, std::uint32_t iterations = 1) {
    return detail::morphology(GAUZE_MORPHOLOGY_DILATE, structure, iterations);
}
/// The erosions, and then as many dilations.
inline Filter open(const Structure &structure, std::uint32_t iterations = 1) {
    return detail::morphology(GAUZE_MORPHOLOGY_OPEN, structure, iterations);
}
/// The dilations, and then as many erosions.
inline Filter close(const Structure &structure, std::uint32_t iterations = 1) {
    return detail::morphology(GAUZE_MORPHOLOGY_CLOSE, structure, iterations);
}
/// The image less its opening.
inline Filter top_hat(const Structure &structure, std::uint32_t iterations = 1) {
    return detail::morphology(GAUZE_MORPHOLOGY_TOP_HAT, structure, iterations);
}
/// The image's closing less the image.
inline Filter black_hat(const Structure &structure, std::uint32_t iterations = 1) {
    return detail::morphology(GAUZE_MORPHOLOGY_BLACK_HAT, structure, iterations);
}
/// The dilation less the erosion.
inline Filter morphological_gradient(const Structure &structure, std::uint32_t iterations = 1) {
    return detail::morphology(GAUZE_MORPHOLOGY_GRADIENT, structure, iterations);
}
/// The dilation less the image, less the image less the erosion.
inline Filter morphological_laplace(const Structure &structure, std::uint32_t iterations = 1) {
    return detail::morphology(GAUZE_MORPHOLOGY_LAPLACE, structure, iterations);
}

/// The mean of the pixels at most radius[i] away along x, y, z, weighed by distance and likeness: see gauze_bilateral.
/// radius: 0 to 15, or -1 for int(2 sigma_space + 0.5). accuracy: 0, or 1e-6 and more.
inline Filter bilateral(double sigma_space, double sigma_range,
                        const std::array<std::int64_t, 3> &radius = {-1, -1, 0},
                        double accuracy = 0.0) {
    gauze_bilateral c_bilateral{};
    c_bilateral.struct_size = sizeof c_bilateral;
    c_bilateral.sigma_space = sigma_space;
    c_bilateral.sigma_range = sigma_range;
    for (std::size_t i = 0; i < radius.size(); ++i)
        c_bilateral.radius[i] = radius[i];
    c_bilateral.accuracy = accuracy;
    gauze_filter *filter = nullptr;
    check(gauze_filter_bilateral(&c_bilateral, &filter));
    return Filter(filter);
}

/// gauze_nlm as a value, but for its strength.
struct NonLocalMeansOptions {
    int patch = 7, window = 21; ///< pixels a side, odd, up to 15 and 63
    double accuracy = 0.0;      ///< 0, or 1e-6 and more: see gauze_bilateral
};

/// The mean of the pixels of a window, weighed by how like the patches around them are to that around the middle: see
/// gauze_nlm. strength: in units of pixels' values.
inline Filter non_local_means(double strength, const NonLocalMeansOptions &options = {}) {
    gauze_nlm c_nlm{};
    c_nlm.struct_size = sizeof c_nlm;
    c_nlm.patch = options.patch;
    c_nlm.window = options.window;
    c_nlm.strength = strength;
    c_nlm.accuracy = options.accuracy;
    gauze_filter *filter = nullptr;
    check(gauze_filter_nlm(&c_nlm, &filter));
    return Filter(filter);
}

/// Which way a scan goes: towards higher coordinates, or towards lower ones.
enum class Direction : std::int32_t { forward = 1, backward = -1 };

/// gauze_scan as a value: y[n] = sum of feedforward[i] x[n - i] + sum of feedback[i] y[n - 1 - i].
struct Scan {
    int axis = 0;                             ///< x, y, z
    Direction direction = Direction::forward; ///< of n
    std::vector<double> feedforward{1.0};     ///< 1 to 4096; finite
    std::vector<double> feedback;             ///< up to 4096; finite
};

/// gauze_recursive as a value, but for its scans.
struct RecursiveOptions {
    std::string grouping;        ///< "": the library's choice
    std::int64_t tile = 0;       ///< pixels; 0: the library's choice
    bool allow_unstable = false; ///< take poles on the unit circle or outside
    bool zero_phase = false;     ///< the scans again in the other direction
    double accuracy = 0.0;       ///< the error bound wanted, of full scale; 0: the library's own
};

/// Scans, each of the result of the one before: see gauze_recursive.
inline Filter recursive(const std::vector<Scan> &scans, const RecursiveOptions &options = {}) {
    std::vector<gauze_scan> c_scans;
    for (const Scan &scan : scans) {
        gauze_scan c_scan{};
        c_scan.struct_size = sizeof c_scan;
        c_scan.axis = scan.axis;
        c_scan.direction = static_cast<std::int32_t>(scan.direction);
        c_scan.feedforward_count = static_cast<std::uint32_t>(scan.feedforward.size());
        c_scan.feedback_count = static_cast<std::uint32_t>(scan.feedback.size());
        c_scan.feedforward = scan.feedforward.data();
        c_scan.feedback = scan.feedback.data();
        c_scans.push_back(c_scan);
    }
    gauze_recursive c_options{};
    c_options.struct_size = sizeof c_options;
    c_options.scan_count = static_cast<std::uint32_t>(c_scans.size());
    c_options.scans = c_scans.data();
    c_options.grouping = options.grouping.c_str();
    c_options.tile = options.tile;
    c_options.allow_unstable = options.allow_unstable ? 1 : 0;
    c_options.zero_phase = options.zero_phase ? 1 : 0;
    c_options.accuracy = options.accuracy;
    gauze_filter *filter = nullptr;
    check(gauze_filter_recursive(&c_options, &filter));
    return Filter(filter);
}

/// A second-order section: b0 b1 b2 a0 a1 a2, a row of scipy.signal's sos. a0 is 1.
using Section = std::array<double, 6>;

/// gauze_sections as a value, but for its rows.
struct SectionsOptions {
    std::array<std::int32_t, 4> direction{1, 0, 0, 0}; ///< along x, y, z: 1, -1; 0: not filtered
    std::int64_t tile = 0;                             ///< pixels; 0: the library's choice
    bool zero_phase = false; ///< the sections again in the other direction
    double accuracy = 0.0;   ///< the error bound wanted, of full scale; 0: the library's own
};

/// Second-order sections, a row after the other: see gauze_sections.
inline Filter sections(const std::vector<Section> &rows, const SectionsOptions &options = {}) {
    std::vector<double> values;
    for (const Section &row : rows)
        values.insert(values.end(), row.begin(), row.end());
    gauze_sections c_sections{};
    c_sections.struct_size = sizeof c_sections;
    c_sections.section_count = static_cast<std::uint32_t>(rows.size());
    c_sections.rows = values.data();
    for (std::size_t i = 0; i < 4; ++i)
        c_sections.direction[i] = options.direction[i];
    c_sections.tile = options.tile;
    c_sections.accuracy = options.accuracy;
    c_sections.zero_phase = options.zero_phase ? 1 : 0;
    gauze_filter *filter = nullptr;
    check(gauze_filter_sections(&c_sections, &filter));
    return Filter(filter);
}

/// A summed-area table; its border is Border::zero().
inline Filter sat() {
    gauze_filter *filter = nullptr;
    check(gauze_filter_sat(&filter));
    return Filter(filter);
}

/// Coefficients of B-splines of degree 2 to 5.
inline Filter bspline(int order) {
    gauze_filter *filter = nullptr;
    check(gauze_filter_bspline(order, &filter));
    return Filter(filter);
}

/// The Gaussian of the first sigma less that of the second, along x and y.
inline Filter dog(double sigma, double other_sigma,
                  GaussianMethod method = GaussianMethod::automatic) {
    gauze_dog c_dog{};
    c_dog.struct_size = sizeof c_dog;
    c_dog.method = static_cast<gauze_gaussian_method>(method);
    c_dog.sigma[0] = sigma;
    c_dog.sigma[1] = other_sigma;
    gauze_filter *filter = nullptr;
    check(gauze_filter_dog(&c_dog, &filter));
    return Filter(filter);
}

/// Several filters of one image, each with a target of its own: see gauze_filter_bank.
inline Filter bank(const std::vector<Filter> &filters) {
    std::vector<const gauze_filter *> handles;
    for (const Filter &filter : filters)
        handles.push_back(filter.c_handle());
    gauze_filter *filter = nullptr;
    check(gauze_filter_bank(handles.data(), static_cast<std::uint32_t>(handles.size()), &filter));
    return Filter(filter);
}

/// The weights of the mean of the pixels around each: a Gaussian's, or a box's.
struct LocalMean {
    bool is_box = false;
    Gaussian gaussian;                    ///< without derivatives
    std::array<std::int64_t, 4> radius{}; ///< of the box: see gauze_box
    std::uint32_t iterations = 1;         ///< of the box

    /// Those of a Gaussian along x and y.
    static LocalMean of_gaussian(double sigma) {
        Gaussian own;
        own.sigma = {sigma, sigma, 0, 0};
        return of_gaussian(own);
    }
    /// Those of any Gaussian.
    static LocalMean of_gaussian(const Gaussian &own) {
        LocalMean result;
        result.gaussian = own;
        return result;
    }
    /// Those of a box.
    static LocalMean of_box(const std::array<std::int64_t, 4> &own, std::uint32_t times = 1) {
        LocalMean result;
        result.is_box = true;
        result.radius = own;
        result.iterations = times;
        return result;
    }
    /// Those of a box along x and y.
    static LocalMean of_box(std::int64_t own) { return of_box({own, own, 0, 0}); }
};

/// What guides a guided filter.
enum class Guide : gauze_guide {
    channels = GAUZE_GUIDE_CHANNELS, ///< the image, each channel by itself
    color = GAUZE_GUIDE_COLOR,       ///< the image, its 3 channels together
    image = GAUZE_GUIDE_IMAGE        ///< a second source: see PlanOptions::guide
};

/// The image as a linear function of a guide around each pixel, in squares of 2 radius + 1 pixels: see gauze_guided.
inline Filter guided(std::int64_t radius, double epsilon, Guide guide = Guide::channels) {
    gauze_guided c_guided{};
    c_guided.struct_size = sizeof c_guided;
    c_guided.guide = static_cast<gauze_guide>(guide);
    c_guided.radius = radius;
    c_guided.epsilon = epsilon;
    gauze_filter *filter = nullptr;
    check(gauze_filter_guided(&c_guided, &filter));
    return Filter(filter);
}

namespace detail {
inline Filter local(gauze_local_result result, const LocalMean &mean, double amount = 0,
                    double threshold = 0, double epsilon = 0) {
    const gauze_gaussian c_gaussian = c_struct(mean.gaussian);
    gauze_box c_box{};
    c_box.struct_size = sizeof c_box;
    c_box.iterations = mean.iterations;
    for (std::size_t i = 0; i < 4; ++i)
        c_box.radius[i] = mean.radius[i];
    gauze_local c_local{};
    c_local.struct_size = sizeof c_local;
    c_local.result = result;
    c_local.gaussian = mean.is_box ? nullptr : &c_gaussian;
    c_local.box = mean.is_box ? &c_box : nullptr;
    c_local.amount = amount;
    c_local.threshold = threshold;
    c_local.epsilon = epsilon;
    gauze_filter *filter = nullptr;
    check(gauze_filter_local(&c_local, &filter));
    return Filter(filter);
}
} // namespace detail

/// Unsharp masking, with d = in - mean: in + amount d where |d| > threshold, else in. See gauze_local.
inline Filter unsharp(const LocalMean &mean, double amount, double threshold = 0) {
    return detail::local(GAUZE_LOCAL_UNSHARP, mean, amount, threshold);
}
/// That of a Gaussian along x and y.
inline Filter unsharp(double sigma, double amount, double threshold = 0) {
    return unsharp(LocalMean::of_gaussian(sigma), amount, threshold);
}
/// The pixel less the mean around it.
inline Filter high_pass(const LocalMean &mean) {
    return detail::local(GAUZE_LOCAL_HIGH_PASS, mean);
}
/// The mean of the squares less the square of the mean.
inline Filter local_variance(const LocalMean &mean) {
    return detail::local(GAUZE_LOCAL_VARIANCE, mean);
}
/// The root of the variance.
inline Filter local_deviation(const LocalMean &mean) {
    return detail::local(GAUZE_LOCAL_DEVIATION, mean);
}
/// The pixel less the mean, over the deviation, or over epsilon where that is more.
inline Filter local_normalization(const LocalMean &mean, double epsilon) {
    return detail::local(GAUZE_LOCAL_NORMALIZED, mean, 0, 0, epsilon);
}

/// gauze_derivative_method as an enumeration.
enum class DerivativeMethod : gauze_derivative_method {
    central = GAUZE_DERIVATIVE_CENTRAL,
    sobel = GAUZE_DERIVATIVE_SOBEL,
    prewitt = GAUZE_DERIVATIVE_PREWITT,
    scharr = GAUZE_DERIVATIVE_SCHARR,
    gaussian = GAUZE_DERIVATIVE_GAUSSIAN
};

/// How derivatives are estimated: by three pixels along each of the axes, from x on, or by a Gaussian along those
/// that have a sigma.
struct Derivatives {
    DerivativeMethod method = DerivativeMethod::central;
    int dimensions = 2; ///< by three pixels: 1 to 4
    Gaussian gaussian;  ///< without derivatives

    Derivatives(DerivativeMethod by = DerivativeMethod::central, int axes = 2)
        : method(by), dimensions(axes) {}
    Derivatives(Gaussian by) : method(DerivativeMethod::gaussian), gaussian(std::move(by)) {}

    /// How many there are of first order.
    int count() const {
        if (method != DerivativeMethod::gaussian)
            return dimensions;
        int axes = 0;
        for (const double sigma : gaussian.sigma)
            axes += sigma > 0.0 ? 1 : 0;
        return axes;
    }
    /// The axis of one of them: 0 to 3 for x to t.
    int axis(int number) const {
        if (method != DerivativeMethod::gaussian)
            return number;
        for (std::size_t i = 0; i < gaussian.sigma.size(); ++i)
            if (gaussian.sigma[i] > 0.0 && number-- == 0)
                return static_cast<int>(i);
        return -1;
    }
};

namespace detail {
inline Filter derivative(const Derivatives &by, gauze_derivative_result result, int axis = 0,
                         int other_axis = 0, const gauze_gaussian *smoothing = nullptr) {
    const gauze_gaussian c_gaussian = c_struct(by.gaussian);
    gauze_derivative c_derivative{};
    c_derivative.struct_size = sizeof c_derivative;
    c_derivative.method = static_cast<gauze_derivative_method>(by.method);
    c_derivative.result = result;
    // The library takes 0 for its default.
    c_derivative.dimensions = by.dimensions == 0 ? -1 : by.dimensions;
    c_derivative.axis[0] = axis;
    c_derivative.axis[1] = other_axis;
    c_derivative.gaussian = &c_gaussian;
    c_derivative.smoothing = smoothing;
    gauze_filter *filter = nullptr;
    check(gauze_filter_derivative(&c_derivative, &filter));
    return Filter(filter);
}
} // namespace detail

/// The derivative along an axis, 0 to 3 for x to t: see gauze_derivative.
inline Filter derivative(const Derivatives &by, int axis) {
    return detail::derivative(by, GAUZE_DERIVATIVE_FIRST, axis);
}
/// The second derivative along two axes, or twice along one: an entry of the Hessian. Central or Gaussian.
inline Filter second_derivative(const Derivatives &by, int axis, int other_axis) {
    return detail::derivative(by, GAUZE_DERIVATIVE_SECOND, axis, other_axis);
}
/// The difference of the pixels on each side, smoothed along the other axes: scipy.ndimage.sobel.
inline Filter sobel(int axis, int dimensions = 2) {
    return derivative({DerivativeMethod::sobel, dimensions}, axis);
}
/// The same, with three pixels weighted evenly: scipy.ndimage.prewitt.
inline Filter prewitt(int axis, int dimensions = 2) {
    return derivative({DerivativeMethod::prewitt, dimensions}, axis);
}
/// The same, with three pixels weighted 3/16, 10/16, 3/16.
inline Filter scharr(int axis, int dimensions = 2) {
    return derivative({DerivativeMethod::scharr, dimensions}, axis);
}
/// The sum of second derivatives, central or Gaussian: scipy.ndimage.laplace, gaussian_laplace.
inline Filter laplacian(const Derivatives &by) {
    return detail::derivative(by, GAUZE_DERIVATIVE_LAPLACIAN);
}
/// That of central differences.
inline Filter laplace(int dimensions = 2) {
    return laplacian({DerivativeMethod::central, dimensions});
}
/// The root of the sum of the squares of the first derivatives.
inline Filter gradient_magnitude(const Derivatives &by = {}) {
    return detail::derivative(by, GAUZE_DERIVATIVE_MAGNITUDE);
}
/// The direction of the gradient in radians, from -pi to pi: 0 where it rises to the right, pi / 2 where it rises
/// downwards.
inline Filter gradient_orientation(const Derivatives &by = {}) {
    return detail::derivative(by, GAUZE_DERIVATIVE_ORIENTATION);
}
/// All first derivatives, along x first: a bank, with as many targets.
inline Filter gradient(const Derivatives &by = {}) {
    std::vector<Filter> filters;
    for (int i = 0; i < by.count(); ++i)
        filters.push_back(derivative(by, by.axis(i)));
    return bank(filters);
}
/// All second derivatives, central or Gaussian: a bank with the targets xx, xy, yy, or xx, xy, xz, yy, yz, zz.
inline Filter hessian(const Derivatives &by = {}) {
    std::vector<Filter> filters;
    for (int i = 0; i < by.count(); ++i)
        for (int j = i; j < by.count(); ++j)
            filters.push_back(second_derivative(by, by.axis(i), by.axis(j)));
    return bank(filters);
}
/// An eigenvalue of the Hessian of 2 or 3 axes, central or Gaussian: 0 is the largest.
inline Filter hessian_eigenvalue(const Derivatives &by, int number) {
    return detail::derivative(by, GAUZE_DERIVATIVE_EIGENVALUE, number);
}
/// All of them, the largest first: a bank, with a target for each axis.
inline Filter hessian_eigenvalues(const Derivatives &by = {}) {
    std::vector<Filter> filters;
    for (int i = 0; i < by.count(); ++i)
        filters.push_back(hessian_eigenvalue(by, i));
    return bank(filters);
}
/// An entry of the structure tensor: the product of the derivatives along two axes, or the square of one, smoothed
/// by a Gaussian without derivatives.
inline Filter structure(const Derivatives &by, int axis, int other_axis,
                        const Gaussian &smoothing) {
    const gauze_gaussian c_smoothing = detail::c_struct(smoothing);
    return detail::derivative(by, GAUZE_DERIVATIVE_STRUCTURE, axis, other_axis, &c_smoothing);
}
/// All of them: a bank with the targets xx, xy, yy, or xx, xy, xz, yy, yz, zz.
inline Filter structure_tensor(const Derivatives &by, const Gaussian &smoothing) {
    std::vector<Filter> filters;
    for (int i = 0; i < by.count(); ++i)
        for (int j = i; j < by.count(); ++j)
            filters.push_back(structure(by, by.axis(i), by.axis(j), smoothing));
    return bank(filters);
}

/// @}

/// @addtogroup plans
/// @{

/// Pixels in host memory.
struct HostPixels {
    const void *data = nullptr; ///< the first pixel
    std::size_t bytes = 0;      ///< size of the memory

    /// The caller's memory, which must outlive this.
    HostPixels(const void *pixels, std::size_t size) : data(pixels), bytes(size) {}
    /// The pixels of a contiguous container (std::vector, std::array, ...), which must outlive this.
    template <class Pixels, class = decltype(std::declval<const Pixels &>().data())>
    HostPixels(const Pixels &pixels)
        : data(pixels.data()), bytes(pixels.size() * sizeof(*pixels.data())) {}
};

/// The same, to be written.
struct HostTarget {
    void *data = nullptr;  ///< the first pixel
    std::size_t bytes = 0; ///< size of the memory

    /// The caller's memory, which must outlive this.
    HostTarget(void *pixels, std::size_t size) : data(pixels), bytes(size) {}
    /// The pixels of a contiguous container, which must outlive this and keep its size.
    template <class Pixels, class = decltype(std::declval<Pixels &>().data())>
    HostTarget(Pixels &pixels)
        : data(pixels.data()), bytes(pixels.size() * sizeof(*pixels.data())) {}
};

/// gauze_border and its value: how an image is extended beyond its edges. abcd are the pixels of a line.
struct Border {
    gauze_border mode = GAUZE_BORDER_CLAMP; ///< which border
    double value = 0.0;                     ///< of a constant border, in units of the pixels

    static Border clamp() { return {GAUZE_BORDER_CLAMP, 0.0}; }             ///< aaa|abcd|ddd
    static Border constant(double v) { return {GAUZE_BORDER_CONSTANT, v}; } ///< vvv|abcd|vvv
    static Border reflect() { return {GAUZE_BORDER_REFLECT, 0.0}; }         ///< cba|abcd|dcb
    static Border reflect101() { return {GAUZE_BORDER_REFLECT101, 0.0}; }   ///< dcb|abcd|cba
    static Border wrap() { return {GAUZE_BORDER_WRAP, 0.0}; }               ///< bcd|abcd|abc
    static Border zero() { return {GAUZE_BORDER_ZERO, 0.0}; } ///< of recursive filters
};

/// gauze_region_edge as an enumeration: what lies around a region.
enum class RegionEdge : gauze_region_edge {
    isolated = GAUZE_REGION_ISOLATED,
    neighbours = GAUZE_REGION_NEIGHBOURS
};

/// gauze_region as a value: a box of source pixels, and where its result goes.
struct Region {
    std::array<std::int64_t, 4> source_origin{0, 0, 0, 0}; ///< first pixel along x, y, z, t
    std::array<std::int64_t, 4> extent{0, 0, 0, 0};        ///< 0: up to the source image's end
    std::array<std::int64_t, 4> target_origin{0, 0, 0, 0}; ///< first pixel of the result
    RegionEdge edge = RegionEdge::isolated; ///< whether pixels around the region are read
};

/// How results become integers; both saturate: see gauze_store.
enum class Store : gauze_store {
    saturate = GAUZE_STORE_SATURATE, ///< rounds half to even
    truncate = GAUZE_STORE_TRUNCATE  ///< cuts off the fraction, as a C cast does
};

/// The members of gauze_plan_desc besides images.
struct PlanOptions {
    Border border;                ///< clamp unless said otherwise
    std::optional<Region> region; ///< none: the whole image
    std::string variant;          ///< "": the library's choice
    /// The second source of a guided filter, whose guide is an image of its own; none for all other filters.
    std::optional<ImageDesc> guide;
    Store store = Store::saturate; ///< how results become integers

    /// Sets the border.
    PlanOptions &with_border(Border b) {
        border = b;
        return *this;
    }
    /// Sets the region.
    PlanOptions &with_region(const Region &r) {
        region = r;
        return *this;
    }
    /// Sets the variant.
    PlanOptions &with_variant(std::string v) {
        variant = std::move(v);
        return *this;
    }
    /// Sets how results become integers.
    PlanOptions &with_store(Store s) {
        store = s;
        return *this;
    }
    /// Sets the guide.
    PlanOptions &with_guide(const ImageDesc &g) {
        guide = g;
        return *this;
    }
};

/// gauze_timing as a value.
struct Timing {
    double device_ms = 0;             ///< median time on the device
    double wall_ms = 0;               ///< median time from the call to its completion
    double copy_ms = 0;               ///< median time of a copy of as many bytes
    bool device_time_is_wall = false; ///< device_ms is a wall-clock time
    int launches = 0;                 ///< of kernels, in one run
};

/// Times of a plan and a baseline that ran in turn.
struct Comparison {
    double time_ms = 0;               ///< median time of the plan
    double baseline_ms = 0;           ///< median time of the baseline
    double ratio = 0;                 ///< median of the ratios of a run to the baseline's beside it
    bool device_time_is_wall = false; ///< these are wall-clock times
};

/// gauze_verification as a value.
struct Verification {
    bool within_bound = false; ///< worst_error <= bound
    double worst_error = 0;    ///< largest absolute difference from the reference, in pixels' units
    double bound = 0;          ///< the filter's stated bound for the source
    std::array<std::int64_t, 6> worst_at{}; ///< x, y, z, t, plane, channel of the worst pixel
    std::uint64_t pixels = 0;               ///< number of pixels compared
    std::uint32_t worst_target = 0;         ///< which target of a bank the worst pixel is in
};

/// How a run on host memory goes.
struct RunOptions {
    /// Returns whether to go on: see gauze_progress_callback. May throw, which cancels the run and comes out
    /// of it.
    std::function<bool(std::uint64_t done, std::uint64_t total)> progress;
    std::uint64_t max_device_bytes = 0; ///< 0: what the device has
};

/// How to compute it. Immutable; moves, does not copy. May run from many threads at once.
class Plan {
public:
    /// Host memory, sized: filters and waits. Throws an Error with GAUZE_ERROR_CANCELLED where the options'
    /// progress asks for it.
    void run(const void *source, std::size_t source_bytes, void *target, std::size_t target_bytes,
             const RunOptions &options = {}) const {
        run(HostPixels(source, source_bytes), {HostTarget(target, target_bytes)}, options);
    }
    /// The same for contiguous containers of pixels (std::vector, std::array, ...).
    template <class Source, class Target>
    void run(const Source &source, Target &target, const RunOptions &options = {}) const {
        run(source.data(), source.size() * sizeof(*source.data()), target.data(),
            target.size() * sizeof(*target.data()), options);
    }
    /// Several targets, of a bank.
    void run(const HostPixels &source, const std::vector<HostTarget> &targets,
             const RunOptions &options = {}) const {
        run_sources({source}, targets, options);
    }
    /// Several sources: the image and its guide.
    void run_sources(const std::vector<HostPixels> &sources, const std::vector<HostTarget> &targets,
                     const RunOptions &options = {}) const {
        std::vector<gauze_host_source> src;
        for (const HostPixels &source : sources)
            src.push_back({source.data, source.bytes});
        std::vector<gauze_host_target> dst;
        for (const HostTarget &target : targets)
            dst.push_back({target.data, target.bytes});
        Progress progress{&options, {}};
        gauze_run_options c_options{};
        c_options.struct_size = sizeof c_options;
        c_options.progress = options.progress ? Progress::report : nullptr;
        c_options.progress_user = &progress;
        c_options.max_device_bytes = options.max_device_bytes;
        const gauze_status status =
            gauze_plan_run(handle_.get(), src.data(), static_cast<std::uint32_t>(src.size()),
                           dst.data(), static_cast<std::uint32_t>(dst.size()), &c_options);
        if (progress.thrown)
            std::rethrow_exception(progress.thrown);
        check(status);
    }

    /// Device memory: enqueues and returns. done, where given, receives an event that the caller
    /// releases. workspace, where given, has at least workspace_bytes().
    void enqueue(cl_command_queue queue, cl_mem source, cl_mem target,
                 const std::vector<cl_event> &wait_list = {}, cl_event *done = nullptr,
                 cl_mem workspace = nullptr) const {
        enqueue(queue, source, std::vector<cl_mem>{target}, wait_list, done, workspace);
    }
    /// The same with several targets, of a bank.
    void enqueue(cl_command_queue queue, cl_mem source, const std::vector<cl_mem> &targets,
                 const std::vector<cl_event> &wait_list = {}, cl_event *done = nullptr,
                 cl_mem workspace = nullptr) const {
        enqueue_sources(queue, {source}, targets, wait_list, done, workspace);
    }
    /// The same with several sources: the image and its guide.
    void enqueue_sources(cl_command_queue queue, const std::vector<cl_mem> &sources,
                         const std::vector<cl_mem> &targets,
                         const std::vector<cl_event> &wait_list = {}, cl_event *done = nullptr,
                         cl_mem workspace = nullptr) const {
        check(gauze_plan_enqueue(handle_.get(), queue, sources.data(),
                                 static_cast<std::uint32_t>(sources.size()), targets.data(),
                                 static_cast<std::uint32_t>(targets.size()), workspace,
                                 static_cast<std::uint32_t>(wait_list.size()),
                                 wait_list.empty() ? nullptr : wait_list.data(), done));
    }

    /// Bytes of workspace that enqueue() needs; 0 for none.
    std::uint64_t workspace_bytes() const {
        std::uint64_t bytes = 0;
        check(gauze_plan_workspace_bytes(handle_.get(), &bytes));
        return bytes;
    }

    /// Compiles what the plan needs; otherwise the first run does.
    void prepare() const { check(gauze_plan_prepare(handle_.get())); }

    /// Which kernels run and why, what was refused and why, launches, bytes moved and workspace.
    std::string explain() const {
        const char *text = nullptr;
        check(gauze_plan_explain(handle_.get(), &text));
        return text;
    }

    /// The filter with the methods of its Gaussians settled, for plans of parts of an image that are to be computed as
    /// the whole is: see gauze_plan_filter().
    Filter filter() const {
        gauze_filter *filter = nullptr;
        check(gauze_plan_filter(handle_.get(), &filter));
        return Filter(filter);
    }

    /// Names and configurations of the kernels that run on device memory.
    std::string variant() const {
        const char *text = nullptr;
        check(gauze_plan_variant(handle_.get(), &text));
        return text;
    }

    /// Runs the plan repeats times (1 to 1000000), each followed by a plain copy: see gauze_plan_measure().
    Timing measure(const Image &source, Image &target, unsigned repeats) const {
        return measure(source, std::vector<Image *>{&target}, repeats);
    }
    /// The same with several targets, of a bank.
    Timing measure(const Image &source, const std::vector<Image *> &targets,
                   unsigned repeats) const {
        return measure_sources({&source}, targets, repeats);
    }
    /// The same with several sources: the image and its guide.
    Timing measure_sources(const std::vector<const Image *> &sources,
                           const std::vector<Image *> &targets, unsigned repeats) const {
        std::vector<const gauze_image *> c_sources;
        for (const Image *source : sources)
            c_sources.push_back(source ? source->c_handle() : nullptr);
        std::vector<gauze_image *> c_targets;
        for (const Image *target : targets)
            c_targets.push_back(target ? target->c_handle() : nullptr);
        gauze_timing timing{};
        timing.struct_size = sizeof timing;
        check(gauze_plan_measure_sources(
            handle_.get(), c_sources.data(), static_cast<std::uint32_t>(c_sources.size()),
            c_targets.data(), static_cast<std::uint32_t>(c_targets.size()), repeats, &timing));
        return {timing.device_ms, timing.wall_ms, timing.copy_ms, timing.device_time_is_wall != 0,
                timing.launches};
    }

    /// In turn with a baseline on the same images.
    Comparison compare(const Plan &baseline, const Image &source, Image &target,
                       unsigned repeats) const {
        gauze_comparison result{};
        result.struct_size = sizeof result;
        check(gauze_plan_compare(handle_.get(), baseline.c_handle(), source.c_handle(),
                                 target.c_handle(), repeats, &result));
        return {result.time_ms, result.baseline_ms, result.ratio, result.device_time_is_wall != 0};
    }

    /// Recomputes every pixel of the target region in double on the host, and compares.
    Verification verify(const void *source, std::size_t source_bytes, const void *target,
                        std::size_t target_bytes) const {
        return verify({source, source_bytes}, {HostPixels(target, target_bytes)});
    }
    /// The same with several targets, of a bank.
    Verification verify(const HostPixels &source, const std::vector<HostPixels> &targets) const {
        return verify_sources({source}, targets);
    }
    /// The same with several sources: as many as the plan has.
    Verification verify_sources(const std::vector<HostPixels> &sources,
                                const std::vector<HostPixels> &targets) const {
        std::vector<gauze_host_source> src, dst;
        for (const HostPixels &source : sources)
            src.push_back({source.data, source.bytes});
        for (const HostPixels &target : targets)
            dst.push_back({target.data, target.bytes});
        gauze_verification c_result{};
        c_result.struct_size = sizeof c_result;
        check(gauze_plan_verify(handle_.get(), src.data(), dst.data(),
                                static_cast<std::uint32_t>(dst.size()), &c_result));
        Verification result;
        result.within_bound = c_result.within_bound != 0;
        result.worst_error = c_result.worst_error;
        result.bound = c_result.bound;
        result.pixels = c_result.pixels;
        result.worst_target = c_result.worst_target;
        for (std::size_t i = 0; i < result.worst_at.size(); ++i)
            result.worst_at[i] = c_result.worst_at[i];
        return result;
    }

    /// The plan for the C ABI; this goes on owning it.
    gauze_plan *c_handle() const { return handle_.get(); }

private:
    friend class Engine;
    explicit Plan(gauze_plan *handle) : handle_(handle) {}

    // What is thrown does not go through the C functions.
    struct Progress {
        const RunOptions *options;
        std::exception_ptr thrown;

        static std::int32_t report(std::uint64_t done, std::uint64_t total, void *user) {
            auto &self = *static_cast<Progress *>(user);
            if (self.thrown)
                return 1;
            try {
                return self.options->progress(done, total) ? 0 : 1;
            } catch (...) {
                self.thrown = std::current_exception();
                return 1;
            }
        }
    };
    detail::Handle<gauze_plan, gauze_plan_destroy> handle_;
};

/// @}

/// @addtogroup ssimulacra2
/// @{

/// The score of a weighted error, such as a pixel of an error map.
inline double ssimulacra2_score(double weighted_error) {
    return gauze_ssimulacra2_score_of(weighted_error);
}

/// Scores images of one size and layout. Moves, does not copy.
class Ssimulacra2 {
public:
    /// Scores a distorted image against the reference that has been set.
    double score(const HostPixels &distorted) { return scores(nullptr, &distorted, 1)[0]; }
    /// The same of an image of the metric's engine.
    double score(const Image &distorted) { return image_scores({&distorted})[0]; }
    /// Scores a pair, and keeps its reference.
    double score(const HostPixels &reference, const HostPixels &distorted) {
        return scores(&reference, &distorted, 1)[0];
    }
    /// Scores several distorted images, in their order.
    std::vector<double> scores(const std::vector<HostPixels> &distorted) {
        return scores(nullptr, distorted.data(), distorted.size());
    }
    /// The same of images of the metric's engine.
    std::vector<double> image_scores(const std::vector<const Image *> &distorted) {
        return image_scores({}, distorted);
    }
    /// Scores several pairs: as many references as images, or none for the one that has been set.
    std::vector<double> scores(const std::vector<HostPixels> &references,
                               const std::vector<HostPixels> &distorted) {
        check_counts(references.size(), distorted.size());
        return scores(references.empty() ? nullptr : references.data(), distorted.data(),
                      distorted.size());
    }
    /// The same of images of the metric's engine.
    std::vector<double> image_scores(const std::vector<const Image *> &references,
                                     const std::vector<const Image *> &distorted) {
        check_counts(references.size(), distorted.size());
        const std::vector<const gauze_image *> c_references = c_images(references);
        const std::vector<const gauze_image *> c_distorted = c_images(distorted);
        std::vector<double> result(distorted.size());
        check(gauze_ssimulacra2_score_images(
            handle_.get(), c_references.empty() ? nullptr : c_references.data(), c_distorted.data(),
            static_cast<std::uint32_t>(distorted.size()), result.data()));
        return result;
    }

    /// Makes an image the reference, until another one is. Returns when its pixels have been read.
    void set_reference(const HostPixels &reference) {
        const gauze_host_source source{reference.data, reference.bytes};
        check(gauze_ssimulacra2_set_reference(handle_.get(), &source));
    }
    /// The same of an image of the metric's engine.
    void set_reference(const Image &reference) {
        check(gauze_ssimulacra2_set_reference_image(handle_.get(), reference.c_handle()));
    }

    /// Computes what each pixel of a distorted image adds to the weighted error, and the score.
    struct ErrorMap {
        std::vector<float> values; ///< rows of the images' width
        double score = 0;          ///< of the whole image
    };
    /// Where a distorted image differs from the reference: see gauze_ssimulacra2_error_map().
    ErrorMap error_map(const HostPixels &distorted) {
        const gauze_host_source source{distorted.data, distorted.bytes};
        ErrorMap result;
        result.values.resize(pixels_);
        check(gauze_ssimulacra2_error_map(handle_.get(), &source, result.values.data(),
                                          pixels_ * sizeof(float), &result.score));
        return result;
    }

    /// Which kernels run and why, launches for an image, and device memory.
    std::string explain() const {
        const char *text = nullptr;
        check(gauze_ssimulacra2_explain(handle_.get(), &text));
        return text;
    }

    /// The metric for the C ABI; this goes on owning it.
    gauze_ssimulacra2 *c_handle() const { return handle_.get(); }

private:
    friend class Engine;
    Ssimulacra2(gauze_ssimulacra2 *handle, std::size_t pixels) : handle_(handle), pixels_(pixels) {}

    static void check_counts(std::size_t references, std::size_t distorted) {
        if (references != 0 && references != distorted)
            throw Error(GAUZE_ERROR_INVALID_ARGUMENT,
                        std::to_string(references) + " references are given for " +
                            std::to_string(distorted) + " distorted images");
    }
    static std::vector<const gauze_image *> c_images(const std::vector<const Image *> &images) {
        std::vector<const gauze_image *> result;
        for (const Image *image : images)
            result.push_back(image ? image->c_handle() : nullptr);
        return result;
    }
    std::vector<double> scores(const HostPixels *references, const HostPixels *distorted,
                               std::size_t count) {
        const auto sources = [count](const HostPixels *pixels) {
            std::vector<gauze_host_source> result;
            for (std::size_t i = 0; pixels && i < count; ++i)
                result.push_back({pixels[i].data, pixels[i].bytes});
            return result;
        };
        const std::vector<gauze_host_source> c_references = sources(references);
        const std::vector<gauze_host_source> c_distorted = sources(distorted);
        std::vector<double> result(count);
        check(gauze_ssimulacra2_score(handle_.get(), references ? c_references.data() : nullptr,
                                      c_distorted.data(), static_cast<std::uint32_t>(count),
                                      result.data()));
        return result;
    }

    detail::Handle<gauze_ssimulacra2, gauze_ssimulacra2_destroy> handle_;
    std::size_t pixels_ = 0;
};

/// @}

/// @addtogroup engine
/// @{

/// gauze_cache_mode as an enumeration: where compiled programs are kept.
enum class CacheMode : gauze_cache_mode {
    read_write = GAUZE_CACHE_READ_WRITE,
    read_only = GAUZE_CACHE_READ_ONLY,
    off = GAUZE_CACHE_OFF
};

/// gauze_engine_options as a value.
struct EngineOptions {
    std::string device;               ///< "": GAUZE_DEVICE, else the best GPU, else the CPU
    gauze_log_callback log = nullptr; ///< nullptr: nothing is logged
    void *log_user = nullptr;         ///< passed to log
    std::string cl_dir;               ///< "": GAUZE_CL_DIR, else the library's own sources
    cl_context context = nullptr;     ///< your own; the engine retains it
    cl_device_id device_id = nullptr; ///< one of the context's; nullptr: its only one
    CacheMode cache_mode = CacheMode::read_write; ///< reading and writing by default
    std::string cache_directory;                  ///< "": GAUZE_CACHE_DIR, else the user's
    std::uint64_t cache_max_bytes = 0;            ///< 0: the library's default
    gauze_cache_load cache_load = nullptr;        ///< your own store, in place of a directory
    gauze_cache_store cache_store = nullptr;      ///< your own store, in place of a directory
    void *cache_user = nullptr;                   ///< passed to both
    std::string tuning_file; ///< "": GAUZE_TUNING_FILE, else the user's; "off": none
};

/// gauze_cache_counts as a value.
struct CacheCounts {
    std::uint64_t hits = 0;   ///< programs that came from it
    std::uint64_t misses = 0; ///< programs that were not there, or not usable
    std::uint64_t stores = 0; ///< entries written
};

/// One device. Copies share it.
class Engine {
public:
    Engine() : Engine(EngineOptions()) {}
    /// Throws an Error with GAUZE_ERROR_NO_DEVICE where no device fits: see gauze_engine_create().
    explicit Engine(const EngineOptions &options) {
        gauze_engine_options c_options{};
        c_options.struct_size = sizeof c_options;
        c_options.device = options.device.c_str();
        c_options.log = options.log;
        c_options.log_user = options.log_user;
        c_options.cl_dir = options.cl_dir.empty() ? nullptr : options.cl_dir.c_str();
        c_options.context = options.context;
        c_options.device_id = options.device_id;
        c_options.cache_mode = static_cast<gauze_cache_mode>(options.cache_mode);
        c_options.cache_directory = options.cache_directory.c_str();
        c_options.cache_max_bytes = options.cache_max_bytes;
        c_options.cache_load = options.cache_load;
        c_options.cache_store = options.cache_store;
        c_options.cache_user = options.cache_user;
        c_options.tuning_file = options.tuning_file.c_str();
        gauze_engine *engine = nullptr;
        check(gauze_engine_create(&c_options, &engine));
        handle_ = detail::share<gauze_engine, gauze_engine_destroy>(engine);
    }

    /// The device in use.
    DeviceInfo device() const {
        gauze_device_info info{};
        info.struct_size = sizeof info;
        check(gauze_engine_device(handle_.get(), &info));
        return DeviceInfo(info);
    }

    /// Programs compiled from source since the engine was made: see gauze_engine_compile_count().
    std::uint64_t compile_count() const {
        std::uint64_t count = 0;
        check(gauze_engine_compile_count(handle_.get(), &count));
        return count;
    }

    /// Uses of the cache since the engine was made.
    CacheCounts cache_counts() const {
        gauze_cache_counts counts{};
        counts.struct_size = sizeof counts;
        check(gauze_engine_cache_counts(handle_.get(), &counts));
        return {counts.hits, counts.misses, counts.stores};
    }

    /// The engine's context; the engine goes on owning it.
    cl_context context() const { return gauze_engine_context(handle_.get()); }
    /// The engine's device.
    cl_device_id device_id() const { return gauze_engine_device_id(handle_.get()); }
    /// The engine's own queue, in order; the engine goes on owning it: see gauze_engine_queue().
    cl_command_queue queue() const { return gauze_engine_queue(handle_.get()); }
    /// Waits until everything on the engine's own queue is complete.
    void finish() const { check(gauze_engine_finish(handle_.get())); }

    /// The image around a buffer of the caller's, which it retains: see gauze_image_wrap().
    Image wrap(const ImageDesc &desc, cl_mem mem) const {
        const gauze_image_desc c_desc = desc.c_desc();
        gauze_image *image = nullptr;
        check(gauze_image_wrap(handle_.get(), &c_desc, mem, &image));
        return Image(image);
    }

    /// Device memory for an image so described. The pixels are undefined.
    Image image(const ImageDesc &desc) const {
        const gauze_image_desc c_desc = desc.c_desc();
        gauze_image *image = nullptr;
        check(gauze_image_create(handle_.get(), &c_desc, &image));
        return Image(image);
    }

    /// Source and target of the same description.
    Plan plan(const Filter &filter, const ImageDesc &image, const PlanOptions &options = {}) const {
        return plan(filter, image, image, options);
    }

    /// Source and target of different layouts or pixel types.
    Plan plan(const Filter &filter, const ImageDesc &source, const ImageDesc &target,
              const PlanOptions &options = {}) const {
        return plan(filter, source, std::vector<ImageDesc>{target}, options);
    }

    /// With as many targets as the filter, a bank, has filters.
    Plan plan(const Filter &filter, const ImageDesc &source, const std::vector<ImageDesc> &targets,
              const PlanOptions &options = {}) const {
        std::vector<gauze_image_desc> c_sources{source.c_desc()}, c_targets;
        if (options.guide)
            c_sources.push_back(options.guide->c_desc());
        for (const ImageDesc &target : targets)
            c_targets.push_back(target.c_desc());
        gauze_region c_region{};
        gauze_plan_desc desc{};
        desc.struct_size = sizeof desc;
        desc.source_count = static_cast<std::uint32_t>(c_sources.size());
        desc.sources = c_sources.data();
        desc.target_count = static_cast<std::uint32_t>(c_targets.size());
        desc.targets = c_targets.data();
        desc.border = options.border.mode;
        desc.border_value = options.border.value;
        desc.store = static_cast<gauze_store>(options.store);
        desc.variant = options.variant.empty() ? nullptr : options.variant.c_str();
        if (options.region) {
            c_region.struct_size = sizeof c_region;
            c_region.edge = static_cast<gauze_region_edge>(options.region->edge);
            for (std::size_t i = 0; i < 4; ++i) {
                c_region.source_origin[i] = options.region->source_origin[i];
                c_region.extent[i] = options.region->extent[i];
                c_region.target_origin[i] = options.region->target_origin[i];
            }
            desc.region = &c_region;
        }
        gauze_plan *plan = nullptr;
        check(gauze_plan_create(handle_.get(), filter.c_handle(), &desc, &plan));
        return Plan(plan);
    }

    /// For pairs of images so described. variant: "" for the library's choice of kernels.
    Ssimulacra2 ssimulacra2(const ImageDesc &reference, const ImageDesc &distorted,
                            const std::string &variant = "") const {
        const gauze_image_desc c_reference = reference.c_desc();
        const gauze_image_desc c_distorted = distorted.c_desc();
        gauze_ssimulacra2_desc desc{};
        desc.struct_size = sizeof desc;
        desc.reference = &c_reference;
        desc.distorted = &c_distorted;
        desc.variant = variant.empty() ? nullptr : variant.c_str();
        gauze_ssimulacra2 *metric = nullptr;
        check(gauze_ssimulacra2_create(handle_.get(), &desc, &metric));
        return {metric, static_cast<std::size_t>(distorted.extent[0] * distorted.extent[1])};
    }

    /// The engine for the C ABI; this goes on owning it.
    gauze_engine *c_handle() const { return handle_.get(); }

private:
    std::shared_ptr<gauze_engine> handle_;
};

/// @}

/// @addtogroup cache
/// @{

/// gauze_cache_info as a value: a directory of compiled programs.
struct CacheInfo {
    std::string directory;       ///< "": none is used
    std::uint64_t entries = 0;   ///< compiled programs in it
    std::uint64_t bytes = 0;     ///< of all entries
    std::uint64_t max_bytes = 0; ///< what engines keep them to by default
};

/// Counts the entries of a directory of compiled programs. directory: as EngineOptions::cache_directory.
inline CacheInfo cache_info(const std::string &directory = "") {
    gauze_cache_info info{};
    info.struct_size = sizeof info;
    check(gauze_cache_query(directory.c_str(), &info));
    return {info.directory ? info.directory : "", info.entries, info.bytes, info.max_bytes};
}

/// Removes all entries of such a directory, and returns how many there were.
inline std::uint64_t clear_cache(const std::string &directory = "") {
    std::uint64_t removed = 0;
    check(gauze_cache_clear(directory.c_str(), &removed));
    return removed;
}

/// @}

/// @addtogroup status
/// @{

/// Version of the library in use, such as "0.1.0".
inline std::string version() {
    const int v = gauze_version();
    return std::to_string(v / 10000) + "." + std::to_string(v / 100 % 100) + "." +
           std::to_string(v % 100);
}

/// @}

} // namespace gauze

#endif
