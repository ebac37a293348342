# Builds everything with the sanitizers of GAUZE_SANITIZE.
if(GAUZE_SANITIZE)
    add_compile_options(
        -fsanitize=${GAUZE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    # A null pointer crashes anyway; what computes is checked for alignment (GAUZE_ARITHMETIC_FLAGS). All
    # of them everywhere would take a third of the build.
    if(GAUZE_SANITIZE MATCHES "undefined")
        add_compile_options(-fno-sanitize=null,vptr,alignment)
    endif()
    add_link_options(-fsanitize=${GAUZE_SANITIZE})
endif()
