#!/usr/bin/env python3
"""Writes one version's row of the table in docs/versions.md.

  versions-page.py PAGE VERSION [--again] CMAKE-CACHE RESULTS
  versions-page.py PAGE VERSION --failed

RESULTS is what `ctest --output-junit` wrote. The row takes the place of the
version's last one; a new version's row goes where its number belongs. With
--again only the tests that the last row names were run: what passes now is added
to what passed then. --failed prints a regular expression for them, nothing if
there is no row."""

import datetime
import re
import sys
import xml.etree.ElementTree


def number(version):
    return [int(part) for part in version.split(".")]


def row(version, cache, results, before):
    abi = re.search(r"^LibTorch_CXX11_ABI:INTERNAL=(\d)$", cache, re.MULTILINE)
    suite = xml.etree.ElementTree.fromstring(results)
    failed, left_out, passed = [], 0, 0
    for test in suite.iter("testcase"):
        # Others may be run again, because a test that failed needs them.
        if before is not None and "`" + test.get("name") + "`" not in before:
            continue
        if test.find("failure") is not None or test.get("status") == "fail":
            failed.append("`" + test.get("name") + "`")
        elif test.find("skipped") is not None or test.get("status") != "run":
            left_out += 1
        else:
            passed += 1
    if before is not None:
        columns = [column.strip() for column in before.split("|")[1:-1]]
        passed += int(columns[2])
        left_out += int(columns[4])
    columns = [
        version,
        "new" if abi.group(1) == "1" else "old",
        str(passed),
        ", ".join(failed) or "0",
        str(left_out),
        datetime.date.today().isoformat(),
    ]
    return "| " + " | ".join(columns) + " |"


def main():
    page, version, *rest = sys.argv[1:]
    with open(page, encoding="utf-8") as file:
        lines = file.read().split("\n")
    is_row = re.compile(r"\| (\d+\.\d+\.\d+) \|")
    rows = {}
    for line in lines:
        match = is_row.match(line)
        if match:
            rows[match.group(1)] = line
    if rest == ["--failed"]:
        if version in rows:
            names = re.findall(r"`(.*?)`", rows[version])
            print("^(%s)$" % "|".join(map(re.escape, names)))
        return
    cache, results = rest[-2:]
    with open(cache, encoding="utf-8") as file:
        cache = file.read()
    with open(results, encoding="utf-8") as file:
        new = row(version, cache, file.read(),
                  rows.get(version) if rest[0] == "--again" else None)
    rows[version] = new
    head = next(i for i, line in enumerate(lines) if line.startswith("| --- |"))
    lines = [line for line in lines if not is_row.match(line)]
    lines[head + 1:head + 1] = [rows[key] for key in sorted(rows, key=number)]
    with open(page, "w", encoding="utf-8") as file:
        file.write("\n".join(lines))
    print(new)


if __name__ == "__main__":
    main()
