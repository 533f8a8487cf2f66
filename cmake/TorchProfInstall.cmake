# What `cmake --install` puts where of what needs LibTorch. The tools install themselves
# (torchprof_add_tool). A consumer says
#
#   find_package(TorchProf REQUIRED)
#   target_link_libraries(server PRIVATE TorchProf::runtime)
#
# The package brings its own FindLibTorch: LibTorch's CMake package adds CUDA
# and MKL to every consumer, and a program that uses it already may go on.

include(CMakePackageConfigHelpers)
string(REGEX MATCH "^[0-9]+\\.[0-9]+" LibTorch_VERSION_MAJOR_MINOR
       "${LibTorch_VERSION}")

set(_package "${CMAKE_INSTALL_LIBDIR}/cmake/TorchProf")

foreach(part format runtime passes)
  set_target_properties(torchprof_${part} PROPERTIES
    EXPORT_NAME ${part}
    INTERFACE_INCLUDE_DIRECTORIES "$<BUILD_INTERFACE:\
${PROJECT_SOURCE_DIR}/${part}/include>;$<INSTALL_INTERFACE:\
${CMAKE_INSTALL_INCLUDEDIR}>")
  install(TARGETS torchprof_${part} EXPORT TorchProfTargets
    LIBRARY DESTINATION "${TORCHPROF_INSTALL_TORCHDIR}" COMPONENT runtime
    ARCHIVE DESTINATION "${TORCHPROF_INSTALL_TORCHDIR}" COMPONENT development)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/${part}/include/torchprof"
    DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT development
    FILES_MATCHING PATTERN "*.h" PATTERN "*.def")
endforeach()
# A consumer need not name a symbol of the runtime: linking it is enough.
target_link_options(torchprof_runtime INTERFACE
  "$<INSTALL_INTERFACE:LINKER:--no-as-needed>")
# In a host with a LibTorch of its own, that one must be used: no RUNPATH.
set_target_properties(torchprof_runtime PROPERTIES INSTALL_RPATH "")
install(EXPORT TorchProfTargets NAMESPACE TorchProf::
  DESTINATION "${TORCHPROF_INSTALL_TORCHDIR}/cmake" COMPONENT development)
# The path that people preload and link: the runtime that was installed last.
file(MAKE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/links")
file(CREATE_LINK "torchprof/${LibTorch_BUILD_ID}/libtorchprof_runtime.so"
  "${CMAKE_CURRENT_BINARY_DIR}/links/libtorchprof_runtime.so" SYMBOLIC)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/links/libtorchprof_runtime.so"
  DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT development)
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/TorchProfConfig.cmake.in"
  "${CMAKE_CURRENT_BINARY_DIR}/TorchProfConfig.cmake"
  INSTALL_DESTINATION "${_package}")
write_basic_package_version_file(
  "${CMAKE_CURRENT_BINARY_DIR}/TorchProfConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES
  "${CMAKE_CURRENT_BINARY_DIR}/TorchProfConfig.cmake"
  "${CMAKE_CURRENT_BINARY_DIR}/TorchProfConfigVersion.cmake"
  "${PROJECT_SOURCE_DIR}/cmake/FindLibTorch.cmake"
  DESTINATION "${_package}" COMPONENT development)

# The Python package finds the tools in the directories above it: PREFIX/bin, or
# bin/ of this build tree.
file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/python")
file(CREATE_LINK "${PROJECT_SOURCE_DIR}/python/torchprof_jit"
  "${CMAKE_BINARY_DIR}/python/torchprof_jit" SYMBOLIC)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/python/torchprof_jit"
  DESTINATION lib/python3/dist-packages COMPONENT python
  FILES_MATCHING PATTERN "*.py" PATTERN "py.typed")

# Where Debian's policy wants the license.
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" RENAME copyright
  DESTINATION "share/doc/torchprof-runtime-${LibTorch_VERSION_MAJOR_MINOR}")
