/* Blurs a row of floats by the C ABI. Says why where there is no device, which is no failure. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gauze/gauze.h>
#include <gauze/gauze_tuning.h>

enum { WIDTH = 16 };

static int failed(gauze_status status, const char *what) {
    if (status != GAUZE_OK)
        printf("%s: %s: %s\n", what, gauze_status_name(status), gauze_last_error());
    return status != GAUZE_OK;
}

int main(void) {
    gauze_engine *engine = NULL;
    gauze_filter *filter = NULL;
    gauze_plan *plan = NULL;
    gauze_separable_taps taps;
    gauze_image_desc image;
    gauze_plan_desc desc;
    gauze_host_source from;
    gauze_host_target to;
    uint32_t problem_count = 0;
    const double row[3] = {0.25, 0.5, 0.25};
    float source[WIDTH] = {0};
    float target[WIDTH] = {0};

    const gauze_status status = gauze_engine_create(NULL, &engine);
    if (status == GAUZE_ERROR_NO_DEVICE) {
        printf("no device: %s\n", gauze_last_error());
        return EXIT_SUCCESS;
    }
    if (failed(status, "engine"))
        return EXIT_FAILURE;

    memset(&taps, 0, sizeof taps);
    taps.struct_size = sizeof taps;
    taps.values[0] = row;
    taps.count[0] = 3;
    memset(&image, 0, sizeof image);
    image.struct_size = sizeof image;
    image.type = GAUZE_F32;
    image.extent[0] = WIDTH;
    image.extent[1] = 1;
    memset(&desc, 0, sizeof desc);
    desc.struct_size = sizeof desc;
    desc.source_count = 1;
    desc.sources = &image;
    desc.target_count = 1;
    desc.targets = &image;
    source[8] = 4.0f;
    from.data = source;
    from.bytes = sizeof source;
    to.data = target;
    to.bytes = sizeof target;
    if (failed(gauze_filter_separable(&taps, &filter), "filter") ||
        failed(gauze_plan_create(engine, filter, &desc, &plan), "plan") ||
        failed(gauze_plan_problem_count(plan, &problem_count), "problems") ||
        failed(gauze_plan_run(plan, &from, 1, &to, 1, NULL), "run"))
        return EXIT_FAILURE;
    gauze_plan_destroy(plan);
    gauze_filter_destroy(filter);
    gauze_engine_destroy(engine);

    printf("%g %g %g %g\n", target[6], target[7], target[8], target[9]);
    return problem_count > 0 && target[6] == 0.0f && target[7] == 1.0f && target[8] == 2.0f &&
                   target[9] == 1.0f
               ? EXIT_SUCCESS
               : EXIT_FAILURE;
}
