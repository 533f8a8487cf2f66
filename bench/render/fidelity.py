"""docs/fidelity.md: whether what torchprof says is true."""

import statistics

from .bars import bars
from .coverage import coverage
from .tables import (conditions, duration, how, not_measured, number, rows_of, table,
                     verdict)

SECTIONS = ["oracle", "coverage", "gradients", "memory", "flops",
            "perturbation", "agreement", "gate"]

#: How the oracle's nodes are recorded.
PROBES = {"lowered": "lowered probes", "explicit": "explicit probes",
          "one reading": "lowered probes, one reading"}

#: The oracle's nodes that others come before, with nothing timed in between.
FOLLOWERS = (2, 3, 4, 12, 32, 33, 34)

#: Half a bucket of the histogram, docs/profile-format.md.
QUANTILE_BOUND = 0.036


def page(results):
    lines = (["# Fidelity", ""] + conditions(results, SECTIONS)
             + oracle(results) + coverage(results) + gradients(results)
             + memory(results) + flops(results)
             + perturbation(results) + agreement(results)
             + gate(results))
    return lines + bars(lines, "How true figures should be was written down before they "
                               "were compared.")


# --- the oracle --------------------------------------------------------------

def within(row):
    """1 % or 50 ns, whichever is more."""
    return abs(row["error_ns"]) <= max(50, 0.01 * row["true_mean_ns"])


def quantile(row, key):
    """What the histogram says of the spans that the probes saw; these are longer
    than the truth by the error of the mean, which is not the histogram's."""
    truth = row["true_%s_ns" % key] + row["error_ns"]
    return "%+.1f %%" % (100 * (row[key + "_ns"] / truth - 1)), \
        abs(row[key + "_ns"] / truth - 1) <= QUANTILE_BOUND


def oracle(results):
    lines = ["## Against the truth", ""] + how("oracle") + [
        "An operator that spins for a given time and keeps, by its own readings "
        "of the clock, how",
        "long it really took, in graphs that are known: a straight line, a loop, "
        "an If, a fork,",
        "nested modules. Its times are constant but for one node of each of the "
        "first two graphs,",
        "whose times have a long tail. Counts must be equal and sums at least "
        "the truth, else the",
        "section fails; self times are computed again by hand. Means should be "
        "within 1 % or 50 ns,",
        "quantiles within the histogram's 3.6 % of the true ones plus what the mean is "
        "off by, which is no error of the histogram. In graphs without control flow the "
        "nodes of each run",
        "are added up, too: with one reading of the clock per node they must take as "
        "long as from the",
        "first one's begin to the last one's end, to the tick, else the section "
        "fails.", ""]
    for version, rows in rows_of(results, "oracle"):
        sums = [row for row in rows if "runs" in row]
        rows = [row for row in rows if "id" in row]
        for probes in ("lowered", "explicit", "one reading"):
            cells = []
            good = 0
            for row in rows:
                if row["probes"] != probes:
                    continue
                p50, p50_holds = quantile(row, "p50")
                p99, p99_holds = quantile(row, "p99")
                good += within(row)
                cells.append([
                    "%s %d" % (row["graph"], row["id"]),
                    "%d of %d" % (row["count"], row["true_count"]),
                    duration(row["true_mean_ns"]),
                    "%+.0f ns, %+.2f %%" % (
                        row["error_ns"],
                        100 * row["error_ns"] / row["true_mean_ns"]),
                    verdict(within(row)), p50, p99,
                    verdict(p50_holds and p99_holds)])
            if not cells:
                continue
            lines += ["### %s, %s" % (version, PROBES[probes]), ""] + table(
                ["node", "count", "true mean", "mean is off by",
                 "1 % or 50 ns", "p50", "p99", "3.6 %"], cells) + [
                     "%d of %d means hold." % (good, len(cells)), ""]
        lines += one_reading(rows, sums)
    return lines + [
        "What a mean is off by is always too much, never too little: it is what "
        "the interpreter does",
        "between the probe's reading of the clock and the operator's own. For a "
        "timed node this is one",
        "call of a function. For an explicit pair four to six instructions of "
        "the interpreter lie",
        "between the readings, which move the operator's inputs to the stack and "
        "its output away:",
        "nodes below some ten microseconds look longer by that, and all of them "
        "by the same time,",
        "so that their order holds. The report's column `bias_ns` estimates that "
        "time: the runtime",
        "measures in each process what a pair reads around a node that takes no "
        "time. With one reading (`TORCHPROF_READS=one`) a node "
        "that another follows",
        "is as long as with two, and one that follows another is longer by what the "
        "interpreter and the",
        "first one's probe do between them.", ""]


def one_reading(rows, sums):
    """What one reading blurs, and what it does not."""
    if not sums:
        return []
    error = {(row["probes"], row["id"]): row["error_ns"] for row in rows}
    more = sorted(error["one reading", id] - error["lowered", id]
                  for id in FOLLOWERS)
    return ["With one reading the mean of a node that follows another is longer than "
            "with two by %s ns (%s to %s)."
            % (number(statistics.median(more)), number(more[0]), number(more[-1])),
            ""] + table(
        ["graph", "readings", "runs", "that add up to the tick", "sum of the nodes",
         "first begin to last end", "the method"],
        [[row["graph"], "one" if row["probes"] == "one reading" else "two",
          row["runs"], row["exact"], duration(row["sum_ns"]),
          duration(row["together_ns"]), duration(row["root_ns"])] for row in sums])


# --- gradients ---------------------------------------------------------------

#: What the rows may differ by from the host's clock, and how much is to be of nodes.
ROWS_PCT, NODES_PCT = 3, 97


def farthest(functions):
    """The function of some weight whose time differs most from torch.profiler's."""
    whole = max(f["profiler_ns"] for f in functions)
    heavy = [f for f in functions if f["profiler_ns"] >= 0.01 * whole]
    return max(heavy, key=lambda f: abs(f["ns"] / f["profiler_ns"] - 1))


def gradients(results):
    lines = ["## Whose backward", ""] + how("gradients") + [
        "Three models that a host trains and two potentials that differentiate "
        "themselves, as wide as torch.nn and SchNetPack make them, attached, after five "
        "steps that are not recorded. The gradients' "
        "rows should add up to what the host's clock says of `backward()`, or to the "
        "node `aten::grad`, within 3 %, and 97 % should be of nodes. What autograd's "
        "engine does between functions has a row of its own; in a potential it is the "
        "node's self time, so that the rows are all of it. What is missing is what the "
        "host and the engine do before the engine walks the graph, and after the last "
        "function. In a second process torch.profiler records at the same time: of the "
        "evaluation of each function (`autograd::engine::evaluate_function`) it should "
        "have the same calls and the same time. The one is named whose time differs "
        "most, of those with a hundredth of the longest's.", ""]
    for version, rows in rows_of(results, "gradients"):
        cells = []
        for row in rows:
            if "absent" in row:
                cells.append([row["model"], *[None] * 10,
                              "absent: " + row["absent"]])
                continue
            functions = row["functions"]
            worst = farthest(functions)
            same = sum(f["calls"] == f["profiler_calls"] for f in functions)
            cells.append([
                row["model"], duration(row["asked_ns"]),
                "%.1f %%" % row["gradients_pct"],
                verdict(abs(row["gradients_pct"] - 100) <= ROWS_PCT),
                "%.1f %%" % row["nodes_pct"], verdict(row["nodes_pct"] >= NODES_PCT),
                "%.1f %%" % row["methods_pct"], "%.1f %%" % row["engine_pct"],
                "%.1f %%" % abs(row["outside_pct"]),
                "%d of %d" % (same, len(functions)), verdict(same == len(functions)),
                "%+.2f %% (%s)" % (100 * (worst["ns"] / worst["profiler_ns"] - 1),
                                   worst["function"])])
        lines += ["### " + version, ""] + table(
            ["model", "backward", "rows", "within %d %%" % ROWS_PCT, "of nodes",
             "%d %%" % NODES_PCT, "of the method", "the engine's", "outside of models",
             "functions with torch.profiler's calls", "all", "farthest from its time"], cells)
    return lines


# --- memory ------------------------------------------------------------------

#: What malloc may give beyond what was asked for, with blocks aligned to 64.
BLOCK_BOUND = 64


def agrees(row):
    return row["blocks"] == row["profiler_blocks"] and all(
        0 <= row[name] - row["profiler_" + name] <= BLOCK_BOUND * row["blocks"]
        for name in ("bytes", "freed"))


def memory(results):
    lines = ["## Memory", ""] + how("memory") + [
        "One call of each model of the test zoo, attached, while torch.profiler records "
        "the memory of tensors, too. Both should see the same blocks come, and the same "
        "bytes come and go, but that a block is as large here as malloc made it: at "
        "most %d bytes more than was asked for. The models with most bytes are listed, "
        "and those that differ: of a method that calls itself the inner call is measured "
        "alone." % BLOCK_BOUND, ""]
    for version, rows in rows_of(results, "memory"):
        known = [row for row in rows if "absent" not in row]
        listed = sorted((row for row in known if agrees(row)),
                        key=lambda row: -row["bytes"])[:8]
        listed += [row for row in known if not agrees(row)]
        lines += ["### " + version, "",
                  "The same in %d of %d models." % (
                      sum(map(agrees, known)), len(known)), ""]
        lines += table(
            ["model", "blocks", "torch.profiler's", "bytes", "torch.profiler's",
             "more", "freed", "torch.profiler's"],
            [[row["model"], row["blocks"], row["profiler_blocks"], row["bytes"],
              row["profiler_bytes"], "%.4f %%" % (100 * (
                  row["bytes"] / max(1, row["profiler_bytes"]) - 1)),
              row["freed"], row["profiler_freed"]] for row in listed])
        lines += not_measured(rows)
    return lines


# --- operations --------------------------------------------------------------

def flops(results):
    lines = ["## Operations", ""] + how("flops") + [
        "One call of each model of the test zoo, attached, while "
        "`torch.utils.flop_counter` counts, too: multiplications and additions of "
        "products and convolutions. Here they follow from the shapes that were "
        "recorded. The models with most operations are listed, and those that "
        "differ: `flop_counter` does not see into an LSTM, a fused layer of a "
        "transformer or what is quantized. LibTorch 1.13 has no `flop_counter`.", ""]
    for version, rows in rows_of(results, "flops"):
        if not rows:
            continue
        known = [row for row in rows if "absent" not in row]
        same = [row for row in known if row["flops"] == row["flop_counter"]]
        listed = sorted(same, key=lambda row: -row["flops"])[:8]
        listed += [row for row in known if row not in same]
        lines += ["### " + version, "", "The same in %d of %d models, 0 in %d of them."
                  % (len(same), len(known), sum(row["flops"] == 0 for row in same)),
                  ""]
        lines += table(
            ["model", "operations", "flop_counter's", "operators in which they differ"],
            [[row["model"], int(row["flops"]), int(row["flop_counter"]),
              ", ".join(differing(row))] for row in listed])
        lines += not_measured(rows)
    return lines


def differing(row):
    """Operators of a model that one of the two did not count. Other names of the same
    products do not make a difference."""
    if row["flops"] == row["flop_counter"]:
        return []
    ours, theirs = row["flops_of"], row["flop_counter_of"]
    return sorted(set(kind for kind, count in ours.items()
                      if count not in theirs.values()
                      and kind not in ("aten::linear", "aten::conv2d"))
                  | set(row["unknown"]) - {"prim::If", "prim::Loop"})


# --- perturbation ------------------------------------------------------------

def perturbation(results):
    lines = ["## What profiling changes", ""] + how("perturbation") + [
        "The executor's optimized graph, and what the model says in four calls: "
        "outputs, and under grad the gradients of all parameters. Each in a process "
        "of its own: without torchprof, attached, and instrumented without hooks "
        "(`LD_PRELOAD` or a late load would take the probes out again). There, a "
        "timed node counts as the node in it; an explicit pair adds two nodes and, "
        "with its number, a constant. Under grad nothing is lowered, and probes, "
        "which have side effects, end the executor's differentiable subgraphs. On "
        "the CPU neither build of LibTorch fuses.", ""]
    for version, rows in rows_of(results, "perturbation"):
        cells = []
        for row in rows:
            for suffix, grad in (("", "no"), ("_grad", "yes")):
                for kind in ("plain", "attached", "probed"):
                    shape = row[kind + suffix]
                    cells.append([
                        row["model"], grad, kind, shape["nodes"],
                        shape["timed"], shape["explicit"],
                        shape["fused_groups"], shape["differentiable_graphs"],
                        None if kind == "plain" else "yes"
                        if row["equal_%s%s" % (kind, suffix)] else "NO"])
        lines += ["### " + version, ""] + table(
            ["model", "grad", "how", "nodes", "timed", "explicit pairs",
             "fused groups", "differentiable graphs", "bit-equal"], cells)
    return lines


# --- agreement ---------------------------------------------------------------

def beside_kineto(version, row, theirs):
    """Why Kineto's mean is another."""
    difference = row["mean_ns"] - theirs["mean_ns"]
    if "1.13" in version and abs(difference) < 1000:
        return "Kineto of 1.13 counts whole microseconds"
    if difference < 0 and theirs["inside"] >= 1:
        return "Kineto records the %s operators inside too, %s each" % (
            number(theirs["inside"]), duration(-difference / theirs["inside"]))
    if 0 < difference < 1000:
        return "Kineto's range opens in the dispatcher, after the node has begun"
    return "not explained"


def beside_static(version, row, theirs):
    if row["mean_ns"] > theirs["mean_ns"]:
        return "StaticModule has planned the memory of its outputs and calls " \
            "the kernel without the dispatcher"
    return "not explained"


def agreement(results):
    lines = ["## Beside Kineto and StaticModule", ""] + how("agreement") + [
        "Mean per kind of node: the instrumented model, the plain one under "
        "torch.profiler, and StaticModule's own benchmark of a frozen copy's "
        "nodes, in turns, each after a call that warms the caches. Of Kineto only "
        "outermost operators are counted. The difference is the median of five "
        "repetitions, with the least and the largest; where it is above a tenth "
        "in every one, its reason stands beside it. The C library is told to "
        "keep freed memory: otherwise outputs above 128 KB are paid for in page "
        "faults, in other places by each of the three.", ""]
    for version, rows in rows_of(results, "agreement"):
        for name, key, why in (("Kineto", "kineto", beside_kineto),
                               ("StaticModule", "static", beside_static)):
            cells = []
            for row in rows:
                if key not in row:
                    continue
                ratios = sorted(100 * (ratio - 1) for ratio in row[key]["ratios"])
                above = ratios[0] > 10 or ratios[-1] < -10
                cells.append([
                    row["model"], row["kind"], row["calls"],
                    duration(row["mean_ns"]), duration(row[key]["mean_ns"]),
                    "%+.0f %% (%+.0f to %+.0f)" % (
                        ratios[len(ratios) // 2], ratios[0], ratios[-1]),
                    why(version, row, row[key]) if above else None])
            lines += ["### %s, %s" % (version, name), ""] + table(
                ["model", "kind", "calls", "torchprof", name, "difference",
                 "why"], cells)
        lines += ["Absent: " + row["absent"] for row in rows if "absent" in row]
    return lines


# --- the gate of docs/ci.md --------------------------------------------------

def gate(results):
    lines = ["## As a gate", ""] + how("gate") + [
        "A model of four layers recorded again and again, in five processes each "
        "time, and compared with the first as in [CI](ci.md) with "
        "`--fail-above=5%`; then with one layer that takes a fifth longer. Beside "
        "it how often a comparison of single processes trips: a product of small "
        "matrices takes up to two fifths longer in some processes than in others, "
        "through where its memory lies.", ""]
    cells = []
    for version, rows in rows_of(results, "gate"):
        for row in rows:
            cells.append([version, row["runs"],
                          "%d of %d" % (len(row["tripped"]), row["reruns"]),
                          "%d of %d" % (row["tripped_single"], row["reruns"]),
                          "yes" if row["found"] else "NO",
                          ", ".join("`%s`" % name for name in row["named"])])
    if not cells:
        return lines + ["Not measured.", ""]
    return lines + table(["", "runs in a process", "identical re-runs that trip",
                          "single processes that trip",
                          "slow layer `third` found", "called slower"], cells)
