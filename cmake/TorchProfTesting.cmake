# What test/CMakeLists.txt needs: the Pythons that tests call, the fixture that
# makes the models, and the registration of lit files and cases with ctest.

set(TORCHPROF_PYTHON "" CACHE FILEPATH
    "Python that imports the torch that this tree is built with")
set(TORCHPROF_MODEL_PYTHON "" CACHE FILEPATH
    "Python that imports torchvision; it makes the models")
set(TORCHPROF_TEST_MODELS "${CMAKE_BINARY_DIR}/test/models" CACHE PATH
    "Directory for the generated models; several build trees may share it")
set(TORCHPROF_TEST_READERS "${CMAKE_BINARY_DIR}/readers" CACHE PATH
    "Virtual environment with the perfetto package; its test is left out without")
set(TORCHPROF_LLVM_TOOLS "" CACHE PATH
    "Directory of FileCheck, not, count and split-file")
set(TORCHPROF_LIT "" CACHE FILEPATH "LLVM's lit.py")

# Sets `result` to the first Python of the list whose `module` has the version
# prefix (any if empty); to the empty string if there is none.
function(_torchprof_python_with result module version)
  set(${result} "" PARENT_SCOPE)
  foreach(python IN LISTS ARGN)
    if(NOT EXISTS "${python}")
      continue()
    endif()
    execute_process(
      COMMAND "${python}" -c "import ${module}; print(${module}.__version__)"
      OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE
      RESULT_VARIABLE status ERROR_QUIET)
    string(FIND "${found}" "${version}" position)
    if(status EQUAL 0 AND (NOT version OR position EQUAL 0))
      set(${result} "${python}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

# PATH may lead to another `python3` than Debian's, so each candidate is asked
# which version it would import.
function(torchprof_find_test_pythons)
  find_program(onPath python3 NO_CACHE)
  if(NOT TORCHPROF_PYTHON)
    # .../PREFIX/lib/pythonX.Y/site-packages/torch is how wheels lie.
    set(wheel "")
    if(LibTorch_PREFIX MATCHES "^(.+)/lib/[^/]+/site-packages/torch$")
      set(wheel "${CMAKE_MATCH_1}/bin/python3")
    endif()
    # Debian's headers and its Python differ in the patch number.
    string(REGEX MATCH "^[0-9]+\\.[0-9]+\\." minor "${LibTorch_VERSION}")
    _torchprof_python_with(python torch "${minor}"
      "${wheel}" "${TORCHPROF_TORCH}/bin/python3"
      /usr/bin/python3 "${onPath}")
    set(TORCHPROF_PYTHON "${python}" CACHE FILEPATH "" FORCE)
  endif()
  if(NOT TORCHPROF_MODEL_PYTHON)
    _torchprof_python_with(python torchvision ""
      /usr/bin/python3 "${TORCHPROF_PYTHON}" "${onPath}")
    set(TORCHPROF_MODEL_PYTHON "${python}" CACHE FILEPATH "" FORCE)
  endif()
  if(NOT TORCHPROF_PYTHON)
    message(FATAL_ERROR "tests: no Python imports torch ${LibTorch_VERSION}; \
set TORCHPROF_PYTHON, or turn TORCHPROF_BUILD_TESTS off")
  endif()
  if(NOT TORCHPROF_MODEL_PYTHON)
    message(FATAL_ERROR "tests: no Python imports torchvision; install \
python3-torchvision or set TORCHPROF_MODEL_PYTHON")
  endif()
  message(STATUS "Tests: torch from ${TORCHPROF_PYTHON}, "
                 "torchvision from ${TORCHPROF_MODEL_PYTHON}")
endfunction()

# The cases of a GoogleTest program become ctest tests. Those that match `slow`,
# a list as --gtest_filter takes it, start first: with a sanitizer or under qemu
# they take long, and ctest would end with one of them on one processor.
function(torchprof_discover_tests target prefix slow)
  set(rest TEST_PREFIX "${prefix}" DISCOVERY_TIMEOUT 120 PROPERTIES TIMEOUT 300)
  gtest_discover_tests(${target} TEST_FILTER "-${slow}" ${rest})
  gtest_discover_tests(${target} TEST_FILTER "${slow}" ${rest} COST 10)
endfunction()

# The fixture `models`: made once, kept while the generator stays the same.
function(torchprof_add_model_fixture)
  add_test(NAME models
    COMMAND "${TORCHPROF_MODEL_PYTHON}"
      "${PROJECT_SOURCE_DIR}/test/models/make.py" --all
      --folder "${TORCHPROF_TEST_MODELS}")
  set_tests_properties(models PROPERTIES FIXTURES_SETUP models TIMEOUT 1200)
endfunction()

# Sets `result` to those compilers of other languages that work. Tests have few
# variables of the environment, which one that is no package's may need.
function(_torchprof_working_compilers result)
  set(working "")
  foreach(compiler javac gfortran rustc)
    execute_process(
      COMMAND env -i "PATH=$ENV{PATH}" LC_ALL=C.UTF-8 "${compiler}" --version
      RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
    if(status EQUAL 0)
      list(APPEND working "${compiler}")
    endif()
  endforeach()
  set(${result} "${working}" PARENT_SCOPE)
endfunction()

# One ctest test per lit file below `folder`, with the label `libtorch` unless it
# is the same test with every LibTorch, and `long` if it takes minutes; lit itself
# still runs any file or directory by hand: lit.py BUILD/test/lit/report.
function(torchprof_add_lit_suite folder)
  if(NOT TORCHPROF_LLVM_TOOLS)
    set(TORCHPROF_LLVM_TOOLS "${LLVM_TOOLS_BINARY_DIR}" CACHE PATH "" FORCE)
  endif()
  if(NOT TORCHPROF_LIT)
    find_file(lit NAMES lit.py
      PATHS "${LLVM_TOOLS_BINARY_DIR}/../build/utils/lit"
            "${LLVM_TOOLS_BINARY_DIR}/../utils/lit"
      NO_DEFAULT_PATH NO_CACHE)
    set(TORCHPROF_LIT "${lit}" CACHE FILEPATH "" FORCE)
  endif()
  foreach(tool FileCheck not count split-file)
    if(NOT EXISTS "${TORCHPROF_LLVM_TOOLS}/${tool}")
      message(FATAL_ERROR "tests: no ${tool} in ${TORCHPROF_LLVM_TOOLS}; \
install llvm-14-tools or turn TORCHPROF_BUILD_TESTS off")
    endif()
  endforeach()
  if(NOT EXISTS "${TORCHPROF_LIT}")
    message(FATAL_ERROR "tests: no lit.py; set TORCHPROF_LIT")
  endif()

  set(exec "${CMAKE_CURRENT_BINARY_DIR}/lit")
  _torchprof_working_compilers(TORCHPROF_TEST_COMPILERS)
  configure_file("${folder}/lit.site.cfg.py.in" "${exec}/lit.site.cfg.py" @ONLY)
  # lit would keep its timings in one file here; parallel lits, one per ctest
  # test, would read it half written.
  file(CREATE_LINK /dev/null "${exec}/.lit_test_times.txt" SYMBOLIC)

  # Of the report, the scripts and the pages, in which no model runs.
  string(CONCAT withoutLibTorch
    "report/"
    "|bench/(adds-up|noise|pages|soak|undisturbed|verdicts)[.]"
    "|docs/(layers|links|site)[.]"
    "|install/(arguments|arm-packages|bench|browser-parts|fuzz|fuzz-seed)[.]"
    "|install/(in-source|libtorch|man|packages|versions)[.]")
  file(GLOB_RECURSE files RELATIVE "${folder}" CONFIGURE_DEPENDS
    "${folder}/*.test" "${folder}/*.ir" "${folder}/*.py")
  foreach(file IN LISTS files)
    if(file MATCHES "(^|/)(Inputs/|lit\\.)")
      continue()
    endif()
    add_test(NAME lit/${file}
      COMMAND "${TORCHPROF_MODEL_PYTHON}" "${TORCHPROF_LIT}" -v
        "${exec}/${file}")
    set_tests_properties(lit/${file} PROPERTIES
      TIMEOUT 1800
      SKIP_REGULAR_EXPRESSION "UNSUPPORTED: torchprof ::")
    set(labels "")
    if(NOT file MATCHES "^(${withoutLibTorch})")
      list(APPEND labels libtorch)
    endif()
    if(file MATCHES "^(zoo/torchvision|bench/smoke|docs/outputs|install/consumer)")
      list(APPEND labels long)
    endif()
    set_tests_properties(lit/${file} PROPERTIES LABELS "${labels}")
    # ctest starts the most expensive tests first, so that it does not end with
    # one long test on one processor.
    if(file MATCHES "^(zoo|attach/language|bench|docs/outputs|install/consumer)")
      set_tests_properties(lit/${file} PROPERTIES COST 100)
    endif()
    file(STRINGS "${folder}/${file}" needsModels REGEX "%models" LIMIT_COUNT 1)
    if(needsModels)
      set_tests_properties(lit/${file} PROPERTIES FIXTURES_REQUIRED models)
    endif()
  endforeach()
endfunction()

# Every library, tool and test of the tree, wherever it was added.
function(_torchprof_all_targets result directory)
  get_property(targets DIRECTORY "${directory}" PROPERTY BUILDSYSTEM_TARGETS)
  get_property(below DIRECTORY "${directory}" PROPERTY SUBDIRECTORIES)
  foreach(sub IN LISTS below)
    _torchprof_all_targets(more "${sub}")
    list(APPEND targets ${more})
  endforeach()
  set(${result} ${targets} PARENT_SCOPE)
endfunction()

# The target `name` builds everything, then runs every ctest test.
function(torchprof_add_check name)
  _torchprof_all_targets(targets "${PROJECT_SOURCE_DIR}")
  list(FILTER targets EXCLUDE REGEX "^check-|^uninstall$")
  include(ProcessorCount)
  ProcessorCount(jobs)
  add_custom_target(${name}
    COMMAND "${CMAKE_CTEST_COMMAND}" --output-on-failure -j ${jobs}
    WORKING_DIRECTORY "${CMAKE_BINARY_DIR}"
    COMMENT "Running lit and unit tests"
    USES_TERMINAL VERBATIM)
  if(targets)
    add_dependencies(${name} ${targets})
  endif()
endfunction()
