# Fetches the npm packages and writes BrowserParts.cpp, which inlines them:
#
#   cmake -D NPM=npm -D SOURCE=FOLDER -D BINARY=FOLDER -P BrowserParts.cmake
#
# BINARY/fetched holds the checksum of the lock file whose packages are there. A
# failure is a warning; then the functions of BrowserParts.cpp return nothing for
# the packages and missing() says why.

cmake_minimum_required(VERSION 3.25)

file(SHA256 "${SOURCE}/package-lock.json" wanted)
set(stamp "${BINARY}/fetched")
set(fetched "")
if(EXISTS "${stamp}")
  file(READ "${stamp}" fetched)
endif()
set(reason "")
if(fetched STREQUAL wanted)
  file(TOUCH "${stamp}")
elseif(NOT NPM)
  set(reason "npm was missing when this was built")
else()
  file(REMOVE "${stamp}")
  file(COPY "${SOURCE}/package.json" "${SOURCE}/package-lock.json"
    DESTINATION "${BINARY}")
  # Without a network every build comes here: do not keep it waiting.
  execute_process(
    COMMAND "${NPM}" ci --ignore-scripts --no-audit --no-fund
      --fetch-retries=1 --fetch-retry-mintimeout=1000 --fetch-timeout=60000
    WORKING_DIRECTORY "${BINARY}" RESULT_VARIABLE status
    OUTPUT_FILE "${BINARY}/npm.log" ERROR_FILE "${BINARY}/npm.log")
  if(status EQUAL 0)
    file(WRITE "${stamp}" "${wanted}")
  else()
    set(reason "npm could not fetch them when this was built")
  endif()
endif()
if(reason)
  message(WARNING "the html export will not work: ${reason}")
endif()

set(modules "${BINARY}/node_modules")
set(parts
  D3Script "${modules}/d3/dist/d3.min.js"
  FlameGraphScript "${modules}/d3-flame-graph/dist/d3-flamegraph.min.js"
  FlameGraphStyle "${modules}/d3-flame-graph/dist/d3-flamegraph.css"
  TabulatorScript "${modules}/tabulator-tables/dist/js/tabulator.min.js"
  TabulatorStyle "${modules}/tabulator-tables/dist/css/tabulator.min.css"
  PageBody "${SOURCE}/page.html"
  PageScript "${SOURCE}/page.js"
  PageStyle "${SOURCE}/page.css"
  FormatScript "${SOURCE}/format.js"
  SummaryScript "${SOURCE}/summary.js"
  AdviceScript "${SOURCE}/advice.js"
  RooflineScript "${SOURCE}/roofline.js"
  MemoryScript "${SOURCE}/memory.js"
  FlameScript "${SOURCE}/flame.js"
  FlameStyle "${SOURCE}/flame.css"
  PictureScript "${SOURCE}/picture.js")

# The checksum makes other packages another source file.
set(cpp "// Made by tools/report-html/BrowserParts.cmake.\n\
// Packages: ${wanted}\n\
#include \"BrowserParts.h\"\n\n\
namespace torchprof::report::browser {\n\
llvm::StringRef missing() { return \"${reason}\"; }\n")
while(parts)
  list(POP_FRONT parts name file)
  cmake_path(IS_PREFIX modules "${file}" is_package)
  if(reason AND is_package)
    string(APPEND cpp "llvm::StringRef ${name}() { return \"\"; }\n")
    continue()
  endif()
  # The assembler includes the file: a literal of its size takes the compiler
  # seconds.
  string(APPEND cpp "\
asm(\".section .rodata\\n\"\n\
    \"torchprof_${name}:\\n.incbin \\\"${file}\\\"\\n\"\n\
    \"torchprof_${name}_end:\\n.previous\\n\");\n\
extern \"C\" __attribute__((visibility(\"hidden\"))) const char torchprof_${name}[], torchprof_${name}_end[];\n\
llvm::StringRef ${name}() {\n\
  return {torchprof_${name},\n\
          size_t(torchprof_${name}_end - torchprof_${name})};\n\
}\n")
endwhile()
string(APPEND cpp "} // namespace torchprof::report::browser\n")
file(CONFIGURE OUTPUT "${BINARY}/BrowserParts.cpp" CONTENT "${cpp}" @ONLY)
