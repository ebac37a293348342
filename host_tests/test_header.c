/* The public header is C11 on its own. */
#include <gauze/gauze.h>

int32_t version_seen_from_c(void);
int32_t version_seen_from_c(void) {
    return gauze_version();
}
