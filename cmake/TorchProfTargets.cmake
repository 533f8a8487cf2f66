# Helpers for two kinds of targets: a translation unit sees LibTorch's headers or
# LLVM's, never both, and takes the flags that its library was built with.

# Most of what compiling a file takes is reading the headers of LibTorch or LLVM.
option(TORCHPROF_GROUP_SOURCES "Compile a library's files in groups, which takes a \
third of the time; off, each is compiled alone and reads all that it includes" ON)

# Compiles the files of a target in groups of up to `size` (CMake's unity builds),
# but for those that are named further.
function(torchprof_group_sources target size)
  set_target_properties(${target} PROPERTIES
    UNITY_BUILD ${TORCHPROF_GROUP_SOURCES} UNITY_BUILD_BATCH_SIZE ${size})
  if(TORCHPROF_GROUP_SOURCES AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # It takes a class of a grouped file for one of a header.
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
  endif()
  if(ARGN)
    set_source_files_properties(${ARGN} PROPERTIES
      SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
endfunction()

# A target whose units include LibTorch headers.
function(torchprof_use_torch target)
  target_link_libraries(${target} PRIVATE TorchProf::LibTorch)
  # LibTorch's headers warn in the including unit's own templates.
  target_compile_options(${target} PRIVATE
    -Wno-unused-parameter -Wno-deprecated-declarations)
  if(TORCHPROF_SANITIZE MATCHES "undefined") # LibTorch hides the types it needs
    target_compile_options(${target} PRIVATE -fno-sanitize=vptr)
  endif()
endfunction()

# A target whose units include LLVM headers; LLVMSupport is linked statically.
function(torchprof_use_llvm target)
  target_include_directories(${target} SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS})
  separate_arguments(_definitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")
  target_compile_definitions(${target} PRIVATE ${_definitions})
  llvm_map_components_to_libnames(_libraries support)
  target_link_libraries(${target} PRIVATE ${_libraries})
endfunction()

# Where an installed tool looks for LibTorch, unless the loader finds it anyway: where it
# was found, if the tool is not for other machines, and where a wheel has it. A wheel may
# be installed beside another copy of its torch than it was built with, so there the
# order is the other one.
set(_torch_rpath "")
if(TORCHPROF_WITH_LIBTORCH AND
   NOT LibTorch_LIBRARY_DIR IN_LIST CMAKE_CXX_IMPLICIT_LINK_DIRECTORIES)
  set(_torch_rpath "$ORIGIN/../../torch/lib")
  if(NOT TORCHPROF_PORTABLE AND SKBUILD)
    list(APPEND _torch_rpath "${LibTorch_LIBRARY_DIR}")
  elseif(NOT TORCHPROF_PORTABLE)
    list(PREPEND _torch_rpath "${LibTorch_LIBRARY_DIR}")
  endif()
endif()

# A tool in bin/, a part of the component that is named. It has no RPATH: the loader
# would look there for every library that the tool needs.
function(torchprof_add_tool name component)
  add_executable(${name} ${ARGN})
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
    COMPONENT ${component})
endfunction()

# A tool that links LibTorch. Its RPATH leads to the runtime in ../lib and to LibTorch, in
# the build tree and when installed.
function(torchprof_add_torch_tool name)
  torchprof_add_tool(${name} runtime ${ARGN})
  set_target_properties(${name} PROPERTIES
    BUILD_RPATH "$ORIGIN/../lib;${LibTorch_LIBRARY_DIR}"
    INSTALL_RPATH
      "$ORIGIN/../${TORCHPROF_INSTALL_TORCHDIR};${_torch_rpath}")
endfunction()
