/* Blurs a grey image in host memory, by the C ABI alone: blur_pgm SIGMA IN.pgm OUT.pgm */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gauze/gauze.h>

typedef struct {
    int width, height;
    unsigned char *pixels;
} grey_image;

static int is_ok(gauze_status status, const char *what) {
    if (status != GAUZE_OK)
        fprintf(stderr, "%s: %s: %s\n", what, gauze_status_name(status), gauze_last_error());
    return status == GAUZE_OK;
}

/* A binary PGM of 8 bits, without comments. */
static int read_pgm(const char *path, grey_image *image) {
    enum { MOST = 32768 };
    int most_grey = 0;
    size_t count;
    FILE *const file = fopen(path, "rb");
    int good = file &&
               fscanf(file, "P5 %d %d %d", &image->width, &image->height, &most_grey) == 3 &&
               fgetc(file) != EOF && image->width > 0 && image->width <= MOST &&
               image->height > 0 && image->height <= MOST && most_grey == 255;
    if (good) {
        count = (size_t)image->width * (size_t)image->height;
        image->pixels = malloc(count);
        good = image->pixels && fread(image->pixels, 1, count, file) == count;
    }
    if (file)
        fclose(file);
    if (!good)
        fprintf(stderr, "%s is no binary PGM of 8 bits\n", path);
    return good;
}

static int write_pgm(const char *path, const grey_image *image, const unsigned char *pixels) {
    const size_t count = (size_t)image->width * (size_t)image->height;
    FILE *const file = fopen(path, "wb");
    int good = file && fprintf(file, "P5\n%d %d\n255\n", image->width, image->height) > 0 &&
               fwrite(pixels, 1, count, file) == count;
    if (file && fclose(file) != 0)
        good = 0;
    if (!good)
        fprintf(stderr, "%s cannot be written\n", path);
    return good;
}

static int blur(const grey_image *image, double sigma, unsigned char *result) {
    gauze_engine *engine = NULL;
    gauze_filter *filter = NULL;
    gauze_plan *plan = NULL;
    gauze_gaussian gaussian;
    gauze_image_desc desc;
    gauze_plan_desc plan_desc;
    gauze_host_source source;
    gauze_host_target target;
    int good;

    /* Fields that are 0 have their defaults. */
    memset(&gaussian, 0, sizeof gaussian);
    gaussian.struct_size = sizeof gaussian;
    gaussian.sigma[0] = gaussian.sigma[1] = sigma;
    memset(&desc, 0, sizeof desc);
    desc.struct_size = sizeof desc;
    desc.type = GAUZE_U8;
    desc.extent[0] = image->width;
    desc.extent[1] = image->height;
    memset(&plan_desc, 0, sizeof plan_desc);
    plan_desc.struct_size = sizeof plan_desc;
    plan_desc.source_count = plan_desc.target_count = 1;
    plan_desc.sources = plan_desc.targets = &desc;
    plan_desc.border = GAUZE_BORDER_REFLECT101;
    source.data = image->pixels;
    target.data = result;
    source.bytes = target.bytes = (size_t)image->width * (size_t)image->height;

    good = is_ok(gauze_engine_create(NULL, &engine), "engine") &&
           is_ok(gauze_filter_gaussian(&gaussian, &filter), "filter") &&
           is_ok(gauze_plan_create(engine, filter, &plan_desc, &plan), "plan") &&
           is_ok(gauze_plan_run(plan, &source, 1, &target, 1, NULL), "run");
    /* These take NULL, too. */
    gauze_plan_destroy(plan);
    gauze_filter_destroy(filter);
    gauze_engine_destroy(engine);
    return good;
}

int main(int count, char **arguments) {
    grey_image image = {0, 0, NULL};
    unsigned char *result = NULL;
    int good;
    if (count != 4) {
        fprintf(stderr, "usage: %s SIGMA IN.pgm OUT.pgm\n", arguments[0]);
        return 2;
    }
    good = read_pgm(arguments[2], &image);
    if (good)
        result = malloc((size_t)image.width * (size_t)image.height);
    good = good && result && blur(&image, atof(arguments[1]), result) &&
           write_pgm(arguments[3], &image, result);
    free(result);
    free(image.pixels);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
