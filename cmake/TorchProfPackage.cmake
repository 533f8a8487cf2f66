# Two Debian packages: torchprof-report, which needs no LibTorch, and
# torchprof-runtime-MAJOR.MINOR with everything else. A build without LibTorch makes the
# first alone. With SOURCE_DATE_EPOCH in the environment two runs of cpack with one umask
# make equal files.

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME torchprof)
set(CPACK_PACKAGE_CONTACT "the torchprof authors <torchprof@localhost>")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_PRE_BUILD_SCRIPTS
    "${PROJECT_SOURCE_DIR}/cmake/TorchProfPackageModes.cmake")
set(CPACK_COMPONENTS_ALL "")
if(TORCHPROF_WITH_LIBTORCH)
  list(APPEND CPACK_COMPONENTS_ALL runtime development python)
endif()
if(TORCHPROF_BUILD_TOOLS)
  list(APPEND CPACK_COMPONENTS_ALL report)
endif()

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
foreach(component runtime development python)
  string(TOUPPER ${component} _upper)
  set(CPACK_COMPONENT_${_upper}_GROUP recording)
endforeach()
set(CPACK_COMPONENT_REPORT_GROUP reporting)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_REPORTING_PACKAGE_NAME torchprof-report)
# The project's description stands above these.
set(CPACK_DEBIAN_REPORTING_DESCRIPTION
    "Prints and exports what torchprof recorded, on any machine.")
set(CPACK_DEBIAN_RECORDING_PACKAGE_NAME
    "torchprof-runtime-${LibTorch_VERSION_MAJOR_MINOR}")
set(CPACK_DEBIAN_RECORDING_DESCRIPTION
    "Records the models of processes with LibTorch ${LibTorch_VERSION}.")
# Only one of them can have the tools.
set(CPACK_DEBIAN_RECORDING_PACKAGE_PROVIDES torchprof-runtime)
set(CPACK_DEBIAN_RECORDING_PACKAGE_CONFLICTS torchprof-runtime)
set(CPACK_DEBIAN_RECORDING_PACKAGE_DEPENDS
    "torchprof-report (= ${PROJECT_VERSION})")
# Its tools find the runtime in its own folder.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS
    "${CMAKE_BINARY_DIR}/lib")
include(CPack)
