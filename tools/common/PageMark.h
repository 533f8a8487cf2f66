//===- PageMark.h - by what a page is known to be ours ----------*- C++ -*-===//

#ifndef TORCHPROF_TOOLS_PAGEMARK_H
#define TORCHPROF_TOOLS_PAGEMARK_H

namespace torchprof {

/// How the pages of torchprof-report begin: a tool that writes one without
/// being told where replaces nothing else.
inline constexpr char PageMark[] =
    "<!doctype html>\n<!-- torchprof-report -->\n";

} // namespace torchprof

#endif // TORCHPROF_TOOLS_PAGEMARK_H
