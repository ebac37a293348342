# gauze_warnings: the warnings that all of the project's own code is compiled with.
add_library(gauze_warnings INTERFACE)
target_compile_options(gauze_warnings INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion
    $<$<BOOL:${GAUZE_WERROR}>:-Werror>)
