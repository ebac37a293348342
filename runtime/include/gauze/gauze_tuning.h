/** @file
 * Gauze: tuning, which is what `gauze tune` needs besides gauze.h. The conventions of gauze.h hold here.
 *
 * The passes of a plan are problems of a few classes, by what they compute, how far it reaches, the pixels'
 * types and the size of the image. The user's tuning file keeps results of measurements for each class. They
 * decide which kernel a plan takes, in which configuration, where neither the caller nor GAUZE_VARIANT names
 * one; then come the library's own results on this device, its architecture, its vendor's devices or its
 * class; then what the class prefers.
 *
 * A tuner makes a plan and asks for its problems, makes a plan with each candidate for
 * gauze_plan_desc::variant, checks it by gauze_plan_verify, times it by gauze_plan_compare, and adds the
 * results. */
#ifndef GAUZE_GAUZE_TUNING_H
#define GAUZE_GAUZE_TUNING_H

#include <gauze/gauze.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @defgroup tuning Tuning: results of measurements
 *  @{ */

/** A problem of a plan, or of a metric: the name of its class, what could run it, and the way to its results.
 * Immutable; many threads may use it at once. It keeps alive what it was made from, with the device memory of
 * that: the handles of the plan or metric and of the engine may be destroyed before it. */
typedef struct gauze_problem gauze_problem;

/** Number of a plan's problems: one for each pass; or one in all of a filter that a kernel can run along all
 * of its axes at once, a recursive one along x and y or a separable one along x, y and z. */
GAUZE_API gauze_status gauze_plan_problem_count(const gauze_plan *plan, uint32_t *count);
/** Makes one of a plan's problems, in the order of its passes; the caller destroys it.
 * GAUZE_ERROR_INVALID_ARGUMENT where the index is not below the count. */
GAUZE_API gauze_status gauze_plan_problem(const gauze_plan *plan, uint32_t index,
                                          gauze_problem **problem);

/** Makes the problem of the method of a plan's filter, a Gaussian of GAUZE_GAUSSIAN_AUTO; the caller destroys it. Its
 * candidates are no variants: "fir" and "recursive" stand for plans of the same Gaussian with GAUZE_GAUSSIAN_FIR
 * and GAUZE_GAUSSIAN_RECURSIVE. The results decide which method later plans of such Gaussians take, by the number
 * of their taps, whether these fill the programs of separable taps (25 do, 23 do not), the pixels' types, the size
 * of the image, and whether it has several channels or is a volume. GAUZE_ERROR_UNSUPPORTED where no such results
 * are kept: the method was not automatic, or a kernel is forced, or the Gaussian is one along one axis, or of fewer
 * than 12 or more than 63 taps, or of another truncate or accuracy than the usual. */
GAUZE_API gauze_status gauze_plan_method_problem(const gauze_plan *plan, gauze_problem **problem);

/** Number of a metric's problems: two, from the pixels of a distorted image to planes, and from planes to
 * sums of errors. A candidate alone, as the variant of a metric, leaves the other to the library. */
GAUZE_API gauze_status gauze_ssimulacra2_problem_count(const gauze_ssimulacra2 *metric,
                                                       uint32_t *count);
/** Makes one of a metric's problems; the caller destroys it. GAUZE_ERROR_INVALID_ARGUMENT where the index is
 * not below the count. */
GAUZE_API gauze_status gauze_ssimulacra2_problem(const gauze_ssimulacra2 *metric, uint32_t index,
                                                 gauze_problem **problem);

/** Releases a problem; NULL is taken too. What was added to its results stays. */
GAUZE_API void gauze_problem_destroy(gauze_problem *problem);

/** Name of the problem's class, such as "separable taps<=5 f32 small": two problems of one name have the same
 * results. "" where no results are kept: of a recursive filter with a tile of the caller's. Lives as long as
 * the problem. */
GAUZE_API gauze_status gauze_problem_name(const gauze_problem *problem, const char **name);

/** Number of variants that could run the problem. The first call for a number or a variant finds all of them, which
 * takes up to some 10 ms; names alone cost nothing. */
GAUZE_API gauze_status gauze_problem_candidate_count(const gauze_problem *problem, uint32_t *count);
/** A variant that could run the problem. First comes the one that is taken where there are no results, then
 * the first of each other kernel, then the rest. GAUZE_ERROR_INVALID_ARGUMENT where the index is not below
 * the count. Lives as long as the problem. */
GAUZE_API gauze_status gauze_problem_candidate(const gauze_problem *problem, uint32_t index,
                                               const char **variant);

/** The measurement of a candidate. */
typedef struct gauze_tuning_result {
    uint32_t struct_size; /**< sizeof this struct, set by the caller */
    const char *variant;  /**< a candidate of the problem; copied */
    double time_ms;       /**< median time of a run; at least 0 */
    double ratio;         /**< of its time to that of the first candidate; at least 0 */
    /** Why it is never to be taken: it was wrong, or failed; copied. NULL: it is not bad. */
    const char *bad;
} gauze_tuning_result;

/** Adds results of a problem to the engine's tuning file, in place of those of the same variants on the same
 * device and driver. Threads and processes may do so at the same time. The file has the fastest few of each
 * problem, and all that are bad. Plans that are made from now on go by them. count may be 0.
 * GAUZE_ERROR_UNSUPPORTED where the engine has no such file; GAUZE_ERROR_INVALID_ARGUMENT where a variant
 * names no kernel for the problem, a number is out of range, no results are kept for the problem, or the file
 * cannot be written. */
GAUZE_API gauze_status gauze_problem_add_results(gauze_problem *problem,
                                                 const gauze_tuning_result *results,
                                                 uint32_t count);

/** The engine's tuning file, "" for none; it need not be there. Lives as long as the engine. */
GAUZE_API gauze_status gauze_engine_tuning_file(const gauze_engine *engine, const char **path);

/** @} */

#ifdef __cplusplus
}
#endif

#endif
