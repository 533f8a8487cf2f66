"""docs/performance.md: what a node costs, in chains of the same node."""

from .tables import how, number, rows_of, table

#: The bench's own operator; with its name goes what it reads.
COLD = "bench::read"

#: What a hundred nodes may each read so that cells stay in the nearer caches.
HOT_KILOBYTES = 256


def kilobytes(node):
    return int(node.split()[-2])


#: What a node may cost by how it is recorded, in two readings of the clock.
READS_OF_A_NODE = {"aggregate": 1.6, "trace": 2.2, "one reading": 0.7}

#: What a function of autograd may cost above a node, when it is made and when it
#: has run.
GRADIENTS = {"attached, functions": 15,
             "attached, functions and backward": 15 + 250}


def in_reads(factor, more, reads):
    return ("%s%s" % ("two reads" if factor == 1 else "%.1f x two reads" % factor,
                     " + %d" % more if more else ""),
            factor * reads["min_ns"] + more, factor * reads["median_ns"] + more)


def bar(node, variant, mode, version, reads):
    """(the bar in words, its value for the least, for the median)"""
    if node.startswith(COLD):
        if variant.endswith("folding"):
            limit = 60 if kilobytes(node) > HOT_KILOBYTES else 25
            return str(limit), limit, limit
        more = {"lowered, recording": 120, "attached, recording": 120,
                "explicit, recording": 150}.get(variant)
        return in_reads(1, more, reads) if more else (None, None, None)
    if "stopped" in variant:
        limit = {"lowered, stopped": 4, "attached, stopped": 2}.get(variant)
        return limit and str(limit), limit, limit
    if variant == "attached, profiling run":
        return in_reads(1, 25, reads)
    if variant == "explicit, recording" and mode == "aggregate":
        limit = 120 if "1.13" in version else 75
        return str(limit), limit, limit
    if variant in ("lowered, recording", "attached, recording",
                   "attached, grad"):
        return in_reads(READS_OF_A_NODE[mode], 0, reads)
    if variant in GRADIENTS and mode == "aggregate":
        return in_reads(READS_OF_A_NODE[mode], GRADIENTS[variant], reads)
    return None, None, None


def verdict(row, least, median):
    if least is None:
        return ""
    if row["median_ns"] <= median:
        return "holds"
    if row["min_ns"] <= least:
        return "least only; the median is over by %s ns" % number(
            row["median_ns"] - median)
    return "missed by %s ns" % number(row["min_ns"] - least)


def probe(results):
    lines = ["## A node", ""] + how("probe") + [
        "A chain of 300 nodes, without torchprof and with; nanoseconds that it "
        "adds to a node.",
        "Lowered and explicit probes are an instrumented file's, without hooks, in "
        "the interpreter; attached is LibTorch's executor with hooks: in its plan "
        "for good, in the one for gradients, and in its first run, which profiles; "
        "`functions`, where nothing is optimized and each node makes a function of "
        "autograd; with the backward, above a recording that is stopped. The "
        "operators are `aten::relu` on 8 floats, and",
        "`aten::add` of two integers, whose own time is so short that the "
        "difference is known",
        "better; `%s` reads so many kilobytes, after which a probe finds nothing of "
        "its" % COLD,
        "own in the nearer caches. There only what lies between the reading of two "
        "nodes is measured, and",
        "`folding` is the part of it that comes after a call's last node: the end of the "
        "run, and every 38th time the folding of what as many calls have recorded. With "
        "one reading",
        "(`TORCHPROF_READS=one`) a node begins where the one before it has ended. Each "
        "number is the median over three processes, in which the runtime's code lies in "
        "three places. They keep freed memory,",
        "and glibc's caches of free blocks hold those of the chain "
        "(`glibc.malloc.tcache_count`): else",
        "what an allocation takes depends on where free blocks happen to lie, which is "
        "worth more than a probe.", ""]
    for version, rows in rows_of(results, "probe"):
        cells = []
        for row in rows:
            reads = next(r for r in rows if r["mode"] == row["mode"]
                         and r["node"] == row["node"]
                         and r["variant"] == "two raw clock reads")
            words, least, median = bar(row["node"], row["variant"], row["mode"],
                                       version, reads)
            if row["mode"] != "aggregate" and not row["variant"].endswith(
                    "recording"):
                continue
            if row["mode"] == "one reading" and "explicit" in row["variant"]:
                continue
            if row["variant"].startswith(("executor", "interpreter")):
                continue
            cells.append([row["node"], row["variant"],
                          row["mode"] if "," in row["variant"]
                          and "stopped" not in row["variant"] else None,
                          "%s / %s" % (number(row["min_ns"]),
                                       number(row["median_ns"])),
                          words, verdict(row, least, median)])
        lines += ["### " + version, ""] + table(
            ["node", "how", "mode", "ns", "bar", ""], cells)
    return lines + [
        "A timed node can cost less than two readings of the clock in a row, "
        "because the node's",
        "own work overlaps with them. It calls LibTorch's dispatcher itself, where "
        "a node without probes",
        "goes through one more object: while nothing is recorded it can take less "
        "time than without probes.",
        "Most of an explicit pair is the interpreter's: six more instructions, "
        "which cost the same",
        "while nothing is recorded. With 1.13 a `relu` goes through 500 lines of code, which "
        "is all that the nearest cache for instructions holds, 32 KB, and a probe through 14 "
        "more: what that adds depends on where the probe's code happens to lie, by up to "
        "20 ns in builds that differ elsewhere, which is why it is measured in several "
        "places.", ""]


def scale(results):
    lines = ["## Long methods", ""] + how("scale") + [
        "`aten::add` of two integers in chains of different lengths: nanoseconds that "
        "recording adds to a node, the least and the median. Up to some thousand nodes "
        "their cells lie in the processor's caches when runs are folded. LibTorch goes "
        "through a chain recursively: 10 000 nodes overflow the stack of 1.13, 40 000 that "
        "of 2.13, without torchprof too.", ""]
    for version, rows in rows_of(results, "scale"):
        lengths = sorted({row["length"] for row in rows})
        ways = []
        for row in rows:
            if row["variant"] not in ways and row["variant"].endswith(
                    (", recording", "clock reads")):
                ways.append(row["variant"])
        found = {(row["variant"], row["length"]): row for row in rows}
        lines += ["### " + version, ""] + table(
            ["nodes"] + ways,
            [[length] + ["%s / %s" % (number(row["min_ns"]),
                                      number(row["median_ns"]))
                         for row in (found[way, length] for way in ways)]
             for length in lengths])
    return lines
