# Finds LibTorch without its own CMake package: that one drags CUDA, MKL and
# Caffe2 targets into every consumer and differs from build to build.
#
# Order: for a wheel, the torch of the Python that builds it and no other. Else
# TORCHPROF_TORCH (a cache variable or the environment's; `system`, or a path to a
# LibTorch, a torch package or a Python prefix), CMAKE_PREFIX_PATH (the variable, then
# the environment's), a python3 that can import torch, Debian's package.
#
# Result: target TorchProf::LibTorch, LibTorch_FOUND, LibTorch_VERSION,
# LibTorch_LIBRARY_DIR, LibTorch_PREFIX, LibTorch_ALL_LIBRARY (libtorch.so, which is
# empty and needs the libraries for the CPU and for devices), LibTorch_BUILD_ID (of
# libtorch_cpu.so, the name of this build of it), LibTorch_CXX11_ABI (whether
# std::string is libstdc++'s new one there), TORCH_CXX_FLAGS (that as a flag; units
# that include torch headers take it).

set(TORCHPROF_TORCH "$ENV{TORCHPROF_TORCH}" CACHE STRING
    "LibTorch to build with: system, or the path of a LibTorch")

# Looks for the header and the library below one root. Accepts the layouts of
# the official zip, of a torch package in site-packages and of Debian.
function(_libtorch_try root)
  if(LibTorch_INCLUDE_DIR OR NOT root)
    return()
  endif()
  find_path(_include torch/csrc/jit/ir/ir.h
    PATHS "${root}/include" "${root}/lib/python3/site-packages/torch/include"
    NO_DEFAULT_PATH NO_CACHE)
  find_library(_library torch_cpu
    PATHS "${root}/lib" "${root}/lib/${CMAKE_LIBRARY_ARCHITECTURE}"
    NO_DEFAULT_PATH NO_CACHE)
  if(_include AND _library)
    set(LibTorch_INCLUDE_DIR "${_include}" PARENT_SCOPE)
    set(LibTorch_LIBRARY "${_library}" PARENT_SCOPE)
  endif()
endfunction()

function(_libtorch_try_python python)
  if(LibTorch_INCLUDE_DIR OR NOT python)
    return()
  endif()
  execute_process(
    COMMAND "${python}" ${ARGN} -c
      "import torch, os; print(os.path.dirname(torch.__file__))"
    OUTPUT_VARIABLE _package OUTPUT_STRIP_TRAILING_WHITESPACE
    RESULT_VARIABLE _status ERROR_QUIET)
  if(_status EQUAL 0)
    _libtorch_try("${_package}")
    if(_package MATCHES "^/usr/lib/python3/dist-packages/") # Debian's
      _libtorch_try(/usr)
    endif()
    set(LibTorch_INCLUDE_DIR "${LibTorch_INCLUDE_DIR}" PARENT_SCOPE)
    set(LibTorch_LIBRARY "${LibTorch_LIBRARY}" PARENT_SCOPE)
  endif()
endfunction()

# Sets LibTorch_CXX11_ABI, kept in the cache, to 1 or 0: the official wheels up to
# 2.6 have libstdc++'s old std::string. Symbols do not tell, since both kinds can
# be in one library; a call that links does.
function(_libtorch_find_abi c10)
  set(_of "${c10} ${LibTorch_BUILD_ID}")
  if(DEFINED LibTorch_CXX11_ABI AND LibTorch_CXX11_ABI_OF STREQUAL "${_of}")
    return()
  endif()
  set(_call "#include <c10/util/StringUtil.h>
int main(int, char **Arguments) {
  return c10::detail::StripBasename(Arguments[0]).empty();
}")
  foreach(_abi 1 0)
    try_compile(_links SOURCE_FROM_VAR abi.cpp _call NO_CACHE
      CMAKE_FLAGS "-DINCLUDE_DIRECTORIES=${LibTorch_INCLUDE_DIR}"
      COMPILE_DEFINITIONS "-D_GLIBCXX_USE_CXX11_ABI=${_abi}"
      # What c10 itself needs (CUDA's libraries, say) lies elsewhere.
      LINK_OPTIONS LINKER:--allow-shlib-undefined
      LINK_LIBRARIES "${c10}"
      CXX_STANDARD 20
      OUTPUT_VARIABLE _output)
    if(_links)
      set(LibTorch_CXX11_ABI ${_abi} CACHE INTERNAL "")
      set(LibTorch_CXX11_ABI_OF "${_of}" CACHE INTERNAL "")
      return()
    endif()
  endforeach()
  message(FATAL_ERROR "${c10} links with neither of libstdc++'s std::string's; \
the compiler says:\n${_output}")
endfunction()

# Sets LibTorch_BUILD_ID to the ELF note's text, or to what stands for none, as in
# attach/lib/FindRuntime.c.
function(_libtorch_read_build_id library)
  find_program(_readelf NAMES "${CMAKE_READELF}" readelf NO_CACHE REQUIRED)
  # In other languages it says "Build ID" in other words.
  execute_process(
    COMMAND "${CMAKE_COMMAND}" -E env LC_ALL=C "${_readelf}" --notes "${library}"
    OUTPUT_VARIABLE _notes ERROR_QUIET)
  set(LibTorch_BUILD_ID "no-build-id" PARENT_SCOPE)
  if(_notes MATCHES "Build ID: ([0-9a-f]+)")
    set(LibTorch_BUILD_ID "${CMAKE_MATCH_1}" PARENT_SCOPE)
  endif()
endfunction()

set(LibTorch_INCLUDE_DIR "")
set(LibTorch_LIBRARY "")
set(_defines "")
if(SKBUILD)
  # Where pip builds it hides the environment's packages behind PYTHONPATH, and the
  # user's by PYTHONNOUSERSITE. -E ignores both; -I would leave out the user's, too.
  # With --no-build-isolation both are the user's own.
  set(_ignoring "")
  if("$ENV{PYTHONPATH}" MATCHES "pip-build-env-")
    set(_ignoring -E)
  endif()
  _libtorch_try_python("${PYTHON_EXECUTABLE}" ${_ignoring})
  if(NOT LibTorch_INCLUDE_DIR)
    message(FATAL_ERROR "${PYTHON_EXECUTABLE} has no torch: install the one \
that torchprof_jit is for first. `python3 -m build` builds where it is not: give \
it --no-isolation")
  endif()
elseif(TORCHPROF_TORCH STREQUAL "system")
  _libtorch_try(/usr)
elseif(TORCHPROF_TORCH)
  _libtorch_try("${TORCHPROF_TORCH}")
  _libtorch_try_python("${TORCHPROF_TORCH}/bin/python3")
else()
  file(TO_CMAKE_PATH "$ENV{CMAKE_PREFIX_PATH}" _prefixes)
  foreach(_prefix IN LISTS CMAKE_PREFIX_PATH _prefixes)
    _libtorch_try("${_prefix}")
  endforeach()
  find_program(_python3 python3 NO_CACHE)
  _libtorch_try_python("${_python3}")
  _libtorch_try(/usr)
endif()

if(LibTorch_INCLUDE_DIR)
  # 2.x moved the numbers to headeronly.
  foreach(_header torch/headeronly/version.h
          torch/csrc/api/include/torch/version.h)
    if(NOT _defines AND EXISTS "${LibTorch_INCLUDE_DIR}/${_header}")
      file(STRINGS "${LibTorch_INCLUDE_DIR}/${_header}" _defines
           REGEX "define TORCH_VERSION_(MAJOR|MINOR|PATCH) ")
    endif()
  endforeach()
  string(REGEX REPLACE "[^0-9;]" "" _numbers "${_defines}")
  string(REPLACE ";" "." LibTorch_VERSION "${_numbers}")
  get_filename_component(LibTorch_LIBRARY_DIR "${LibTorch_LIBRARY}" DIRECTORY)
  get_filename_component(LibTorch_PREFIX "${LibTorch_INCLUDE_DIR}" DIRECTORY)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibTorch
  REQUIRED_VARS LibTorch_LIBRARY LibTorch_INCLUDE_DIR
  VERSION_VAR LibTorch_VERSION
  REASON_FAILURE_MESSAGE "set TORCHPROF_TORCH to `system` (Debian's \
libtorch-dev) or to the directory of a LibTorch, or run scripts/setup")

if(LibTorch_FOUND)
  _libtorch_read_build_id("${LibTorch_LIBRARY}")
  # scripts/common.sh configures anew when another one lies there.
  set(LibTorch_SEEN "${LibTorch_LIBRARY}=${LibTorch_BUILD_ID}" CACHE INTERNAL "")
endif()
if(LibTorch_FOUND AND NOT TARGET TorchProf::LibTorch)
  find_library(_c10 c10 PATHS "${LibTorch_LIBRARY_DIR}" NO_DEFAULT_PATH
    NO_CACHE REQUIRED)
  find_library(LibTorch_ALL_LIBRARY torch PATHS "${LibTorch_LIBRARY_DIR}"
    NO_DEFAULT_PATH NO_CACHE REQUIRED)

  _libtorch_find_abi("${_c10}")
  set(TORCH_CXX_FLAGS "-D_GLIBCXX_USE_CXX11_ABI=${LibTorch_CXX11_ABI}")

  add_library(TorchProf::LibTorch INTERFACE IMPORTED)
  target_include_directories(TorchProf::LibTorch SYSTEM INTERFACE
    "${LibTorch_INCLUDE_DIR}"
    "${LibTorch_INCLUDE_DIR}/torch/csrc/api/include")
  target_compile_options(TorchProf::LibTorch INTERFACE ${TORCH_CXX_FLAGS})
  # Without the libraries for devices, which the tools load if they are asked to.
  target_link_libraries(TorchProf::LibTorch INTERFACE
    "${LibTorch_LIBRARY}" "${_c10}")
endif()
