"""Checks that includes go one way, as docs/design.md says: check-layers.py ROOT.

Reads every C++ file below ROOT and follows the includes of ROOT's own headers,
so that a forbidden header is found behind an allowed one too. Exit code 1 with
a line for each finding.

The rules between parts stand here; which files of the collector may include
which is read out of docs/design.md.
"""

import os
import re
import sys

TORCH = ("torch/", "ATen/", "c10/", "caffe2/")
LLVM = ("llvm/", "llvm-c/")
FOLDERS = ("attach", "bench", "examples", "format", "fuzz", "passes", "python",
           "runtime", "test", "tools")
SUFFIXES = (".h", ".hpp", ".cpp", ".cc", ".c", ".inc", ".def")

# Files below the folder must include nothing of these; "other" is all but the
# C++ standard library and ROOT's own headers. The table of docs/design.md.
RULES = (
    ("attach/", ("llvm", "passes/lib/", "runtime/lib/", "tools/")),
    ("format/", ("llvm", "torch", "other", "passes/", "runtime/", "tools/")),
    ("passes/", ("llvm", "runtime/", "tools/")),
    ("python/", ("llvm", "passes/lib/", "runtime/lib/", "runtime/torch/",
                 "tools/")),
    ("runtime/", ("llvm", "passes/", "tools/")),
    ("runtime/lib/", ("torch", "runtime/torch/")),
    ("runtime/system/", ("torch", "format/", "runtime/include/", "runtime/lib/",
                         "runtime/torch/")),
    ("tools/torchprof-report/", ("torch", "passes/", "runtime/")),
    ("tools/", ("runtime/lib/", "runtime/torch/", "passes/lib/")),
)


COLLECTOR = "runtime/lib/"
COLLECTOR_LIST = "### The collector, from the bottom to the top"


def sources(root):
    """Paths relative to root, with their include directives."""
    found = {}
    for top in FOLDERS:
        for folder, folders, names in os.walk(os.path.join(root, top)):
            folders[:] = [name for name in folders
                          if name not in ("build", "node_modules")]
            for name in names:
                if name.endswith(SUFFIXES):
                    path = os.path.join(folder, name)
                    with open(path, encoding="utf-8") as file:
                        found[os.path.relpath(path, root)] = re.findall(
                            r'^\s*#\s*include\s+([<"])([^>"]+)[>"]',
                            file.read(), re.M)
    return found


def resolve(name, includer, files, by_name):
    """ROOT's own file that is meant, None if it is somebody else's."""
    beside = os.path.normpath(os.path.join(os.path.dirname(includer), name))
    if beside in files:
        return beside
    matches = [path for path in by_name.get(os.path.basename(name), ())
               if path.endswith("/" + name)]
    # Another part may have a header of the same name: its own come first.
    part = includer.split("/")[0]
    matches.sort(key=lambda path: (path.split("/")[0] != part, path))
    return matches[0] if matches else None


def kind_of(bracket, name):
    if name.startswith(TORCH):
        return "torch"
    if name.startswith(LLVM):
        return "llvm"
    is_standard = bracket == "<" and re.fullmatch("[a-z_]+", name)
    return "standard" if is_standard else "other"


def reach(path, graph):
    """What a file sees: for each kind or own file the chain that leads to it."""
    seen, todo = {}, [(path, ())]
    while todo:
        at, chain = todo.pop(0)
        for kind, name in graph[at]:
            if kind == "own" and name not in seen:
                seen[name] = chain + (name,)
                todo.append((name, chain + (name,)))
            elif kind != "own":
                seen.setdefault(kind, chain + (name,))
    return seen


def collector_rows(root):
    """The names in each row of the list of the collector's files."""
    with open(os.path.join(root, "docs/design.md"), encoding="utf-8") as file:
        section = file.read().partition(COLLECTOR_LIST)[2].partition("\n#")[0]
    return [re.findall("`([^`]+)`", row.split("|")[1])
            for row in section.splitlines() if row.startswith("| `")]


def collector_findings(root, graph):
    """A name without a suffix stands for all files of that name."""
    row_of = {}
    for number, names in enumerate(collector_rows(root)):
        for name in names:
            meant = [path for path in graph
                     if path == COLLECTOR + name
                     or os.path.splitext(path)[0] == COLLECTOR + name]
            if not meant:
                yield "docs/design.md lists %s, which is no file" % name
            for path in meant:
                if path in row_of:
                    yield "docs/design.md lists %s twice" % path
                row_of[path] = number
    for path in sorted(graph):
        if not path.startswith(COLLECTOR):
            continue
        if path not in row_of:
            yield "docs/design.md does not list " + path
            continue
        for kind, name in graph[path]:
            if kind == "own" and row_of.get(name, 0) > row_of[path]:
                yield "%s includes %s, which docs/design.md lists below it" % (
                    path, name)


def findings(root):
    files = sources(root)
    by_name = {}
    for path in files:
        by_name.setdefault(os.path.basename(path), []).append(path)
    graph = {}
    for path, includes in files.items():
        graph[path] = []
        for bracket, name in includes:
            own = resolve(name, path, files, by_name)
            graph[path].append(("own", own) if own
                               else (kind_of(bracket, name), name))
    for path in sorted(files):
        seen = reach(path, graph)
        for folder, forbidden in RULES:
            if not path.startswith(folder):
                continue
            for target, chain in sorted(seen.items()):
                for rule in forbidden:
                    if target == rule or "/" in rule and target.startswith(rule):
                        yield "%s includes %s" % (path, " > ".join(chain))
        if "torch" in seen and "llvm" in seen:
            yield "%s sees torch (%s) and LLVM (%s)" % (
                path, " > ".join(seen["torch"]), " > ".join(seen["llvm"]))
    yield from collector_findings(root, graph)
    if not files:
        yield "no C++ file below " + root
    else:
        print(len(files), "files read")


def main():
    lines = list(findings(sys.argv[1]))
    for line in lines:
        print(line)
    if not lines:
        print("includes go one way")
    sys.exit(bool(lines))


if __name__ == "__main__":
    main()
