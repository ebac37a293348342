# Builds everything with the sanitizers of GAUZE_SANITIZE.
if(GAUZE_SANITIZE)
    add_compile_options(
        -fsanitize=${GAUZE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    add_link_options(-fsanitize=${GAUZE_SANITIZE})
endif()
