/** @file
 * Gauze: image and signal filtering on any OpenCL device. The C ABI.
 *
 * Conventions of every function here:
 *  - It returns a gauze_status; GAUZE_OK is 0, errors are negative. The text of the
 *    calling thread's last error is gauze_last_error(). After an error the output arguments are as
 *    they were, and so are the target pixels unless the device failed while it ran.
 *  - Handles are created by *_create functions and released by the matching *_destroy, which takes
 *    NULL too. A handle keeps alive what it depends on: an engine may be destroyed before its
 *    plans. A handle that was destroyed, or is of another kind, is refused where the library can see
 *    that; do not rely on it.
 *  - Engines, filters and plans may be used from many threads at once. An image may be used by many
 *    threads, but what they write to its pixels is for the caller to order.
 *  - Description structs start with struct_size, which the caller sets to sizeof of the struct, so
 *    that the struct can grow. All other fields may be left 0 for their defaults. A caller of an older
 *    header leaves new fields out, and gets their defaults. One of a newer header is served as long as
 *    the fields that this library does not know are 0; else the call is refused. The elements of an
 *    array have one struct_size.
 *  - A process that is forked after the first list of devices or engine was made cannot use OpenCL: lists,
 *    engines, and runs of plans made before, are refused there with GAUZE_ERROR_UNSUPPORTED. Start a fresh
 *    process instead (spawn, or fork and exec), or fork before the first use.
 *  - Axes are ordered x, y, z, t; x is the fastest in memory.
 *  - The library never prints and never ends the process; the log callback gets what it has to say.
 */
#ifndef GAUZE_GAUZE_H
#define GAUZE_GAUZE_H

#include <stddef.h>
#include <stdint.h>

#define GAUZE_VERSION_MAJOR 0 /**< of this header's version; gauze_version() has the library's */
#define GAUZE_VERSION_MINOR 1 /**< of this header's version */
#define GAUZE_VERSION_PATCH 0 /**< of this header's version */

#if defined(GAUZE_STATIC)
#define GAUZE_API
#elif defined(_WIN32)
#if defined(GAUZE_BUILDING)
#define GAUZE_API __declspec(dllexport)
#else
#define GAUZE_API __declspec(dllimport)
#endif
#else
#define GAUZE_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** @name OpenCL's own handle types
 *  Declared here so that this header needs no OpenCL headers.
 *  @{ */
typedef struct _cl_device_id *cl_device_id;         /**< a device */
typedef struct _cl_context *cl_context;             /**< a context */
typedef struct _cl_mem *cl_mem;                     /**< a buffer */
typedef struct _cl_command_queue *cl_command_queue; /**< a command queue */
typedef struct _cl_event *cl_event;                 /**< an event */
/** @} */

/** @defgroup status Status and errors
 *  @{ */

/** The status that a function returns: 0 for success, a negative number for an error. */
typedef int32_t gauze_status;
/** Values of gauze_status. */
enum {
    GAUZE_OK = 0,                      /**< success */
    GAUZE_ERROR_INVALID_ARGUMENT = -1, /**< an argument is outside its range; the text names it */
    GAUZE_ERROR_UNSUPPORTED = -2,      /**< valid, but no kernel or this device cannot do it */
    GAUZE_ERROR_NO_DEVICE = -3,        /**< no OpenCL device, or none that the selector names */
    GAUZE_ERROR_BUILD_FAILED = -4,     /**< a kernel did not compile; the text holds the log */
    GAUZE_ERROR_OUT_OF_MEMORY = -5,    /**< host or device memory */
    GAUZE_ERROR_DEVICE = -6,           /**< an OpenCL call failed; the text names it */
    GAUZE_ERROR_OVERLAP = -7,          /**< source and target pixels share memory */
    GAUZE_ERROR_CANCELLED = -8,        /**< a callback of the caller's asked for it */
    GAUZE_ERROR_INTERNAL = -99         /**< a defect of the library */
};

/** Name of a status as written above; "unknown status" for others. Static storage. */
GAUZE_API const char *gauze_status_name(gauze_status status);

/** Text of the calling thread's last error, "" if none. Valid until the thread's next call. */
GAUZE_API const char *gauze_last_error(void);

/** Version of the library in use: major * 10000 + minor * 100 + patch. */
GAUZE_API int32_t gauze_version(void);

/** @} */

/** @defgroup log Log
 *  @{ */

/** How grave a line of the log is. */
typedef int32_t gauze_log_level;
/** Values of gauze_log_level. */
enum {
    GAUZE_LOG_ERROR = 0, /**< what failed and no call can return; nothing so far */
    /** Something was left out or replaced, such as a cache entry that is damaged. */
    GAUZE_LOG_WARNING = 1,
    GAUZE_LOG_INFO = 2, /**< what happens seldom, such as the choice of a device */
    GAUZE_LOG_DEBUG = 3 /**< what happens often */
};

/** Called from any thread that uses the engine, at times several at once. text is valid during the
 * call only. Must not throw and must not call back into the engine. */
typedef void (*gauze_log_callback)(gauze_log_level level, const char *text, void *user);

/** @} */

/** @defgroup devices Devices
 *  @{ */

/** Kind of an OpenCL device. */
typedef int32_t gauze_device_kind;
/** Values of gauze_device_kind. */
enum {
    GAUZE_DEVICE_GPU = 1,        /**< a GPU */
    GAUZE_DEVICE_CPU = 2,        /**< the host's processor */
    GAUZE_DEVICE_ACCELERATOR = 3 /**< any other device */
};

/** The description of one device. Strings live as long as the list or engine that they were read from. */
typedef struct gauze_device_info {
    uint32_t struct_size; /**< sizeof this struct, set by the caller */
    /** Place in the list of devices: what a selector of digits means; -1 for a device that is not in it,
     * such as part of one. */
    int32_t index;
    gauze_device_kind kind;      /**< GPU, CPU or accelerator */
    int32_t is_default;          /**< 1 for the device that an engine without a selector takes */
    const char *name;            /**< the device's name, as its driver reports it */
    const char *vendor;          /**< the device's vendor, as its driver reports it */
    const char *platform;        /**< name of the OpenCL platform: the driver */
    const char *version;         /**< OpenCL version the device reports */
    const char *driver;          /**< driver version */
    const char *device_class;    /**< what kernel choice goes by: "nvidia", "pocl-cpu", ... */
    const char *unusable;        /**< why an engine refuses the device; NULL if it does not */
    uint64_t global_memory;      /**< bytes */
    uint64_t max_allocation;     /**< bytes of the largest single buffer */
    uint64_t local_memory;       /**< bytes a work-group can share */
    uint64_t max_parameter_size; /**< bytes of all arguments of one kernel */
    uint32_t compute_units;      /**< multiprocessors of a GPU, cores of a CPU */
    uint32_t clock_mhz;          /**< highest clock rate, MHz */
    uint32_t max_group_size;     /**< work-items */
    int32_t has_f64;             /**< 1 if the device computes in double */
    /** A name that devices that want the same configurations share: "sm_90", "x86-avx2"; "" where
     * nothing says it. */
    const char *architecture;
    /** Where kernels' configurations come from on it: the user's results, those of the library, the
     * defaults of its class and why they are so. One line. */
    const char *tuning;
    /** File of the driver; "" where the driver does not say it (it has no cl_khr_icd). */
    const char *library;
} gauze_device_info;

/** The devices that were there when it was made. May be read from many threads. */
typedef struct gauze_device_list gauze_device_list;

/** All devices of all platforms. A platform that fails is left out, and gauze_device_list_notes says
 * so. An empty list is not an error here. */
GAUZE_API gauze_status gauze_device_list_create(gauze_device_list **list);
/** Releases the list and the strings read from it. NULL is allowed. */
GAUZE_API void gauze_device_list_destroy(gauze_device_list *list);
/** Number of devices in the list; 0 for NULL. */
GAUZE_API size_t gauze_device_list_count(const gauze_device_list *list);
/** Describes the device at an index, 0 <= index < gauze_device_list_count(). */
GAUZE_API gauze_status gauze_device_list_get(const gauze_device_list *list, size_t index,
                                             gauze_device_info *info);
/** One line per platform that could not be asked, and what to install where there is no device at
 * all; "" if there is nothing to say. Lives as long as the list. */
GAUZE_API const char *gauze_device_list_notes(const gauze_device_list *list);

/** @} */

/** @defgroup engine Engine: one device
 *  @{ */

/** One device: its context, compiled programs, workspace and tuning results. May be used from many
 * threads. */
typedef struct gauze_engine gauze_engine;

/** Where compiled programs are kept for other engines and processes. */
typedef int32_t gauze_cache_mode;
/** Values of gauze_cache_mode. */
enum {
    /** Programs that are there are used; missing ones are compiled and stored. */
    GAUZE_CACHE_READ_WRITE = 0,
    GAUZE_CACHE_READ_ONLY = 1, /**< what is there is used; nothing is written */
    GAUZE_CACHE_OFF = 2        /**< programs are kept by the engine alone */
};

/** @name The embedder's own store of compiled programs
 *
 * In place of a directory. An entry is a piece of bytes under a name of 64
 * hexadecimal digits. The library checks all of it before a driver sees any: whatever is handed back
 * that was not stored under that name is dropped, and logged.
 *
 * Both are called from any thread that compiles, at times several at once, also with the same name;
 * the engine holds no lock that a call for another program waits for. They must not throw and must not
 * call back into the engine.
 * @{ */

/** For gauze_cache_load to hand over an entry: copies the bytes before it returns. receiver: what load
 * got. At most once in a call of load, and not after it. */
typedef void (*gauze_cache_receive)(const void *entry, uint64_t bytes, void *receiver);
/** Calls receive with the entry of that name; does nothing where there is none. name is valid during the
 * call only. */
typedef void (*gauze_cache_load)(const char *name, gauze_cache_receive receive, void *receiver,
                                 void *user);
/** Keeps the entry, in place of any of that name. name and entry are valid during the call only. */
typedef void (*gauze_cache_store)(const char *name, const void *entry, uint64_t bytes, void *user);
/** @} */

/** The options of an engine. */
typedef struct gauze_engine_options {
    uint32_t struct_size; /**< sizeof this struct, set by the caller */
    /** An index into the device list, part of a device's or platform's name (case does not matter),
     * "gpu" or "cpu". NULL or "": the environment variable GAUZE_DEVICE, else the best GPU, else
     * the CPU. */
    const char *device;
    gauze_log_callback log; /**< NULL: nothing is logged */
    void *log_user;         /**< passed to log */
    /** Directory to load the .cl sources from in place of those in the library. NULL: the
     * environment variable GAUZE_CL_DIR, else the library's own. */
    const char *cl_dir;
    /** Your own context, so that the engine's plans run on your buffers and queues: the engine retains
     * it, and makes all its objects in it. NULL: a context of the engine's own. Not together with
     * `device`. */
    cl_context context;
    cl_device_id device_id; /**< one of the context's; NULL: its only one */
    /** Whether compiled programs are kept; reading and writing by default. */
    gauze_cache_mode cache_mode;
    /** Directory of compiled programs, made when something is stored. NULL or "": the environment variable
     * GAUZE_CACHE_DIR, where "off" means none, else $XDG_CACHE_HOME/gauze, else $HOME/.cache/gauze; on Windows
     * %LOCALAPPDATA%\gauze\cache. A directory that is not the user's own, that others may write to, or that
     * is a symbolic link, is not used; nothing that goes wrong with it is an error, but it is logged. */
    const char *cache_directory;
    uint64_t cache_max_bytes; /**< of the directory, 0: 64 MiB; entries used longest ago go first */
    /** Your own store's loader. Where it or cache_store is given, there is no directory; NULL: nothing is
     * loaded. Called until the last plan and image of the engine is destroyed. */
    gauze_cache_load cache_load;
    gauze_cache_store cache_store; /**< as cache_load; NULL: nothing is stored */
    void *cache_user;              /**< passed to both */
    /** File of the user's own tuning results, as `gauze tune` writes it: read when the first plan is made.
     * NULL or "": the environment variable GAUZE_TUNING_FILE, else $XDG_CONFIG_HOME/gauze/tuning.txt,
     * else $HOME/.config/gauze/tuning.txt, on Windows %LOCALAPPDATA%\gauze\tuning.txt; "off": none. A file
     * that is not the user's own, or that others may write to, is not used; nothing that is wrong with it is
     * an error, but it is logged. */
    const char *tuning_file;
} gauze_engine_options;

/** Makes an engine. options may be NULL. GAUZE_ERROR_NO_DEVICE where no device fits; the text says what to
 * install, or which drivers have no device. GAUZE_ERROR_INVALID_ARGUMENT where the context does not have the
 * device, or has several and none is named. */
GAUZE_API gauze_status gauze_engine_create(const gauze_engine_options *options,
                                           gauze_engine **engine);
/** Releases the engine; its plans and images go on working. NULL is allowed. */
GAUZE_API void gauze_engine_destroy(gauze_engine *engine);

/** The device in use; strings live as long as the engine. */
GAUZE_API gauze_status gauze_engine_device(const gauze_engine *engine, gauze_device_info *info);

/** The engine's context; the engine goes on owning it. NULL where the engine is none. */
GAUZE_API cl_context gauze_engine_context(const gauze_engine *engine);
/** The engine's device. NULL where the engine is none. */
GAUZE_API cl_device_id gauze_engine_device_id(const gauze_engine *engine);
/** The engine's own queue, in order, which runs without a queue of the caller's go to; the engine goes on owning it.
 * NULL where the engine is none, or of a process that this one was forked from. */
GAUZE_API cl_command_queue gauze_engine_queue(const gauze_engine *engine);
/** Waits until everything on the engine's own queue is complete. */
GAUZE_API gauze_status gauze_engine_finish(const gauze_engine *engine);

/** Number of programs that the engine has had compiled from source since it was created. New taps or a
 * new sigma within a bucket of radii compile nothing, but for those that fill it, which may have a program
 * of their own. A new size compiles at most two programs for each class of sizes (fewer than 2^20 values, up
 * to 2^24, or more), as small images have smaller tiles; of a plan of several passes, for each. */
GAUZE_API gauze_status gauze_engine_compile_count(const gauze_engine *engine, uint64_t *count);

/** Uses of the cache of compiled programs since the engine was created. */
typedef struct gauze_cache_counts {
    uint32_t struct_size; /**< sizeof this struct, set by the caller */
    uint64_t hits;        /**< programs that came from it */
    uint64_t misses;      /**< programs that were not there, or not usable */
    uint64_t stores;      /**< entries written */
} gauze_cache_counts;

/** Reads these counts. */
GAUZE_API gauze_status gauze_engine_cache_counts(const gauze_engine *engine,
                                                 gauze_cache_counts *counts);

/** @} */

/** @defgroup cache Directories of compiled programs
 *  @{ */

/** A directory of compiled programs, as gauze_cache_query() finds it. */
typedef struct gauze_cache_info {
    uint32_t struct_size; /**< sizeof this struct, set by the caller */
    /** NULL: none is used. Valid until the thread's next gauze_cache_query. */
    const char *directory;
    uint64_t entries;   /**< compiled programs in it */
    uint64_t bytes;     /**< of all entries */
    uint64_t max_bytes; /**< what engines keep them to by default */
} gauze_cache_info;

/** Counts the entries of a directory, which need not be there. directory: as gauze_engine_options::cache_directory. One that
 * an engine would not use is refused with GAUZE_ERROR_INVALID_ARGUMENT. No device is needed. */
GAUZE_API gauze_status gauze_cache_query(const char *directory, gauze_cache_info *info);
/** Removes the entries of a directory and no other file. removed: NULL, or receives how many there were.
 * Engines that use the directory go on. */
GAUZE_API gauze_status gauze_cache_clear(const char *directory, uint64_t *removed);

/** @} */

/** @defgroup images Images
 *  @{ */

/** Type of one value of a pixel. */
typedef int32_t gauze_type;
/** Values of gauze_type. */
enum {
    GAUZE_U8 = 1,  /**< unsigned, 8 bits */
    GAUZE_U16 = 2, /**< unsigned, 16 bits */
    GAUZE_S16 = 3, /**< signed, 16 bits */
    GAUZE_F16 = 4, /**< IEEE half precision as stored; arithmetic is in f32 */
    GAUZE_F32 = 5, /**< IEEE single precision */
    GAUZE_F64 = 6, /**< named; no kernel takes it yet */
    GAUZE_U32 = 7, /**< a target of summed-area tables */
    GAUZE_S32 = 8, /**< a target of summed-area tables */
    GAUZE_U64 = 9  /**< a target of summed-area tables */
};

/** Bytes of one value of a type; 0 for no type. */
GAUZE_API size_t gauze_type_size(gauze_type type);
/** "u8", "f32", ...; "unknown type" for no type. Static storage. */
GAUZE_API const char *gauze_type_name(gauze_type type);

/** Kind of memory that an image is in. */
typedef int32_t gauze_memory;
/** Values of gauze_memory. */
enum {
    GAUZE_MEMORY_BUFFER = 0,   /**< an OpenCL buffer, or plain host memory */
    GAUZE_MEMORY_CL_IMAGE = 1, /**< refused for now */
    GAUZE_MEMORY_SVM = 2       /**< refused for now */
};

/** Where an image's pixels are in a piece of memory. The value of channel c of pixel (x, y, z, t) of
 * plane p is at byte offset + p plane_pitch + t pitch[3] + z pitch[2] + y pitch[1] + x pitch[0] + c
 * sizeof(type). */
typedef struct gauze_image_desc {
    uint32_t struct_size; /**< sizeof this struct, set by the caller */
    gauze_type type;      /**< of each value of a pixel */
    int32_t channels;     /**< interleaved, 1 to 4; 0 means 1 */
    gauze_memory memory;  /**< GAUZE_MEMORY_BUFFER */
    int64_t extent[4];    /**< pixels along x, y, z, t; 0 along z or t means 1 */
    /** Bytes from a pixel to the next along x, y, z, t; 0 means tight: the extent times the pitch of the
     * axis before. */
    int64_t pitch[4];
    /** Bytes from the start of the memory to the first pixel; aligned to the type. */
    int64_t offset;
    int64_t planes;      /**< images of these extents, one after the other; 0 means 1 */
    int64_t plane_pitch; /**< bytes from a plane to the next; 0 means tight */
} gauze_image_desc;

/** Bytes from the start of the memory to the end of the last pixel. */
GAUZE_API gauze_status gauze_image_desc_bytes(const gauze_image_desc *desc, uint64_t *bytes);

/** Device memory with a description. May be used from many threads, which order their writes. */
typedef struct gauze_image gauze_image;

/** Device memory for an image so described. The pixels are undefined. */
GAUZE_API gauze_status gauze_image_create(gauze_engine *engine, const gauze_image_desc *desc,
                                          gauze_image **image);
/** The image around a buffer of the caller's, which the image retains until it is destroyed. mem: a buffer of the
 * engine's context, of at least gauze_image_desc_bytes(); another is refused with
 * GAUZE_ERROR_INVALID_ARGUMENT. Reads and writes are on the engine's own queue: what is to come first must be
 * complete, or in order there. */
GAUZE_API gauze_status gauze_image_wrap(gauze_engine *engine, const gauze_image_desc *desc,
                                        cl_mem mem, gauze_image **image);
/** Releases the image and its memory; no thread may be in a call with it. NULL is allowed. */
GAUZE_API void gauze_image_destroy(gauze_image *image);
/** The image's buffer; the image goes on owning it. */
GAUZE_API cl_mem gauze_image_mem(const gauze_image *image);
/** Copies the bytes of the image's description, all of them, from host memory laid out in the same way.
 * Returns when the copy is complete. bytes: size of the host memory, at least gauze_image_desc_bytes(). */
GAUZE_API gauze_status gauze_image_write(gauze_image *image, const void *host, size_t bytes);
/** Copies them to host memory, in the same way. */
GAUZE_API gauze_status gauze_image_read(const gauze_image *image, void *host, size_t bytes);

/** @} */

/** @defgroup filters Filters: what to compute
 *  @{ */

/** A filter says what to compute. It is immutable and of no device: any engine can run it, from many threads at once. */
typedef struct gauze_filter gauze_filter;

/** A box of taps in C order (x fastest): up to 63 along x and y, or 15 along each axis if it extends
 * along z or t. */
typedef struct gauze_taps {
    uint32_t struct_size; /**< sizeof this struct, set by the caller */
    int32_t has_anchor;   /**< 0: the anchor is size/2 rounded down */
    const double *values; /**< size[0] size[1] size[2] size[3] finite numbers; copied */
    int64_t size[4];      /**< along x, y, z, t; 0 along z or t means 1 */
    int64_t anchor[4];    /**< index into the taps as written, 0 <= anchor < size */
} gauze_taps;

/** The correlation with taps k: out[p] = sum over j of k[j] in[p + j - anchor] */
GAUZE_API gauze_status gauze_filter_correlate(const gauze_taps *taps, gauze_filter **filter);
/** The convolution with taps k: out[p] = sum over j of k[j] in[p - j + anchor] */
GAUZE_API gauze_status gauze_filter_convolve(const gauze_taps *taps, gauze_filter **filter);

/** Taps along each axis: the correlation with their product. It is computed axis by axis, so that an
 * axis may have up to 4095 of them. */
typedef struct gauze_separable_taps {
    uint32_t struct_size;    /**< sizeof this struct, set by the caller */
    int32_t has_anchor;      /**< 0: the anchors are count/2 rounded down */
    const double *values[4]; /**< count[i] finite numbers along axis i; copied */
    int64_t count[4];        /**< 1 to 4095; 0: the axis is not filtered */
    int64_t anchor[4];       /**< index into the axis's taps, 0 <= anchor < count */
} gauze_separable_taps;

/** The correlation with taps along each axis. Along x and y:
 *
 *     out[x, y] = sum over i, j of kx[i] ky[j] in[x + i - ax, y + j - ay]
 */
GAUZE_API gauze_status gauze_filter_separable(const gauze_separable_taps *taps,
                                              gauze_filter **filter);

/** How a Gaussian is computed. */
typedef int32_t gauze_gaussian_method;
/** Values of gauze_gaussian_method. */
enum {
    /** FIR; but RECURSIVE for a larger sigma, where that is faster on the device, `accuracy` can be had and
     * `truncate` is 0 or 4; and from where the taps' radius would pass 2047, at a sigma of 512, on every
     * device. */
    GAUZE_GAUSSIAN_AUTO = 0,
    GAUZE_GAUSSIAN_FIR = 1, /**< sampled taps, cut off at `truncate` sigma */
    /** Sums of exponentials, at a cost that does not depend on sigma. */
    GAUZE_GAUSSIAN_RECURSIVE = 2,
    GAUZE_GAUSSIAN_BOX = 3 /**< three boxes one after the other, the same along an axis */
};

/** A Gaussian, or its derivatives.
 *
 * FIR: along an axis of standard deviation s the taps are
 * exp(-i^2 / (2 s^2)) for |i| <= int(truncate s + 0.5), divided by their sum; for a derivative they are
 * multiplied by i / s^2 or (i^2 / s^2 - 1) / s^2: a ramp's first derivative is its slope, but for what
 * sampling loses where s is below 1. A derivative whose radius is 0 is refused.
 *
 * RECURSIVE: 2 to 4 pairs of complex exponentials along each axis, as few as `accuracy` takes, fitted to
 * the samples exp(-i^2 / (2 s^2)) at all integers i, divided by their sum; for derivatives these times
 * the same polynomials, so corrected that the results of constants, ramps and x^2 / 2 are exact.
 * gauze_plan_verify compares with these samples. s is from 0.5 to 10000. With GAUZE_BORDER_ZERO the
 * image is extended by 0. A constant stays one but for rounding. A NaN or an infinity makes whole rows and columns NaN.
 *
 * BOX: three boxes one after the other, whose radius is the integer nearest to (sqrt(4 s^2 + 1) - 1) / 2,
 * so that their variances add up to about s^2; no derivatives. What it is compared with are the boxes:
 * they are a coarse Gaussian, up to 0.1 off for pixels from 0 to 1. A sigma whose radius is 0 is
 * refused. */
typedef struct gauze_gaussian {
    uint32_t struct_size;         /**< sizeof this struct, set by the caller */
    gauze_gaussian_method method; /**< AUTO by default */
    /** Pixels along x, y, z, t; 0: the axis is not filtered. Along t RECURSIVE takes no other so far. At
     * least one is positive. */
    double sigma[4];
    int32_t derivative[4]; /**< order along each axis, 0 to 2 */
    double truncate;       /**< FIR: radius in sigmas; 0 means 4. The radius is 2047 at most */
    /** RECURSIVE, AUTO: the worst error for pixels from 0 to 1, but for rounding (1e-6, or a fiftieth of
     * this where that is more); of derivatives in units of s^-order. 0 means 1e-3; what four exponentials
     * cannot do, about 1e-7, is refused. */
    double accuracy;
} gauze_gaussian;

/** Makes a Gaussian. GAUZE_ERROR_INVALID_ARGUMENT where a field is outside its range. */
GAUZE_API gauze_status gauze_filter_gaussian(const gauze_gaussian *gaussian, gauze_filter **filter);

/** The mean of the pixels at most radius away along each axis, `iterations` times over, with the border
 * applied anew each time. Sums run along, so that its cost grows little with the radius while boxes are
 * shorter than the image. Beyond that, on CPUs, what fills the first box reads each pixel of a line once
 * (1024x512 f32: a radius of 1000 or of 100000 takes about 1.5 times as long as 31; integers longer, whose
 * sums need 64 bits then); on GPUs filling grows with the radius. Results are not rounded to integers between
 * iterations, nor between x and y, z and t: integers are exact where the box extends along x and y alone. The
 * sums of larger boxes run along the image: there a NaN or an infinity among floats makes results NaN further
 * away than the radius, up to about two thousand pixels or the box's own size along that axis, in each
 * iteration; gauze_plan_verify reports these. */
typedef struct gauze_box {
    uint32_t struct_size; /**< sizeof this struct, set by the caller */
    uint32_t iterations;  /**< 0 means 1; 16 at most */
    int64_t radius[4];    /**< pixels along x, y, z, t, 0 to 1048575 */
} gauze_box;

/** Makes a box filter. GAUZE_ERROR_INVALID_ARGUMENT where a field is outside its range. */
GAUZE_API gauze_status gauze_filter_box(const gauze_box *box, gauze_filter **filter);

/** The pixels around each that a filter looks at: those of a box, or of some of its places. The result at p
 * is of the pixels p + j - anchor, j a place of the box. 1-D to 3-D: none along t. */
typedef struct gauze_window {
    uint32_t struct_size; /**< sizeof this struct, set by the caller */
    int32_t has_anchor;   /**< 0: the anchor is size / 2, rounded down */
    int64_t size[4];      /**< pixels along x, y, z, t; 0 means 1 */
    int64_t anchor[4];    /**< 0 to size - 1 */
    /** size[0] size[1] size[2] bytes, x fastest, copied: the places that count are those that are not 0. NULL:
     * all of them. A footprint has up to 63 pixels along x and y, or 15 along each axis if it extends along
     * z. */
    const uint8_t *footprint;
} gauze_window;

/** The least, the largest, and the middle one of the pixels of a window: of n pixels the one with n / 2 below it,
 * as scipy.ndimage has it. Results are pixels of the image or the border's constant: they are exact, and
 * every kernel gives the same bits. NaN is larger than any number, as where NumPy sorts, and a result that is
 * NaN has the bits 0x7fffffff in f32; -0 is less than 0. Boxes of minima and maxima have up to 1048575 pixels
 * along each axis, all other windows 3969 pixels that count. */
GAUZE_API gauze_status gauze_filter_minimum(const gauze_window *window, gauze_filter **filter);
GAUZE_API gauze_status gauze_filter_maximum(const gauze_window *window, gauze_filter **filter);
GAUZE_API gauze_status gauze_filter_median(const gauze_window *window, gauze_filter **filter);

/** The pixel that has int(n percent / 100) of the window's n pixels below it, the largest one at 100: no mean
 * of two. percent is from 0 to 100. */
GAUZE_API gauze_status gauze_filter_percentile(const gauze_window *window, double percent,
                                               gauze_filter **filter);

/** The pixel that has `rank` of the window's n pixels below it, from -n to n - 1: negative ranks count from the
 * largest, which is -1. */
GAUZE_API gauze_status gauze_filter_rank(const gauze_window *window, int64_t rank,
                                         gauze_filter **filter);

/** An erosion, a dilation, or what is made of them. */
typedef int32_t gauze_morphology_operation;
/** Values of gauze_morphology_operation. */
enum {
    GAUZE_MORPHOLOGY_ERODE = 0,     /**< the least of the pixels around each */
    GAUZE_MORPHOLOGY_DILATE = 1,    /**< the largest of the pixels whose window each is in */
    GAUZE_MORPHOLOGY_OPEN = 2,      /**< the dilation of the erosion */
    GAUZE_MORPHOLOGY_CLOSE = 3,     /**< the erosion of the dilation */
    GAUZE_MORPHOLOGY_TOP_HAT = 4,   /**< the image less its opening */
    GAUZE_MORPHOLOGY_BLACK_HAT = 5, /**< the closing less the image */
    GAUZE_MORPHOLOGY_GRADIENT = 6,  /**< the dilation less the erosion */
    GAUZE_MORPHOLOGY_LAPLACE = 7    /**< (dilation - image) - (image - erosion) */
};

/** Morphology of a window B of places j, with weights s:
 *
 *     erode:   out[p] = min over j of in[p + j - anchor] - s[j]
 *     dilate:  out[p] = max over j of in[p - j + anchor] + s[j]
 *
 * Flat windows, without weights, have s = 0. With several iterations, erosions and dilations are repeated, also
 * those that others are made of: two iterations of an opening are two erosions and then two dilations, as
 * OpenCV has it. The border is applied to each of them anew. Between them results are stored in the source's
 * type: integers are rounded half to even and saturate. Flat results are pixels or the border's constant, and
 * exact; see gauze_filter_minimum for NaN, -0 and the sizes of windows. Differences, and sums with weights, are
 * rounded once to f32. */
typedef struct gauze_morphology {
    uint32_t struct_size;                 /**< sizeof this struct, set by the caller */
    uint32_t iterations;                  /**< 0 means 1; 64 at most */
    gauze_morphology_operation operation; /**< ERODE by default */
    const gauze_window *window;
    /** A finite number for each place of the window, x fastest, copied; those of places that its footprint
     * leaves out are not looked at. NULL: flat. With weights a window has up to 3969 places. */
    const float *weights;
} gauze_morphology;

/** Makes a morphological filter. GAUZE_ERROR_INVALID_ARGUMENT where a field is outside its range. Binary images
 * are those of two values, such as u8 of 0 and 1. */
GAUZE_API gauze_status gauze_filter_morphology(const gauze_morphology *morphology,
                                               gauze_filter **filter);

/** The bilateral filter: the mean of the pixels around each, of which those weigh most that are near and alike
 * (Tomasi and Manduchi, 1998).
 *
 *     out[p] = sum over q of w(p, q) in[q] / sum over q of w(p, q)
 *     w(p, q) = exp(-|p - q|^2 / (2 sigma_space^2) - |in[p] - in[q]|^2 / (2 sigma_range^2))
 *
 * over the box of 2 radius + 1 pixels along each axis. With several channels |in[p] - in[q]|^2 is the sum over
 * channels, and all channels of a pixel have one weight. Weights are a polynomial of the library's own, sums have one
 * order, and quotients are made of fused operations: every kernel and device gives the same bits, but where `accuracy`
 * lets the device make weights and quotients. The bound that
 * gauze_plan_verify() holds results to grows with the box; what is found is 2e-6 of the largest pixel. Where a window
 * holds a pixel that is not finite, the result is not finite either. */
typedef struct gauze_bilateral {
    uint32_t struct_size; /**< sizeof this struct, set by the caller */
    double sigma_space;   /**< pixels, from 1e-15 to 1e15 */
    double sigma_range;   /**< in units of pixels' values, from 1e-15 to 1e15 */
    /** Pixels along x, y, z, from 0 to 15. -1: int(2 sigma_space + 0.5), which must not be larger than 15. */
    int64_t radius[3];
    /** 0: the same bits on every device. From 1e-6 on: the error of a weight, where the pixel itself has 1, that is
     * allowed for speed: a GPU's own exp2 and division make the results, with the same bound, but bits of their
     * own on each device. CPUs make them no faster, and go on as with 0. */
    double accuracy;
} gauze_bilateral;

/** Makes a bilateral filter. GAUZE_ERROR_INVALID_ARGUMENT where a field is outside its range. */
GAUZE_API gauze_status gauze_filter_bilateral(const gauze_bilateral *bilateral,
                                              gauze_filter **filter);

/** The image that guides a filter. */
typedef int32_t gauze_guide;
/** Values of gauze_guide. */
enum {
    GAUZE_GUIDE_CHANNELS = 0, /**< the image itself, each channel by itself */
    GAUZE_GUIDE_COLOR =
        1, /**< the image itself, of 3 channels, which guide each of them together */
    /** A source of its own, the second one of a plan: of 1 channel, which guides each of the image's, or of 3, which
     * guide each of them together. It has the image's extents and planes, and any pixel type. */
    GAUZE_GUIDE_IMAGE = 2
};

/** The guided filter (He, Sun and Tang: Guided Image Filtering, ECCV 2010 and PAMI 2013): the image as a linear function
 * of the guide, which it follows at edges and does not where the guide is flat.
 *
 *     a = cov(I, p) / (var(I) + epsilon),  b = mean(p) - a mean(I),  out = mean(a) I + mean(b)
 *
 * p is the image, I the guide, and each mean is of the square of 2 radius + 1 pixels along x and y, with the plan's
 * border; beyond a constant border a is 0, and b is the constant. With 3 channels that guide together var(I) is their
 * covariance matrix, to whose diagonal epsilon is added, and a a vector (section 3.5 of the paper of 2013).
 *
 * Variances are differences of sums in f32 of values less one that is near them; results are expected within 1e-6 of the
 * largest pixel where epsilon is from 1e-2 of the square of the pixels' range, and 1e-3 where it is 1e-6 of that.
 * gauze_plan_verify() states the bound that they cannot exceed, which grows with that square over epsilon. A NaN or an
 * infinity among floats makes results NaN further away than the radius, as in gauze_box. */
typedef struct gauze_guided {
    uint32_t struct_size; /**< sizeof this struct, set by the caller */
    gauze_guide guide;    /**< CHANNELS by default */
    int64_t radius;       /**< pixels along x and y, 0 to 1048575 */
    double epsilon;       /**< in units of the guide's values squared, 1e-30 to 1e30 */
} gauze_guided;

/** Makes a guided filter. GAUZE_ERROR_INVALID_ARGUMENT where a field is outside its range. A plan of one with
 * GAUZE_GUIDE_IMAGE has two sources, the image and the guide. */
GAUZE_API gauze_status gauze_filter_guided(const gauze_guided *guided, gauze_filter **filter);

/** Non-local means: the mean of the pixels of a window around each, of which those weigh most whose surroundings are like
 * its own (Buades, Coll and Morel, 2005).
 *
 *     out[p] = sum over q of w(p, q) in[q] / sum over q of w(p, q),  w(p, q) = exp(-D(p, q) / strength^2)
 *
 * over the square of `window` pixels a side around p. D is the mean of the squares of differences between the squares of
 * `patch` pixels a side around p and q, over all channels too: all channels of a pixel have one weight. Patches and
 * windows read the image as the border extends it. Slices are filtered each by itself. Bits, and pixels that are not
 * finite, as in gauze_bilateral; the bound grows with the window, and what is found is 2e-6 of the largest pixel. */
typedef struct gauze_nlm {
    uint32_t struct_size; /**< sizeof this struct, set by the caller */
    int32_t patch;        /**< pixels a side, odd, from 1 to 15; 0: 7 */
    int32_t window;       /**< pixels a side, odd, from 1 to 63; 0: 21 */
    double strength;      /**< in units of pixels' values, from 1e-15 to 1e15 */
    double accuracy;      /**< as in gauze_bilateral */
} gauze_nlm;

/** Makes a non-local means filter. GAUZE_ERROR_INVALID_ARGUMENT where a field is outside its range. */
GAUZE_API gauze_status gauze_filter_nlm(const gauze_nlm *nlm, gauze_filter **filter);

/** One scan along an axis, n counting pixels in its direction:
 *
 *     y[n] = sum over i of feedforward[i] x[n - i] + sum over i of feedback[i] y[n - 1 - i]
 */
typedef struct gauze_scan {
    uint32_t struct_size;       /**< sizeof this struct, set by the caller */
    int32_t axis;               /**< 0 x, 1 y, 2 z; 3, t, is not supported so far */
    int32_t direction;          /**< 1 towards higher coordinates, -1 towards lower ones */
    uint32_t feedforward_count; /**< 1 to 4096 */
    uint32_t feedback_count;    /**< the order, 0 to 4096 */
    const double *feedforward;  /**< finite in f32; copied. The first may be 0: a delay */
    const double *feedback;     /**< finite in f32; copied. May be NULL where there are none */
} gauze_scan;

/** Scans, each of the result of the one before.
 *
 * With GAUZE_BORDER_ZERO each starts from nothing at the edge of the image, or of an isolated region, in
 * the order in which they are written. With another border the image is extended by it once, all scans
 * run on what that gives, and the result is cut: then their order does not matter. Results are expected
 * to be within 2e-6 of full scale, which is the largest pixel times what the scans can enlarge it by;
 * gauze_plan_explain states a bound that they cannot exceed. A NaN or an infinity goes on to the end of
 * its line. Usual targets are f32. Zeros at the end of feedforward and feedback are no terms. */
typedef struct gauze_recursive {
    uint32_t struct_size;    /**< sizeof this struct, set by the caller */
    uint32_t scan_count;     /**< 1 to 1024 */
    const gauze_scan *scans; /**< scan_count of them, in the order in which they run; copied */
    /** How to run them, a hint. NULL or "": the library's choice. Trips through memory, as the numbers of
     * the scans that each computes: "0,1_2,3" is two trips. "cascade": a trip for each scan; "overlap":
     * one for all. Scans of one axis stay in their order. */
    const char *grouping;
    int64_t tile; /**< pixels of a tile along each filtered axis, a hint; 0: the library's choice */
    /** 1: feedback with poles on the unit circle or outside is taken, and has no error bound; only with
     * GAUZE_BORDER_ZERO. 0: it is refused with GAUZE_ERROR_INVALID_ARGUMENT, and the text says the
     * pole's modulus. */
    int32_t allow_unstable;
    /** The error bound wanted, of full scale as above: what cannot be held to it is refused. 0: the
     * library's own choice. Not with unstable scans, which have no bound. */
    double accuracy;
    /** 1: after all scans the same ones run in the other direction, in the same order, so that nothing is
     * shifted and the magnitude of the response is squared: scipy.signal.filtfilt, with the plan's border
     * in place of its padding. All scans along an axis are then written in one direction. For `grouping`
     * they count on from scan_count. */
    int32_t zero_phase;
} gauze_recursive;

/** Makes a chain of scans. GAUZE_ERROR_INVALID_ARGUMENT where a field is outside its range or the feedback is
 * unstable; the text names the scan. */
GAUZE_API gauze_status gauze_filter_recursive(const gauze_recursive *recursive,
                                              gauze_filter **filter);

/** Second-order sections, such as scipy.signal's functions give with output='sos': the scans
 * y[n] = b0 x[n] + b1 x[n - 1] + b2 x[n - 2] - a1 y[n - 1] - a2 y[n - 2], a row after the other, the same
 * along each axis that is filtered. All that gauze_recursive says of scans holds; unstable ones are
 * refused. High orders are best given so: rounding moves what a single scan of many terms does. */
typedef struct gauze_sections {
    uint32_t struct_size;   /**< sizeof this struct, set by the caller */
    uint32_t section_count; /**< rows; 1 to 1024 scans in all, as many for each axis */
    /** 6 section_count numbers: b0 b1 b2 a0 a1 a2 of each row, finite in f32, a0 equal to 1; copied. A
     * section of first order has b2 and a2 of 0. */
    const double *rows;
    /** Along x, y, z, t: 1 towards higher coordinates, -1 towards lower ones, 0: the axis is not filtered. At
     * least one is; t is not supported so far. */
    int32_t direction[4];
    int64_t tile;    /**< as in gauze_recursive */
    double accuracy; /**< as in gauze_recursive */
    /** As in gauze_recursive; scipy.signal.sosfiltfilt but for its padding. */
    int32_t zero_phase;
} gauze_sections;

/** Makes a chain of second-order sections. GAUZE_ERROR_INVALID_ARGUMENT as for gauze_filter_recursive(). */
GAUZE_API gauze_status gauze_filter_sections(const gauze_sections *sections, gauze_filter **filter);

/** A summed-area table: each result is the sum of all pixels at most as far right and as far down, its own
 * included, in each slice. The border is GAUZE_BORDER_ZERO, and others are refused. Targets: u32 or u64
 * from u8 and u16, exact modulo 2^32 or 2^64; s32 from s16, exact modulo 2^32; f32 from f16 and f32. */
GAUZE_API gauze_status gauze_filter_sat(gauze_filter **filter);

/** The coefficients along x and y of the B-spline that goes through the pixels. order: its degree, 2 to
 * 5. The border is usually GAUZE_BORDER_REFLECT101; GAUZE_BORDER_ZERO extends the image by 0. */
GAUZE_API gauze_status gauze_filter_bspline(int32_t order, gauze_filter **filter);

/** The Gaussian of sigma[0] along x and y less that of sigma[1]; ranges, borders and accuracy are those of
 * gauze_gaussian and the method. */
typedef struct gauze_dog {
    uint32_t struct_size;         /**< sizeof this struct, set by the caller */
    gauze_gaussian_method method; /**< of both */
    double sigma[2];              /**< pixels, positive */
} gauze_dog;

/** Makes a difference of Gaussians. GAUZE_ERROR_INVALID_ARGUMENT where a field is outside its range. */
GAUZE_API gauze_status gauze_filter_dog(const gauze_dog *dog, gauze_filter **filter);

/** How derivatives are estimated. */
typedef int32_t gauze_derivative_method;
/** Values of gauze_derivative_method. Methods of three pixels take them along each axis, and smooth along the
 * others. */
enum {
    GAUZE_DERIVATIVE_CENTRAL =
        0, /**< (in[x + 1] - in[x - 1]) / 2, as numpy.gradient inside; unsmoothed */
    GAUZE_DERIVATIVE_SOBEL = 1, /**< in[x + 1] - in[x - 1], weighted 1, 2, 1: scipy.ndimage.sobel */
    GAUZE_DERIVATIVE_PREWITT = 2, /**< the same, weighted 1, 1, 1: scipy.ndimage.prewitt */
    GAUZE_DERIVATIVE_SCHARR = 3,  /**< the same, weighted 3/16, 10/16, 3/16 */
    GAUZE_DERIVATIVE_GAUSSIAN = 4 /**< of the Gaussian of the image */
};

/** The results that derivatives are made into. */
typedef int32_t gauze_derivative_result;
/** Values of gauze_derivative_result. Those of second order are of CENTRAL, where the second derivative along an
 * axis is in[x - 1] - 2 in[x] + in[x + 1], and of GAUSSIAN. */
enum {
    GAUZE_DERIVATIVE_FIRST = 0,  /**< the derivative along axis[0] */
    GAUZE_DERIVATIVE_SECOND = 1, /**< along axis[0] and axis[1]: an entry of the Hessian matrix */
    GAUZE_DERIVATIVE_LAPLACIAN = 2, /**< the sum of the second derivatives along each axis */
    GAUZE_DERIVATIVE_MAGNITUDE = 3, /**< the root of the sum of squares of the first derivatives */
    GAUZE_DERIVATIVE_ORIENTATION =
        4, /**< atan2(derivative along y, along x): -pi to pi, in radians */
    /** that eigenvalue of the Hessian matrix of 2 or 3 axes of which axis[0] is the number: the largest is 0, as
     * skimage.feature.hessian_matrix_eigvals orders them */
    GAUZE_DERIVATIVE_EIGENVALUE = 5,
    /** an entry of the structure tensor: the product of the first derivatives along axis[0] and axis[1], smoothed
     * by a Gaussian */
    GAUZE_DERIVATIVE_STRUCTURE = 6
};

/** A derivative of an image, or what is made of several. As the other axes are left alone, a 2-D filter goes
 * through a volume slice by slice.
 *
 * By three pixels, along each of the axes from x to the last of `dimensions`, first derivatives, entries of the
 * Hessian and the Laplacian are correlations with fixed taps: see gauze_filter_correlate for their accuracy. Of
 * a Gaussian, of those that have a sigma, they are gauze_gaussian's derivatives; the Laplacian is
 * scipy.ndimage.gaussian_laplace, the magnitude scipy.ndimage.gaussian_gradient_magnitude. Magnitudes and
 * orientations are computed in f32 from derivatives in f32, with the same bits on every device; a magnitude of
 * which the square is beyond the range of f32 is infinite, and one below 2^-63 may be 0. An orientation is within
 * 5e-7 of that of the derivatives in f32; it is 0 where both are 0, and NaN where one is not finite.
 * An eigenvalue is within 12 x 2^-24 of the exact one of the matrix in f32, times the root of the sum of squares of
 * the matrix's entries, and has the same bits on every device; in 2-D squares beyond the range of f32 make it
 * infinite or NaN. Products of derivatives are rounded to f32, and extended by the plan's border for the
 * smoothing; the constant border extends them by 0.
 *
 * Several derivatives of CENTRAL, SOBEL, PREWITT or SCHARR along x and y in a bank, one after the other, with
 * targets of one layout, read the image once: up to three and, of the first two of them, the magnitude and the
 * orientation. */
typedef struct gauze_derivative {
    uint32_t struct_size;           /**< sizeof this struct, set by the caller */
    gauze_derivative_method method; /**< CENTRAL by default */
    gauze_derivative_result
        result;         /**< FIRST by default; an ORIENTATION has the axes x and y alone */
    int32_t dimensions; /**< of three pixels: axes, 1 to 4; 0 means 2 */
    int32_t axis
        [2]; /**< 0 to 3 for x to t; one of the axes above. Of an EIGENVALUE its number, from 0 */
    /** GAUSSIAN: its sigma, method, truncate and accuracy; orders of derivatives are 0. BOX has no derivatives,
     * and an ORIENTATION is of FIR alone. */
    const gauze_gaussian *gaussian;
    const gauze_gaussian *smoothing; /**< STRUCTURE: of the products; orders of derivatives are 0 */
} gauze_derivative;

/** Makes a derivative. GAUZE_ERROR_INVALID_ARGUMENT where a field is outside its range. */
GAUZE_API gauze_status gauze_filter_derivative(const gauze_derivative *derivative,
                                               gauze_filter **filter);

/** The results that a pixel and the mean of those around it are made into. */
typedef int32_t gauze_local_result;
/** Values of gauze_local_result. m is the mean of the pixels around, d = in - m, v the mean of the squares of these
 * pixels less m^2, and 0 where rounding makes that negative. */
enum {
    GAUZE_LOCAL_UNSHARP = 0,   /**< unsharp masking: in + amount d where |d| > threshold, else in */
    GAUZE_LOCAL_HIGH_PASS = 1, /**< d */
    GAUZE_LOCAL_VARIANCE = 2,  /**< v */
    GAUZE_LOCAL_DEVIATION = 3, /**< the root of v */
    GAUZE_LOCAL_NORMALIZED = 4 /**< d / max(root of v, epsilon) */
};

/** A pixel, or the spread of those around it, by their mean with weights of a Gaussian or of a box: one of the two
 * is given, the other is NULL.
 *
 * The mean, and that of the squares, is computed in f32 as gauze_gaussian and gauze_box say, and so is what is made
 * of them, with a bound of the error. As v is a difference of means, it is good to about 1e-6 of the square of the
 * largest pixel, and the root of v to 1e-3 of the largest pixel: pixels far from 0 that differ little are better
 * moved near 0 first. Border and region are those of the means. */
typedef struct gauze_local {
    uint32_t struct_size;           /**< sizeof this struct, set by the caller */
    gauze_local_result result;      /**< UNSHARP by default */
    const gauze_gaussian *gaussian; /**< without derivatives */
    const gauze_box *box;
    double amount;    /**< UNSHARP: finite */
    double threshold; /**< UNSHARP: 0 or more, in pixel values */
    double epsilon;   /**< NORMALIZED: 1e-30 to 1e30, in pixel values */
} gauze_local;

/** Makes such a filter. GAUZE_ERROR_INVALID_ARGUMENT where a field is outside its range. */
GAUZE_API gauze_status gauze_filter_local(const gauze_local *local, gauze_filter **filter);

/** `base`, but with `other` for one component of the image: component p channels + c is channel c of
 * plane p, so that it counts channels of an interleaved image and planes of a planar one. Both must
 * be correlations with taps: correlate, convolve, separable or gaussian by FIR. A plan refuses a component
 * that its images do not have. */
GAUZE_API gauze_status gauze_filter_with_component(const gauze_filter *base, uint32_t component,
                                                   const gauze_filter *other,
                                                   gauze_filter **filter);

/** Several filters of one image, each with a target of its own: result i of a plan is that of filters[i].
 * count: 1 to 16. Any filters but summed-area tables, guided filters and banks. Where they are correlations with cubes of
 * 3, 5 or 7 dense taps along x, y and z, all of one size, into targets of one layout, they share the
 * loads of the image, and so do derivatives by three pixels: see gauze_derivative. Others run one after the other. The filters need not outlive the call. */
GAUZE_API gauze_status gauze_filter_bank(const gauze_filter *const *filters, uint32_t count,
                                         gauze_filter **filter);

/** What gauze_filter_reach() says of an axis where every pixel of it matters, however far away. */
#define GAUZE_REACH_WHOLE INT64_MAX

/** How many pixels around its own a result depends on along x, y, z and t: the overlap that tiles need. The result
 * of a tile that is read with so many pixels more on each side, or up to the image's rim, is that of the whole image.
 *
 * Filters with taps, windows or boxes have the reach of these, whatever the accuracy, and tiles give the bits of
 * the whole image, save where sums run along: see gauze_plan_run. What recursive filters remember fades: their
 * results are within `accuracy` of those of the whole, in units of the largest pixel less the smallest, the
 * border's constant and 0 counted among them, plus the bound of rounding of both. Those of derivatives and
 * differences are so too; a variance, or an entry of a structure tensor, is within three times `accuracy` of the
 * square of that unit.
 *
 * It is GAUZE_REACH_WHOLE for summed-area tables along x and y, and along the axis of a recursive filter where
 * `accuracy` is 0, where scans are unstable or do not fade to it within 2^22 pixels, and for a normalization by
 * recursive means, which has no bound. A Gaussian that leaves its method to the device has the longer reach of
 * both.
 *
 * accuracy: 0 or more, finite. reach: receives 4 numbers. May be called from many threads. */
GAUZE_API gauze_status gauze_filter_reach(const gauze_filter *filter, double accuracy,
                                          int64_t *reach);

/** Releases the filter; plans made with it go on working. NULL is allowed. */
GAUZE_API void gauze_filter_destroy(gauze_filter *filter);

/** @} */

/** @defgroup plans Plans: how to compute it
 *  @{ */

/** How an image is extended beyond its edges. */
typedef int32_t gauze_border;
/** Values of gauze_border: abcd are the pixels of a line, and v is border_value. */
enum {
    GAUZE_BORDER_CLAMP = 0,      /**< aaa|abcd|ddd */
    GAUZE_BORDER_CONSTANT = 1,   /**< vvv|abcd|vvv */
    GAUZE_BORDER_REFLECT = 2,    /**< cba|abcd|dcb */
    GAUZE_BORDER_REFLECT101 = 3, /**< dcb|abcd|cba */
    GAUZE_BORDER_WRAP = 4,       /**< bcd|abcd|abc */
    /** Recursive filters only: every scan starts from nothing at the edge of what the one before it
     * gave. For filters of which no scan is seen (a recursive Gaussian, B-spline coefficients) it is
     * the constant 0. */
    GAUZE_BORDER_ZERO = 5
};

/** The pixels around a region. */
typedef int32_t gauze_region_edge;
/** Values of gauze_region_edge. */
enum {
    /** The border is made from the region's own pixels; no other is read. */
    GAUZE_REGION_ISOLATED = 0,
    GAUZE_REGION_NEIGHBOURS = 1 /**< the result is the region cut from the filtered whole image */
};

/** A box of source pixels and where its result goes. */
typedef struct gauze_region {
    uint32_t struct_size;     /**< sizeof this struct, set by the caller */
    gauze_region_edge edge;   /**< isolated by default */
    int64_t source_origin[4]; /**< first pixel along x, y, z, t */
    int64_t extent[4];        /**< pixels; 0 means up to the source image's end */
    int64_t target_origin[4]; /**< first pixel of the result along x, y, z, t */
} gauze_region;

/** How results become integers. Both saturate: what lies beyond the type's range becomes the nearest value of it,
 * and NaN 0. Other types of targets are not affected. */
typedef int32_t gauze_store;
enum {
    GAUZE_STORE_SATURATE = 0, /**< rounds half to even */
    GAUZE_STORE_TRUNCATE = 1  /**< cuts off the fraction, as a C cast does */
};

/** The images, the border and the region of a plan. */
typedef struct gauze_plan_desc {
    uint32_t struct_size; /**< sizeof this struct, set by the caller */
    uint32_t
        source_count; /**< 1; 2 for a guided filter with GAUZE_GUIDE_IMAGE: the image and the guide */
    const gauze_image_desc *sources; /**< source_count of them, all with one extent */
    uint32_t target_count; /**< of a bank its number of filters; else 1. All are of one size */
    gauze_border border;   /**< clamp by default */
    /** target_count of them; another pixel type than the source's converts the result. */
    const gauze_image_desc *targets;
    double border_value; /**< for GAUZE_BORDER_CONSTANT, in units of the pixels */
    /** NULL: the whole source, which must have the targets' extents. One region for all targets. */
    const gauze_region *region;
    /** NULL: the environment variable GAUZE_VARIANT, else the library's choice. A kernel's name,
     * with or without values of its tunables: "correlate_tiled" or
     * "correlate_tiled:GROUP_X=16,GROUP_Y=16". For all passes, or with parts for each separated by ';',
     * as gauze_plan_variant has it, where an empty part leaves a pass to the library. Methods of automatic Gaussians
     * stay as they are where the library's plan has these passes; else they follow the kernels. "axes": a recursive
     * filter along x and y, or a separable one along x, y and z, is not run along all of them at once.
     * "filters": each filter of a difference is run by itself. A kernel that takes aligned rows alone is
     * refused when the plan is enqueued on buffers around host memory that starts at no multiple of 64 bytes. */
    const char *variant;
    /** GAUZE_STORE_TRUNCATE is for correlations, boxes and Gaussians by taps; GAUZE_ERROR_UNSUPPORTED for others. */
    gauze_store store;
} gauze_plan_desc;

/** How to filter images of one description on one engine. Immutable; may run from many threads at once. */
typedef struct gauze_plan gauze_plan;

/** Checks everything, chooses kernels and sizes workspace. Images may be larger than the device can hold:
 * host memory is filtered then, and device memory refused.
 * Enqueues nothing, but on a device that none of the library's tuning results knows: there each
 * configuration of a kernel that is not forced runs once, on the engine's own queue, on a tiny image of the
 * library's, and the call waits for it. What it makes of that is compared with the reference, and what fails
 * is not used, and logged. The outcome is kept with the compiled programs. The environment variable
 * GAUZE_SELF_TEST says off, or always: on every device. */
GAUZE_API gauze_status gauze_plan_create(gauze_engine *engine, const gauze_filter *filter,
                                         const gauze_plan_desc *desc, gauze_plan **plan);
/** Releases the plan; no thread may be in a call of it. NULL is allowed. */
GAUZE_API void gauze_plan_destroy(gauze_plan *plan);

/** Compiles what the plan needs, if it is not compiled yet; otherwise the first run does. Kernels for
 * device memory that is not aligned to 64 bytes are left to the first run that meets it. */
GAUZE_API gauze_status gauze_plan_prepare(gauze_plan *plan);

/** Which kernels run and why, what was refused and why, launches, groups of each class, bytes moved
 * and workspace, as lines of text. Lives as long as the plan. */
GAUZE_API gauze_status gauze_plan_explain(const gauze_plan *plan, const char **text);

/** Makes the plan's filter with the methods of its Gaussians settled: those of GAUZE_GAUSSIAN_AUTO have become those
 * by taps or by sums of exponentials that the plan runs, which the size of the image decides too. For plans of parts
 * of an image that are to be computed as the whole is. The caller destroys it. */
GAUZE_API gauze_status gauze_plan_filter(const gauze_plan *plan, gauze_filter **filter);

/** The kernels that run on device memory, in order, with their configurations, separated by "; ".
 * Lives as long as the plan. */
GAUZE_API gauze_status gauze_plan_variant(const gauze_plan *plan, const char **text);

/** Pixels in host memory, laid out as the plan's descriptions say. */
typedef struct gauze_host_source {
    const void *data; /**< the caller's, who keeps it valid during the call */
    size_t bytes;     /**< size of the memory at data */
} gauze_host_source;
/** Host memory that receives pixels, laid out as the plan's descriptions say. */
typedef struct gauze_host_target {
    void *data;   /**< the caller's, who keeps it valid during the call */
    size_t bytes; /**< size of the memory at data */
} gauze_host_target;

/** Called by the thread that runs the plan: when it begins, with done 0, after each slab, and at the end,
 * with done == total. done, total: pixels, those of each pass where an image is streamed in several.
 * Another value than 0 cancels the run; at the end it means nothing. Must not throw. */
typedef int32_t (*gauze_progress_callback)(uint64_t done, uint64_t total, void *user);

/** How a run on host memory goes. */
typedef struct gauze_run_options {
    uint32_t struct_size;             /**< sizeof this struct, set by the caller */
    gauze_progress_callback progress; /**< NULL: none */
    void *progress_user;              /**< passed to progress */
    /** Device memory that the run may take, in bytes, filter data aside; 0: what the device has. Images that
     * need more are streamed as those that the device cannot hold. GAUZE_ERROR_UNSUPPORTED where the
     * smallest slabs need more. */
    uint64_t max_device_bytes;
} gauze_run_options;

/** Filters host memory and returns when the targets are written. Only the target region is written.
 * Source and target may overlap: the result is as if the source had been copied first. Several
 * targets must not overlap each other. Nothing is copied where kernels use the memory itself: on PoCL, where a
 * source and a target share no byte.
 *
 * Images that the device cannot hold, each in one buffer and all together, are streamed through it in
 * slabs, whose transfers go on beside the computing. Taps, boxes and sums go through in one pass, recursive
 * filters axis by axis by way of f32 images in host memory. A source that overlaps a target is copied.
 * Results have the bits that whole images would give, save where sums begin at the edges of slabs, or
 * kernels differ: tables of floats; boxes, of floats or iterated, that are wider than 15 pixels, extend
 * along z or t, or were tuned; recursive filters on devices that take x and y at once, or few long lines, or
 * cannot hold a line. These keep to the filter's bound. A line that a recursive filter runs along is cut only
 * there, and where an eighth of it is all that matters to a sample in f32; else GAUZE_ERROR_UNSUPPORTED.
 *
 * options: how it goes; NULL for the defaults. GAUZE_ERROR_CANCELLED where progress asks for it: the pixels
 * of the target region are undefined then, and nothing else is written; the memory is no longer in use, and
 * the plan can be run again. */
GAUZE_API gauze_status gauze_plan_run(gauze_plan *plan, const gauze_host_source *sources,
                                      uint32_t source_count, const gauze_host_target *targets,
                                      uint32_t target_count, const gauze_run_options *options);

/** Bytes of workspace that a run on device memory needs, for what its launches hand on; 0 for none. */
GAUZE_API gauze_status gauze_plan_workspace_bytes(const gauze_plan *plan, uint64_t *bytes);

/** Enqueues the filter on buffers laid out as the plan's descriptions say, and returns without waiting.
 * queue: of the engine's context and device; NULL for the engine's own queue, which is in order. wait_list:
 * wait_count events of the engine's context that must complete first. event: NULL, or receives an event that
 * completes with the targets written, and that the caller releases. A target region that shares bytes with
 * the source's or with another target's is refused with GAUZE_ERROR_OVERLAP; images that the device cannot
 * hold, or whose passes hand on more than that, with GAUZE_ERROR_UNSUPPORTED. workspace: NULL for memory that
 * the engine lends; else a buffer, or a part of one, of at least gauze_plan_workspace_bytes, that kernels may
 * read and write, that shares no bytes with the images and that nothing else uses until the run is
 * complete. Words that groups of a launch share, up to 144 KiB of a run, are the engine's in any case. It keeps
 * up to 8 of the buffers that it lends, at most a quarter of the device's memory, and up to 1 MiB of such words,
 * for later runs, and with them a reference to the queue, on which it may enqueue a marker when another
 * queue wants the memory. */
GAUZE_API gauze_status gauze_plan_enqueue(gauze_plan *plan, cl_command_queue queue,
                                          const cl_mem *sources, uint32_t source_count,
                                          const cl_mem *targets, uint32_t target_count,
                                          cl_mem workspace, uint32_t wait_count,
                                          const cl_event *wait_list, cl_event *event);

/** The times that gauze_plan_measure() measured. */
typedef struct gauze_timing {
    uint32_t struct_size; /**< sizeof this struct, set by the caller */
    /** 1: the device's own times are junk, device_ms is a wall-clock time. */
    int32_t device_time_is_wall;
    double device_ms; /**< median time on the device */
    double wall_ms;   /**< median time from the call to its completion */
    /** Median device time of a copy of as many bytes, in turn with the filter. */
    double copy_ms;
    int32_t launches; /**< of kernels, in one run */
} gauze_timing;

/** Runs the plan `repeats` times (1 to 1000000), after two that do not count, on device images, each
 * time followed by a plain vectorised copy of the same number of bytes. Blocks. Images that share memory
 * are refused with GAUZE_ERROR_OVERLAP. Of a plan of one source. */
GAUZE_API gauze_status gauze_plan_measure(gauze_plan *plan, const gauze_image *source,
                                          gauze_image *const *targets, uint32_t target_count,
                                          uint32_t repeats, gauze_timing *timing);

/** The same with as many sources as the plan has. */
GAUZE_API gauze_status gauze_plan_measure_sources(
    gauze_plan *plan, const gauze_image *const *sources, uint32_t source_count,
    gauze_image *const *targets, uint32_t target_count, uint32_t repeats, gauze_timing *timing);

/** The times that gauze_plan_compare() measured. */
typedef struct gauze_comparison {
    uint32_t struct_size; /**< sizeof this struct, set by the caller */
    /** 1: the device's own times are junk, or disagree with the wall clock: these are wall-clock times. */
    int32_t device_time_is_wall;
    double time_ms;     /**< median time of the plan */
    double baseline_ms; /**< median time of the baseline */
    double ratio;       /**< median of the ratios of a run to the baseline's beside it */
} gauze_comparison;

/** Runs a plan and a baseline of the same images, with one source and one target each, in turn on device images, once
 * without counting and then `repeats` times (1 to 1000000): a device that changes its pace changes it for
 * both. Only once where the plan takes ten times as long. Blocks. The target holds the plan's result. */
GAUZE_API gauze_status gauze_plan_compare(gauze_plan *plan, gauze_plan *baseline,
                                          const gauze_image *source, gauze_image *target,
                                          uint32_t repeats, gauze_comparison *comparison);

/** The errors that gauze_plan_verify() found. */
typedef struct gauze_verification {
    uint32_t struct_size; /**< sizeof this struct, set by the caller */
    int32_t within_bound; /**< 1 if worst_error <= bound */
    /** Largest absolute difference from the reference, in units of the pixels. */
    double worst_error;
    double bound; /**< the filter's stated bound for this source */
    /** Bounds of a summed-area table grow with what an entry sums: the worst one is that with the largest
     * share of its own, and both numbers are its. */
    int64_t worst_at[6]; /**< x, y, z, t, plane, channel of the worst pixel, in the target */
    uint64_t pixels;     /**< number of pixels compared */
    /** The target, of several, that all but `pixels` is about: the one whose error is the largest share of its bound. */
    uint32_t worst_target;
} gauze_verification;

/** Recomputes every pixel of the target regions on the host, in double precision and from the taps as
 * given, and compares. For integer types the reference is not rounded: the bound has half a step
 * for the rounding. source: one, or as many as the plan has, in an array. */
GAUZE_API gauze_status gauze_plan_verify(gauze_plan *plan, const gauze_host_source *source,
                                         const gauze_host_source *targets, uint32_t target_count,
                                         gauze_verification *result);

/** @} */

/** @defgroup ssimulacra2 SSIMULACRA 2: how far an image is from its reference
 *  @{ */

/** The perceptual metric of that name, version 2.1: 100 for equal images, about 90 where differences
 * cannot be seen side by side, 70 for high quality, 50 for medium, below 0 for the worst. One of
 * these scores images of one size and layout, and keeps a reference on the device. Scores are
 * within 0.01 of the definition computed in double.
 *
 * Values are sRGB. Gray stands for R = G = B. Where the reference has an alpha channel both images
 * are laid over a dark and over a bright gray, and the lower score counts; where only the distorted
 * image has one it is laid over a middle gray.
 *
 * May be used from many threads, which wait for each other. */
typedef struct gauze_ssimulacra2 gauze_ssimulacra2;

/** The images that a metric scores. */
typedef struct gauze_ssimulacra2_desc {
    uint32_t struct_size; /**< sizeof this struct, set by the caller */
    /** U8 or U16; 1 channel for gray, 2 for gray and alpha, 3 for RGB, 4 for RGB and alpha; one
     * plane of at least 8x8 pixels, the same extents for both; pixels of a row side by side. */
    const gauze_image_desc *reference;
    const gauze_image_desc *distorted; /**< as reference */
    /** NULL: the environment variable GAUZE_VARIANT, else the library's choice. Kernels' names as
     * for plans, separated by ';'. */
    const char *variant;
} gauze_ssimulacra2_desc;

/** Checks everything and chooses kernels, on an unknown device after a test on a tiny pair of images, as
 * gauze_plan_create says; the first map has its kernels tested in the same way. Keeps nothing on the device:
 * the first use allocates about 32 bytes a pixel besides the pixels themselves, 48 where the reference has
 * an alpha channel. */
GAUZE_API gauze_status gauze_ssimulacra2_create(gauze_engine *engine,
                                                const gauze_ssimulacra2_desc *desc,
                                                gauze_ssimulacra2 **metric);
/** Releases the metric. NULL is allowed. */
GAUZE_API void gauze_ssimulacra2_destroy(gauze_ssimulacra2 *metric);

/** Which kernels run and why, launches for an image, and device memory, as lines of text. Lives as
 * long as the metric. */
GAUZE_API gauze_status gauze_ssimulacra2_explain(const gauze_ssimulacra2 *metric,
                                                 const char **text);

/** Makes an image the reference, until another one is. Returns when its pixels have been read. */
GAUZE_API gauze_status gauze_ssimulacra2_set_reference(gauze_ssimulacra2 *metric,
                                                       const gauze_host_source *reference);
/** The same of an image on the metric's engine. */
GAUZE_API gauze_status gauze_ssimulacra2_set_reference_image(gauze_ssimulacra2 *metric,
                                                             const gauze_image *reference);

/** Scores `count` distorted images, each against its own of `count` references, the last of which is
 * kept; or, where references is NULL, against the one that has been set. Transfers of an image
 * overlap with the computing of the one before. Returns when all scores are written. */
GAUZE_API gauze_status gauze_ssimulacra2_score(gauze_ssimulacra2 *metric,
                                               const gauze_host_source *references,
                                               const gauze_host_source *distorted, uint32_t count,
                                               double *scores);
/** The same of images on the metric's engine, described as the metric was told. What is still to be
 * written to them must be in order on the engine's own queue, or complete. */
GAUZE_API gauze_status gauze_ssimulacra2_score_images(gauze_ssimulacra2 *metric,
                                                      const gauze_image *const *references,
                                                      const gauze_image *const *distorted,
                                                      uint32_t count, double *scores);

/** Where a distorted image differs from the reference that has been set: what each pixel adds to the
 * weighted error that the score is made of, in rows of the images' width, 0 where nothing differs.
 * The pixels of smaller scales stand for those that they are the mean of. bytes: size of the memory
 * at map, at least 4 for each pixel. score: NULL, or receives the score. */
GAUZE_API gauze_status gauze_ssimulacra2_error_map(gauze_ssimulacra2 *metric,
                                                   const gauze_host_source *distorted, float *map,
                                                   size_t bytes, double *score);

/** The score of a weighted error, such as the mean of a map, or a pixel of it: what an image would
 * score whose error was everywhere as large as there. NaN gives NaN. */
GAUZE_API double gauze_ssimulacra2_score_of(double weighted_error);

/** @} */

#ifdef __cplusplus
}
#endif

#endif
