# Compiles everything so that libFuzzer can guide itself, with the address and
# undefined behaviour sanitizers if no others were chosen, and finds the engine: LIB_FUZZING_ENGINE of the
# environment, as OSS-Fuzz has it, else the one that comes with clang, which GCC
# can link too (fuzz/GccCoverage.cpp).
#
# GCC is what it is tested with: clang 14 and 16 refuse LLVM 14's JSON.h in C++20.

if(DEFINED ENV{LIB_FUZZING_ENGINE})
  set(_engine "$ENV{LIB_FUZZING_ENGINE}")
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  file(GLOB _engine "/usr/lib/llvm-*/lib/clang/*/lib/linux/\
libclang_rt.fuzzer-${CMAKE_SYSTEM_PROCESSOR}.a")
  if(_engine)
    list(GET _engine 0 _engine)
  else()
    message(FATAL_ERROR "libFuzzer was not found: TORCHPROF_FUZZ needs Debian's \
libclang-rt-14-dev, or LIB_FUZZING_ENGINE in the environment; scripts/fuzz \
installs it")
  endif()
else()
  set(_engine "-fsanitize=fuzzer")
endif()
set(TORCHPROF_FUZZING_ENGINE "${_engine}" CACHE STRING
  "What fuzzers are linked with" FORCE)

option(TORCHPROF_FUZZ_FLAGS "Choose coverage and sanitizers; off where the \
environment's CXXFLAGS do, as OSS-Fuzz's" ON)
if(NOT TORCHPROF_FUZZ_FLAGS)
  return()
endif()
if(NOT TORCHPROF_SANITIZE)
  set(TORCHPROF_SANITIZE "address,undefined")
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(TORCHPROF_COVERAGE_FLAGS -fsanitize-coverage=trace-pc,trace-cmp)
else()
  set(TORCHPROF_COVERAGE_FLAGS -fsanitize=fuzzer-no-link)
endif()
add_compile_options(${TORCHPROF_COVERAGE_FLAGS})
