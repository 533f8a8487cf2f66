"""docs/performance.md: what torchprof costs, alone and beside others."""

import math

from .attaching import attaching
from .bars import bars
from .models import models
from .node import probe, scale
from .recorded import recorded
from .tables import (NOT_KNOWN, conditions, duration, how, in_words, number, rows_of,
                     table, times, verdict, verdict_of_times)

SECTIONS = ["models", "probe", "scale", "recorded", "measures", "contenders", "threads",
            "whole", "attach", "passes", "report"]


def page(results):
    lines = measured(results)
    return lines + bars(lines, "What a cost should be at most was written down before "
                               "it was measured.") + MEMORY


def measured(results):
    return (["# Performance", ""] + conditions(results, SECTIONS) + [
        "Contenders take turns in one process, so that a change of the machine's "
        "speed",
        "meets all of them. What runs on one thread is measured with several "
        "LibTorchs at",
        "once, each on a processor of its own. Pairs of numbers are the least and the "
        "median.",
        "A reader repeats",
        "all with `bench/run`, a section with the command above its table; "
        "`scripts/test`",
        "makes the build trees that it uses. Which bars hold, and why others do not, "
        "stands [at the end](#bars).", ""]
        + models(results) + probe(results) + scale(results) + recorded(results)
        + measures(results)
        + contenders(results) + goals(results) + threads(results)
        + whole(results) + attaching(results) + passes(results)
        + report(results))


# --- more than time ----------------------------------------------------------

#: What a contender tells of a node beside its time.
TELLS = {
    "time": "self and total, calls, quantiles",
    "time, memory, shapes": "also by dtypes and sizes; FLOPs, memory",
    "time, labels": "record_function's ranges",
    "time, ops": "operators inside of nodes",
    "torch.profiler": "operators and those inside of them, by name",
    "torch.profiler, memory, shapes": "also by sizes; memory",
    "torch.profiler, FLOPs": "FLOPs of some operators",
    "RecordFunction alone": "nothing",
    "time, with grad": "gradients of each node",
    "torch.profiler, with grad": "backward functions, by name",
}


KEEPS_MEMORY = (
    "All keep freed memory (`MALLOC_TRIM_THRESHOLD_`, `MALLOC_TOP_PAD_`, "
    "`MALLOC_MMAP_THRESHOLD_`): whether malloc gives the end of its heap back with each "
    "call, which is worth a thousand page faults, depends on what else has been "
    "allocated.")


#: ns an operator at most, and how many times less than torch.profiler at least.
OPERATOR_NS, OPERATOR_TIMES = 150, 3


def verdict_of_labels(labels, ratios, noise):
    """Labels may cost nothing. They do cost something where they do so in three
    quarters of the turns."""
    if labels <= noise:
        return "holds"
    if ratios[0] > 1:
        return "missed by %s ns" % number(labels)
    return "not known: a second plain copy differs by %s ns" % number(noise)


def bars_of_measures(more, chain):
    """A table. more: ns a node by contender."""
    noise, operators = abs(more["plain again"]), chain[0]["operators"]
    ratios = {row["contender"]: row["ratios"] for row in chain}
    labels, alone = more["time, labels"], more["RecordFunction alone"]
    operator = (more["time, ops"] - alone) / operators
    ratio = times(more["torch.profiler"] - alone, more["time, ops"] - alone)
    return table(["", "measured", "bar", ""], [
        ["labels, where a model has none", number(labels) + " ns a node", "0",
         verdict_of_labels(labels, ratios["time, labels"], noise)],
        ["an operator, beyond LibTorch's RecordFunction", number(operator) + " ns",
         "%d ns" % OPERATOR_NS, verdict(operator <= OPERATOR_NS)],
        ["operators, less than torch.profiler, both beyond RecordFunction",
         in_words(ratio, "%.1f") + " x", "%d x" % OPERATOR_TIMES,
         verdict_of_times(ratio, lambda r: r >= OPERATOR_TIMES)]])


def with_record_function(more, chain):
    """What operators take in all, for those who do not ask whose time it is."""
    operators = chain[0]["operators"]
    closing = next(row["closing_ns"] / row["nodes"] for row in chain
                   if row["contender"] == "torch.profiler")
    ours, peer = more["time, ops"], more["torch.profiler"]
    return ["A node has %s operators, for each of which LibTorch's RecordFunction takes "
            "%s ns, whoever observes it. With that in it, torch.profiler takes %s times "
            "as long as torchprof while it records. Its closing takes %s ns a node more, "
            "and with it %s times as long." % (
                number(operators), number(more["RecordFunction alone"] / operators),
                in_words(times(peer, ours), "%.1f"), number(closing),
                in_words(times(peer + closing, ours), "%.0f")),
            ""]


def measures(results):
    lines = ["## More than time", ""] + how("measures") + [
        "Processes of their own for each contender, in turns, in Python, on one thread; "
        "`with grad` is a forward and a backward. First a chain of 300 `relu` of a few "
        "numbers: ns a node, of the fastest call and of the median one, and *more*, what "
        "the fastest call takes longer than that of the contender named last. Then a "
        "real model: the ratio of the median calls of one turn, its median over the "
        "turns and in brackets its quartiles; `plain again` is a copy of `plain`, "
        "what is below it is noise. torch.profiler's closing is not in it but where it "
        "is named.", ""]
    for version, rows in rows_of(results, "measures"):
        lines += ["### " + version, ""]
        chain = [row for row in rows if row["nodes"]]
        least = {row["contender"]: row["min_ns"] for row in chain}
        more = {row["contender"]: (row["min_ns"] - least[row["beside"]]) / row["nodes"]
                for row in chain if row["beside"]}
        lines += table(
            ["recorded", "it tells", "fastest", "median", "more", "than"],
            [[row["contender"], TELLS.get(row["contender"]),
              number(row["min_ns"] / row["nodes"]),
              number(row["median_ns"] / row["nodes"]),
              row["beside"] and number(more[row["contender"]]),
              row["beside"]] for row in chain])
        lines += (bars_of_measures(more, chain) +
                  with_record_function(more, chain))
        models = [row for row in rows if not row["nodes"]]
        lines += [KEEPS_MEMORY, ""] if models else []
        lines += table(
            ["model", "recorded", "fastest call", "median call", "ratio", "to"],
            [[row["workload"], row["contender"], duration(row["min_ns"]),
              duration(row["median_ns"]),
              row["beside"] and "%.3f (%.3f to %.3f)" % (
                  row["ratios"][1], row["ratios"][0], row["ratios"][2]),
              row["beside"]] for row in models]) if models else [
                  "A real model: not measured on a machine that was calm enough.",
                  ""]
    return lines


# --- beside others -----------------------------------------------------------

def added(row, contender):
    """Nanoseconds per span: difference of the least calls, median difference."""
    return ((contender["min_ns"] - contender["plain_min_ns"]) / row["spans"],
            contender["added_ns"] / row["spans"])


def cell(value):
    def make(row, contender):
        if contender is None:
            return None
        return "absent" if "absent" in contender else value(row, contender)
    return make


def per_node(row, contender):
    return "%s / %s" % tuple(number(value) for value in added(row, contender))


def per_cent(row, contender):
    share = 100 / contender["plain_median_ns"]
    spread = (contender["added_q3_ns"] - contender["added_q1_ns"]) / 2
    return "%+.1f ± %.1f" % (contender["added_ns"] * share, spread * share)


def closing(row, contender):
    return duration(contender["close_ns"])


def heap(row, contender):
    if "heap_bytes" not in contender:
        return "not measured"
    return number(contender["heap_bytes"] / row["spans"])


QUANTITIES = [
    ("Added per node", per_node,
   "Nanoseconds: the difference of the least calls, and the median of the "
   "differences to the plain call of the same turn; by the number of spans "
   "that torchprof records in a call. Contenders that count differently "
   "(operators inside of operators) are divided by the same number."),
    ("Added to a call", per_cent,
   "The median difference in per cent of the plain call; after ± half of the "
   "distance between the quartiles of the differences: what is below it is "
   "noise."),
    ("To the end of recording", closing,
   "Time, per recorded call, from the last call until the data lie there: "
   "switching off, and for torch.profiler its table. torchprof's table takes "
   "`report` below once, for any number of calls."),
    ("Memory", heap,
   "Bytes on the heap that a call leaves, per node. torchprof writes into its "
   "file, which does not grow with the calls; its size is below."),
]


def contenders(results):
    lines = ["## Beside other profilers", ""] + how("contenders") + [
        "Each row is a way to watch the same `.pt` run on one thread. The FX "
        "interpreter is the",
        "one that PyTorch's tutorial builds, written anew; it runs the eager "
        "model, which lies",
        "beside it in its turns. `torch.profiler` is called from Python, Kineto "
        "from C++.", ""]
    for version, rows in rows_of(results, "contenders"):
        names = []
        for row in rows:
            names += [c["contender"] for c in row["contenders"]
                      if c["contender"] not in names]
        lines += ["### " + version, ""]
        lines += table(
            ["model", "spans in a call", "a call", "file", "report"],
            [[row["workload"], row["spans"],
              duration(row["contenders"][0]["plain_median_ns"]),
              "%d KB" % (row["file_bytes"] // 1024), duration(row["report_ns"])]
             for row in rows])
        for title, value, text in QUANTITIES:
            lines += ["**%s.** %s" % (title, text), ""]
            cells = []
            for name in names:
                found = [next((c for c in row["contenders"]
                               if c["contender"] == name), None) for row in rows]
                cells.append([name] + [cell(value)(row, c)
                                       for row, c in zip(rows, found)])
            lines += table([""] + [row["workload"] for row in rows], cells)
        lines += absent(rows)
    return lines


def absent(rows):
    reasons = sorted({"- %s on %s: %s" % (c["contender"], row["workload"],
                                          c["absent"])
                      for row in rows for c in row["contenders"]
                      if "absent" in c})
    return ["Absent:", ""] + reasons + [""] if reasons else []


GOALS = [("torch.profiler", 20), ("Kineto", None), ("ScriptProfile", 6),
         ("FX interpreter", 150)]


def verdict_of_goal(goal, recording, with_closing):
    """The ratios are None where they are lost in the noise."""
    if recording is not None and recording >= goal:
        return "met"
    if with_closing is not None and with_closing >= goal:
        return "met with the closing"
    return NOT_KNOWN if recording is None else "not met"


def goals(results):
    """How many times torchprof is cheaper per node, where nodes are short enough
    for the difference to be more than noise."""
    lines = ["## How many times cheaper", "",
             "Added per node by the contender, by what torchprof (timed nodes) "
             "adds: medians, on the",
             "chain of short nodes, where the difference is well above the "
             "noise. With the closing",
             "is what a user waits for: recording and the end of it. The column "
             "`two reads` has the ratio that a node would have that cost two raw "
             "readings of the clock, one after the other, and nothing else.", ""]
    cells = []
    reads = {version: row["median_ns"]
             for version, rows in rows_of(results, "probe") for row in rows
             if row["variant"] == "two raw clock reads"
             and row["node"] == "aten::relu" and row["mode"] == "aggregate"}
    for version, rows in rows_of(results, "contenders"):
        row = next((r for r in rows if r["workload"] == "relu_chain"), None)
        if row is None:
            continue
        by_name = {c["contender"]: c for c in row["contenders"]
                   if "absent" not in c}
        ours = by_name["torchprof"]
        for name, goal in GOALS:
            if name not in by_name:
                continue
            theirs = by_name[name]
            whole = [added(row, c)[1] + c["close_ns"] / row["spans"]
                     for c in (theirs, ours)]
            ratio = times(added(row, theirs)[1], added(row, ours)[1])
            with_closing = times(*whole)
            cells.append([
                version, name, "%s by %s ns" % (number(added(row, theirs)[1]),
                                                number(added(row, ours)[1])),
                in_words(ratio, "%.1f x"), in_words(with_closing, "%.0f x"),
                version in reads and in_words(
                    times(added(row, theirs)[1], reads[version]), "%.0f x") or None,
                goal and "%d x" % goal,
                goal and verdict_of_goal(goal, ratio, with_closing)])
    return lines + table(["", "contender", "ns per node", "recording",
                          "with the closing", "two reads", "goal", ""], cells)


def threads(results):
    lines = ["## Several threads", ""] + how("threads") + [
        "Threads that call one model at the same time, each as often; per cent "
        "that a contender",
        "adds to the time until the last is done. The machine has as many "
        "processors as said",
        "above: more threads than that wait for each other.", ""]
    for version, rows in rows_of(results, "threads"):
        names = [c["contender"] for c in rows[0]["contenders"]]
        columns = ["%s, %d" % (row["workload"], row["threads"]) for row in rows]
        lines += ["### " + version, ""] + table([""] + columns, [
            [name] + [cell(per_cent)(row, next(
                c for c in row["contenders"] if c["contender"] == name))
                for row in rows] for name in names]) + absent(
                    [dict(row, workload="several threads") for row in rows])
    return lines


# --- models, passes, report --------------------------------------------------

#: What a call of the instrumented model may take by the plain one's, and what its
#: first two may.
RATIO_OF_CALLS = {"resnet18_1": 1.005, "vit_b_16": 1.02}
RATIO_OF_STARTS = {"densenet121": 1.5}


def verdict_of_ratio(row, bar):
    """By the 95 % interval of the median, which its quartiles give (McGill, Tukey,
    Larsen: Variations of Box Plots, 1978)."""
    low, median, high = row["ratio_quartiles"]
    half = 1.57 * (high - low) / math.sqrt(row["calls"])
    if median + half < bar:
        return "holds"
    if median - half >= bar:
        return "missed by %.4f" % (median - bar)
    return "not known: ± %.4f" % half


def whole(results):
    lines = ["## Whole models", ""] + how("whole") + [
        "The plain and the instrumented model in turns, CPU time of one thread, "
        "batch 1.",
        "The ratio is the median over the turns, with its quartiles; its bar holds if "
        "the 95 % interval of the median is below it. The first and second call compile "
        "the graph and are taken from fresh processes.", ""]
    cells = []
    for version, rows in rows_of(results, "whole"):
        for row in rows:
            name = row["model"] + (" " + row["options"]
                                   if row.get("options") else "")
            if "absent" in row:
                cells.append([version, name, "absent: " + row["absent"]])
                continue
            calls_bar = RATIO_OF_CALLS.get(row["model"])
            start_bar = RATIO_OF_STARTS.get(row["model"])
            plain, ours = row["plain"], row["instrumented"]
            quartiles = row["ratio_quartiles"]
            start = ((ours["first_ms"] + ours["second_ms"])
                     / (plain["first_ms"] + plain["second_ms"]))
            cells.append([
                version, name, row["calls"],
                "%.2f, %.2f" % (plain["min_ms"], ours["min_ms"]),
                "%.2f, %.2f" % (plain["median_ms"], ours["median_ms"]),
                "%.4f (%.4f to %.4f)" % (row["median_ratio"], quartiles[0],
                                         quartiles[2]),
                calls_bar, calls_bar and verdict_of_ratio(row, calls_bar),
                "%.0f + %.0f, %.0f + %.0f" % (
                    plain["first_ms"], plain["second_ms"], ours["first_ms"],
                    ours["second_ms"]), "%.2f" % start,
                start_bar, start_bar and verdict(start <= start_bar)])
    return lines + table(
        ["", "model", "turns", "least ms: plain, instrumented",
         "median ms", "ratio", "bar", "", "1st + 2nd call, ms", "ratio", "bar", ""],
        cells)


def passes_bars(rows):
    least, most = rows[0], rows[-1]
    measured = [
        ("bytes per site, at most", max(row["bytes_per_site"] for row in rows),
         "%d", 2048),
        ("%d nodes, ms" % most["nodes"], most["total_ms"], "%.0f", 2000),
        ("the same, by %d nodes" % least["nodes"],
         most["total_ms"] / least["total_ms"], "%.1f", 10)]
    return [[name, form % value, bar, verdict(value <= bar)]
            for name, value, form, bar in measured]


def passes(results):
    lines = ["## The passes", ""] + how("passes") + [
        "Graphs made in memory; milliseconds of each step, and bytes that stay "
        "per site.",
        "Loading and saving a file is LibTorch's own work, see",
        "[torchprof-opt](torchprof-opt.md#how-long-it-takes).", ""]
    for version, rows in rows_of(results, "passes"):
        steps = [key for key in rows[0] if key.endswith("_ms")]
        lines += ["### " + version, ""] + table(
            ["nodes", "sites", "bytes per site"]
            + [step[:-3] + ", ms" for step in steps],
            [[row["nodes"], row["sites"], row["bytes_per_site"]]
             + ["%.0f" % row[step] for step in steps] for row in rows])
        lines += table(["", "measured", "bar", ""], passes_bars(rows))
    lines += [
        "Each step visits each node once. A graph eight times as long takes more "
        "than eight",
        "times as long because it is built in memory, not in the processor's "
        "caches: most",
        "of the time of `insert` goes into LibTorch's making of three nodes per "
        "site and",
        "their places in the hash tables of the graph.", ""]
    return lines


def report(results):
    lines = ["## The report", ""] + how("report")
    for version, rows in rows_of(results, "report"):
        if rows:
            return lines + table(
                ["case", "seconds", "peak memory", "bar", ""],
                [[row["case"], row["seconds"], "%d MB" % row["peak_mb"],
                  row["bar_seconds"] and "%.3g s" % row["bar_seconds"],
                  row["bar_seconds"] and (
                      verdict(row["seconds"] <= row["bar_seconds"]))] for row in rows])
    return lines + ["Not measured.", ""]


MEMORY = """## Memory and files

| | |
| --- | --- |
| a node and thread | 2 KB in the file, 24 bytes beside it for each site of a loaded model |
| a method and thread | 20 KB for the last 1024 latencies |
| a process, a thread | three pages, one page |
| trace mode | 2 MB per thread, `TORCHPROF_TRACE_EVENTS` changes it |

Cells come in blocks of 15 at first and of a quarter of those in use later, so
up to a fifth of a busy thread's cells lie unused. 100 000 threads of one span
each, two at a time, leave at most 4 buffers and 700 KB; tests check that and
that the file stops growing after the first runs.
""".split("\n")
