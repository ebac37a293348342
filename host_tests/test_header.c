/* The public headers are C11 on their own, and descriptions of filters are made as gauze.h says: zeroed,
 * but for their size and what is asked for. */
#include <gauze/gauze_tuning.h>

int32_t version_seen_from_c(void);
int32_t version_seen_from_c(void) {
    return gauze_version();
}

/* Filters of every kind, or NULL; the caller destroys them. */
enum { FILTERS_FROM_C = 11 };
int filters_made_from_c(gauze_filter *filters[FILTERS_FROM_C]);
int filters_made_from_c(gauze_filter *filters[FILTERS_FROM_C]) {
    const double values[] = {1.0, 2.0, 1.0};
    gauze_taps taps = {.struct_size = sizeof taps, .values = values, .size = {3, 1}};
    gauze_separable_taps separable = {
        .struct_size = sizeof separable, .values = {values, values}, .count = {3, 2}};
    gauze_gaussian gaussian = {.struct_size = sizeof gaussian, .sigma = {1.5, 0.5}};
    gauze_box box = {.struct_size = sizeof box, .radius = {2, 1}};
    gauze_scan scan = {.struct_size = sizeof scan,
                       .direction = -1,
                       .feedforward_count = 1,
                       .feedback_count = 1,
                       .feedforward = (const double[]){0.5},
                       .feedback = (const double[]){0.5}};
    gauze_recursive recursive = {.struct_size = sizeof recursive, .scan_count = 1, .scans = &scan};
    gauze_sections sections = {.struct_size = sizeof sections,
                               .section_count = 1,
                               .rows = (const double[]){0.5, 0, 0, 1, -0.5, 0},
                               .direction = {1, -1}};
    gauze_dog dog = {.struct_size = sizeof dog, .sigma = {1.0, 2.0}};
    gauze_window window = {.struct_size = sizeof window, .size = {3, 3}};
    gauze_morphology erosion = {.struct_size = sizeof erosion, .window = &window};
    for (int i = 0; i < FILTERS_FROM_C; ++i)
        filters[i] = NULL;
    return gauze_filter_correlate(&taps, &filters[0]) == GAUZE_OK &&
           gauze_filter_separable(&separable, &filters[1]) == GAUZE_OK &&
           gauze_filter_gaussian(&gaussian, &filters[2]) == GAUZE_OK &&
           gauze_filter_box(&box, &filters[3]) == GAUZE_OK &&
           gauze_filter_with_component(filters[0], 1, filters[2], &filters[4]) == GAUZE_OK &&
           gauze_filter_recursive(&recursive, &filters[5]) == GAUZE_OK &&
           gauze_filter_sat(&filters[6]) == GAUZE_OK &&
           gauze_filter_bspline(3, &filters[7]) == GAUZE_OK &&
           gauze_filter_dog(&dog, &filters[8]) == GAUZE_OK &&
           gauze_filter_sections(&sections, &filters[9]) == GAUZE_OK &&
           gauze_filter_morphology(&erosion, &filters[10]) == GAUZE_OK;
}
