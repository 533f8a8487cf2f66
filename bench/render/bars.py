"""The end of a page: how many of its bars hold, and why others do not.

Verdicts are read off the finished page, so that each stands in one place there."""

import itertools
import re

from .tables import table

#: What a verdict begins with, or ends with.
VERDICT = re.compile(r"(holds|met|missed|not met|not known|least only)\b"
                     r"|.*, (holds|missed)$")
#: One in a sentence: "(bar 12, while it records: holds)".
IN_SENTENCE = re.compile(r"\(bar ([^():]*): ([^()]*)\)")
HOLDS = re.compile(r"(holds|met)\b|.*, holds$")

#: Why bars do not hold: what the heading and the row begin with, and the reason. The
#: first that fits counts.
CAUSES = [
    ("", ".*not known", "the interval is wider than the bar: more minutes, or a calmer "
     "machine, would tell"),
    ("Real models", "", "what the caches forget between two nodes: a probe finds its "
     "lines in memory"),
    ("A node", ".*folding", "cells of 2 KB a node: five lines of each come from "
     "memory, and asking for them early hides but some of it"),
    ("A node", ".*explicit", "six more instructions of the interpreter, which cost "
     "nearly as much while nothing is recorded"),
    ("A node", ".*(one reading|add.int)", "what is left is no clock: two checks, a "
     "record of 16 bytes and the innermost span, for a process that is killed"),
    ("A node", ".*bench::read", "three lines of its own that a probe has to fetch from "
     "memory, each with its page"),
    ("A node", "", "the code of the chain fills the nearest cache for instructions: "
     "what a probe adds depends on where its code lies"),
    ("What is recorded", "bar 12", "most of what torch.profiler takes there comes when it "
     "ends, not while it records"),
    ("What is recorded", "shapes", "the key of a signature, from each operand's dispatch "
     "keys, dtype and sizes: some 50 instructions, and one cell more"),
    ("What is recorded", "", "the code of the chain fills the nearest cache for "
     "instructions, and this adds most to it"),
    ("How many times cheaper", "", "what torchprof's own node took in that run"),
    ("Against the truth", "", "what lies between the probes' readings and the truth's, "
     "which is not the same each time: the call of a node's function, or of a pair the "
     "interpreter's instructions"),
    ("Nothing missing", "the whole test zoo", "nodes of a microsecond: what lies between "
     "them is as long"),
    ("Nothing missing", "small models", "nodes of a microsecond: what lies between them "
     "is as long"),
    ("Nothing missing", ".*frozen", "the interpreter reads parameters out of modules, "
     "whose share `attributes` names; where the rest goes is not known"),
    ("Nothing missing", "", "the interpreter reads parameters out of modules, which "
     "freezing ends and `attributes` names"),
    ("Whose backward", "", "what LibTorch unpacks and checks before a group that it "
     "differentiates as a whole, which is of the method, and what the engine does before "
     "the first function and behind the last"),
    ("Attaching", "bar", "LibTorch's copying of graphs, and malloc: 84 % of the samples "
     "that attaching adds to 5000 nodes of 1.13; torchprof's own code is 6 %"),
    ("The passes", "", "a long graph is built in memory, not in the nearer caches"),
]


def cells_of(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def name_of(cells):
    """The cells before the first number."""
    names = itertools.takewhile(lambda cell: not re.match(r"[-+]?\d", cell), cells)
    return ", ".join(name for name in names if name)


def verdicts(lines):
    """(section, LibTorch, row, verdict) of each bar on a page."""
    section, version, header = "", "", None
    for line in lines:
        if not line.startswith("|"):
            header = None
        if line.startswith("### "):
            version = line[4:].strip()
        elif line.startswith("## "):
            section, version = line[3:].strip(), ""
        elif line.startswith("|") and header is None:
            header = cells_of(line)
        elif line.startswith("| ") and not line.startswith("| ---"):
            cells = cells_of(line)
            has_version = cells[0].startswith("LibTorch")
            for at, cell in enumerate(cells):
                if not VERDICT.match(cell):
                    continue
                # A verdict without a heading stands behind its bar, or its number.
                column = header[at] or header[at - 1]
                name = name_of(cells[has_version:])
                yield (section, cells[0] if has_version else version,
                       name if column == "bar" else "%s: %s" % (name, column), cell)
        else:
            for bar, verdict in IN_SENTENCE.findall(line):
                yield section, version, "bar " + bar, verdict


def cause(section, row, verdict):
    text = "%s: %s" % (row, verdict)
    for heading, pattern, reason in CAUSES:
        if section.startswith(heading) and re.match(pattern, text):
            return reason
    return "not looked into"


def bars(lines, about):
    """The section for a page of these lines. about: its first sentence."""
    found = list(verdicts(lines))
    missed = [one for one in found if not HOLDS.match(one[3])]
    counts = []
    for key in dict.fromkeys(one[:2] for one in found):
        those = [one[3] for one in found if one[:2] == key]
        counts.append([*key, len(those), sum(bool(HOLDS.match(v)) for v in those)])
    reasons = {}
    for section, version, row, verdict in missed:
        reasons.setdefault((section, version, cause(section, row, verdict)), []
                           ).append("%s: %s" % (row, verdict))
    return ["## Bars", "",
            "%s %d of %d such bars hold." % (about, len(found) - len(missed),
                                             len(found)), ""
            ] + table(["section", "", "bars", "hold"], counts) + [
                "The others, and why:", ""] + table(
                    ["section", "", "because", "bars"],
                    [[*key, "; ".join(rows)] for key, rows in reasons.items()])
