# Blurs an image of equal pixels, which must stay as it is, and refuses what is no image.
#   cmake -DBLUR=<example_blur_pgm> -DWORK=<directory> -P check_blur_pgm.cmake
set(ENV{GAUZE_CACHE_DIR} off)
file(MAKE_DIRECTORY "${WORK}")
string(REPEAT "dddddddddd" 30 pixels)
file(WRITE "${WORK}/flat.pgm" "P5\n20 15\n255\n${pixels}")
execute_process(COMMAND ${BLUR} 2.5 ${WORK}/flat.pgm ${WORK}/blurred.pgm COMMAND_ERROR_IS_FATAL ANY)
file(READ "${WORK}/flat.pgm" before HEX)
file(READ "${WORK}/blurred.pgm" after HEX)
if(NOT before STREQUAL after)
    message(FATAL_ERROR "equal pixels became ${after}")
endif()
file(WRITE "${WORK}/short.pgm" "P5\n20 15\n255\nddd")
execute_process(COMMAND ${BLUR} 2.5 ${WORK}/short.pgm ${WORK}/blurred.pgm RESULT_VARIABLE result
                ERROR_VARIABLE said)
if(result EQUAL 0 OR NOT said MATCHES "no binary PGM")
    message(FATAL_ERROR "a truncated image: ${result}, ${said}")
endif()
