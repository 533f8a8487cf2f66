"""Compares docs/report-json.md with what the commands in its headings print as
JSON, for a folder of profiles: both have the same members.

  documented_json.py PAGE FOLDER"""

import json
import os
import re
import subprocess
import sys


def documented(page):
    """By command: pairs of table and member, which has footer. in front."""
    members, command, table = {}, None, ""
    with open(page, encoding="utf-8") as file:
        for line in file:
            if match := re.match(r"## `(.*)`$", line):
                command, table = match[1], ""
                members[command] = set()
            elif match := re.match(r"### `(.*)`$", line):
                table = match[1]
            elif match := re.match(r"\| `([^`]*)` \|", line):
                members[command].add((table, match[1]))
    return members


def report(*arguments):
    """What is printed; None of a profile that the command is not for."""
    done = subprocess.run(["torchprof-report", *arguments, "--format=json"],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True)
    return json.loads(done.stdout) if done.returncode == 0 else None


def members_of(table, printed):
    for row in printed["rows"]:
        yield from ((table, member) for member in row)
    yield from ((table, "footer." + member)
                for member in printed.get("footer", {}))


def printed_by(command, profiles):
    words = command.replace("=NAME", "=x.1").split()
    variants = [[], ["--include=aten::relu"], ["--group-by=shape"],
                ["--group-by=stack"]]
    if words[0] != "summary":
        variants = variants[:1]
    seen, tables = set(), set()
    for profile in profiles:
        files = [profile] * (1 + (words[0] == "diff"))
        for variant in variants:
            document = report(*words, *files, *variant)
            if document is None:
                continue
            if "rows" in document:
                seen.update(members_of("", document))
                continue
            for table, printed in document.items():
                if table != "schema_version":
                    tables.add(table)
                    seen.update(members_of(table, printed))
    return seen, tables


def load(name):
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        return json.load(file)


def save(name, profile):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        json.dump(profile, file)


def add_profiles():
    """What no other test's profile has."""
    # Two models of one class, of which one ran two methods.
    several = load("small.json")
    first = several["models"][0]
    second = dict(first, id=first["id"] + 1, first_slot=100)
    count = len(first["sites"])
    second["sites"] = first["sites"] + [
        {"kind": "method", "name": "other", "flags": ["root"]},
        {"parent": count, "kind": "aten::relu", "name": "x.1"}]
    several["models"].append(second)
    for lane in several["lanes"]:
        lane["cells"] += [dict(cell, slot=100 + cell["slot"])
                          for cell in lane["cells"] if cell["slot"] < count]
        lane["cells"] += [{"slot": 100 + count, "samples": [900, 200, 200]},
                          {"slot": 101 + count, "samples": [800, 100, 100]}]
    save("several.json", several)
    # Gradients on a device.
    gradients = load("potential.json")
    slots = [cell["slot"] for cell in gradients["lanes"][0]["cells"]]
    gradients["lanes"][0]["measures"] = [
        {"name": name, "cells": [
            {"slot": slot, "count": 1, "sum": 5, "max": 5, "time": 9}
            for slot in slots]} for name in ("device", "starved")]
    save("gradients.json", gradients)


folder = sys.argv[2]
add_profiles()
profiles = [os.path.join(folder, name) for name in sorted(os.listdir(folder))]
findings, count = [], 0
for command, told in documented(sys.argv[1]).items():
    columns = report(*command.split(), "--list-columns")
    listed = {("", row["id"]) for row in columns["rows"]} if columns else set()
    seen, tables = printed_by(command, profiles)
    count += len(seen)
    for table in sorted(tables - {table for table, _ in told}):
        findings.append("%s: no table %s" % (command, table))
    for table, member in sorted(seen - told - listed):
        findings.append("%s: no member %s of %s" % (command, member, table))
    for table, member in sorted(told - seen):
        findings.append("%s: nothing prints %s of %s" % (command, member, table))
if findings:
    sys.exit("\n".join(findings))
print("%d members are documented" % count)
