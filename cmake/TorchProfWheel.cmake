# What pip builds: the package torchprof_jit with bin/ and lib/ inside. It is for the
# torch of the Python that builds it, and complete or not at all.
#
# With TORCHPROF_BUILD_TREE nothing is built: the wheel has what that build tree has
# built and tested.

if(DEFINED TORCHPROF_BUILD_TOOLS AND NOT TORCHPROF_BUILD_TOOLS)
  message(FATAL_ERROR "TORCHPROF_BUILD_TOOLS=OFF: torchprof_jit prints its \
tables with torchprof-report, so there is no wheel without the tools")
endif()
set(TORCHPROF_BUILD_TESTS OFF)

if(TORCHPROF_BUILD_TREE)
  if(NOT EXISTS "${TORCHPROF_BUILD_TREE}/cmake_install.cmake")
    message(FATAL_ERROR
      "TORCHPROF_BUILD_TREE is not a build tree: ${TORCHPROF_BUILD_TREE}")
  endif()
  foreach(component runtime report)
    install(CODE "execute_process(COMMAND \"${CMAKE_COMMAND}\" --install
      \"${TORCHPROF_BUILD_TREE}\" --prefix \"\${CMAKE_INSTALL_PREFIX}\"
      --component ${component} --strip COMMAND_ERROR_IS_FATAL ANY)"
      COMPONENT ${component})
  endforeach()
endif()
