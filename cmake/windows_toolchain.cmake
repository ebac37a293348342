# Builds for Windows by MinGW-w64, as Debian has it. GAUZE_WINDOWS_ROOT: where tools/windows.sh put the headers and
# libraries that are not the compiler's own.
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER x86_64-w64-mingw32-gcc-posix)
set(CMAKE_CXX_COMPILER x86_64-w64-mingw32-g++-posix)
set(CMAKE_RC_COMPILER x86_64-w64-mingw32-windres)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES GAUZE_WINDOWS_ROOT)
set(CMAKE_FIND_ROOT_PATH ${GAUZE_WINDOWS_ROOT} ${GAUZE_WINDOWS_ROOT}/usr ${GAUZE_WINDOWS_ROOT}/usr/x86_64-w64-mingw32)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
# Programs and the library run without the compiler's own libraries beside them. No exception crosses the C ABI.
foreach(kind EXE SHARED)
    set(CMAKE_${kind}_LINKER_FLAGS_INIT "-static -static-libgcc -static-libstdc++")
endforeach()
