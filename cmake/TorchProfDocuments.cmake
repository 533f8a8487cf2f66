# What is installed beside the tools, with or without LibTorch: manual pages and the
# licenses of what is inside the tools.

# Manual pages: docs/torchprof*.md, converted at build time.
find_program(_python python3 PATHS /usr/bin NO_CACHE)
set(_report_page "${PROJECT_SOURCE_DIR}/docs/torchprof-report.md")
set(_pages "${_report_page}")
if(TORCHPROF_WITH_LIBTORCH)
  file(GLOB _pages CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/docs/torchprof*.md")
endif()
if(_python)
  set(_manual "")
  file(MAKE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/man")
  foreach(page IN LISTS _pages)
    get_filename_component(name "${page}" NAME_WE)
    set(out "${CMAKE_CURRENT_BINARY_DIR}/man/${name}.1")
    add_custom_command(OUTPUT "${out}"
      COMMAND "${_python}" "${PROJECT_SOURCE_DIR}/cmake/make-man.py"
        ${name} ${PROJECT_VERSION} "${page}" "${out}"
      DEPENDS "${page}" "${PROJECT_SOURCE_DIR}/cmake/make-man.py" VERBATIM)
    list(APPEND _manual "${out}")
    set(component runtime)
    if(page STREQUAL _report_page)
      set(component report)
    endif()
    install(FILES "${out}" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1"
      COMPONENT ${component})
  endforeach()
  add_custom_target(man-pages ALL DEPENDS ${_manual})
endif()

# Where Debian's policy wants the license. torchprof-report carries the browser
# parts that npm fetched; their licenses come along once they are there.
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" RENAME copyright
  DESTINATION "share/doc/torchprof-report" COMPONENT report)
install(FILES "${PROJECT_SOURCE_DIR}/licenses/LICENSE.llvm"
  "${PROJECT_SOURCE_DIR}/licenses/LICENSE.protozero"
  DESTINATION "share/doc/torchprof-report" COMPONENT report)
if(TORCHPROF_WITH_LIBTORCH)
  install(FILES "${PROJECT_SOURCE_DIR}/licenses/LICENSE.llvm"
    DESTINATION "share/doc/torchprof-runtime-${LibTorch_VERSION_MAJOR_MINOR}")
endif()
foreach(part d3 d3-flame-graph tabulator-tables)
  install(FILES "${CMAKE_BINARY_DIR}/report-html/node_modules/${part}/LICENSE"
    RENAME LICENSE.${part} DESTINATION "share/doc/torchprof-report"
    COMPONENT report OPTIONAL)
endforeach()
