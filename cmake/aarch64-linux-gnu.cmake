# Cross-compiles for 64 bit Arm with Debian's g++-aarch64-linux-gnu; tests run
# under qemu-user. The compiler brings libc and libstdc++. LLVM, GoogleTest and
# what else is linked come from a sysroot, Debian's packages for arm64 unpacked
# into a directory, which scripts/test-arm makes.

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L /usr/aarch64-linux-gnu)

set(TORCHPROF_SYSROOT "${CMAKE_CURRENT_LIST_DIR}/../build/aarch64-sysroot"
    CACHE PATH "Debian packages for arm64, unpacked")
# Checks that CMake compiles in projects of their own read this file too.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES TORCHPROF_SYSROOT)
get_filename_component(_sysroot "${TORCHPROF_SYSROOT}" ABSOLUTE)
if(NOT EXISTS "${_sysroot}/usr")
  message(FATAL_ERROR "no packages for arm64 in ${_sysroot}: scripts/test-arm \
unpacks them, or set TORCHPROF_SYSROOT")
endif()

# Not CMAKE_SYSROOT: there is no libc in it. Its headers come after the
# compiler's.
set(CMAKE_FIND_ROOT_PATH "${_sysroot}")
string(CONCAT CMAKE_CXX_FLAGS_INIT
  "-idirafter ${_sysroot}/usr/include/aarch64-linux-gnu "
  "-idirafter ${_sysroot}/usr/include")
foreach(_kind LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${_kind} ONLY)
endforeach()
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
