"""The part of docs/performance.md on what attaching costs."""

from .tables import how, in_words, number, rows_of, table, times, verdict_of_times

#: Most CPU time, in ms, that attaching may take of a model.
MOST_MS = {"densenet121": 700, "vit_b_16": 900}

#: How much more the longest chain may take per node than that of 100 nodes: linear,
#: but for what does not fit into the nearer caches.
MOST_PER_NODE = 1.2


def verdict(row):
    bar = MOST_MS.get(row["model"])
    if bar is None:
        return [None, None]
    if row["more_median_ms"] <= bar:
        return ["%d ms" % bar, "holds"]
    if row["more_min_ms"] <= bar:
        return ["%d ms" % bar, "least only; the median is over by %s ms" % number(
            row["more_median_ms"] - bar)]
    return ["%d ms" % bar, "missed by %s ms" % number(row["more_min_ms"] - bar)]


def per_node(row):
    return row["more_min_ms"] / row["nodes"]


def linear(rows):
    """The line that compares chains, if there are two."""
    chains = sorted((row for row in rows if row["nodes"]),
                    key=lambda row: row["nodes"])
    if len(chains) < 2:
        return []
    least, most = chains[0], chains[-1]
    ratio = times(per_node(most), per_node(least))
    plain = (most["plain"]["min_ms"] / most["nodes"]) / (
        least["plain"]["min_ms"] / least["nodes"])
    return ["A node of %d takes %s times as long to attach to as one of %d (bar "
            "%.1f: %s); without torchprof it takes LibTorch %.1f times as long." % (
                most["nodes"], in_words(ratio, "%.1f"), least["nodes"], MOST_PER_NODE,
                verdict_of_times(ratio, lambda r: r <= MOST_PER_NODE), plain), ""]


def attaching(results):
    lines = ["## Attaching", ""] + how("attach") + [
        "CPU time, user and system, of loading a model and of its first two calls, in "
        "which LibTorch makes its plans, without gradients. Processes of their own, "
        "in turns, attached and not. *More* is the difference of the least, and the "
        "median of the differences of one turn. Chains are `aten::relu` and "
        "`aten::add` by turns. What does not depend on the model, such as loading "
        "torchprof's libraries, is part of each.", ""]
    found = rows_of(results, "attach")
    for version, rows in found:
        lines += ["### " + version, ""] + table(
            ["model", "processes", "plain, ms", "attached, ms", "more, ms",
             "per node, µs", "bar", ""],
            [[row["model"], row["processes"]]
             + ["%s / %s" % (number(row[way]["min_ms"]),
                             number(row[way]["median_ms"]))
                for way in ("plain", "attached")]
             + ["%s / %s" % (number(row["more_min_ms"]),
                             number(row["more_median_ms"])),
                row["nodes"] and number(1e3 * per_node(row))]
             + verdict(row) for row in rows])
        lines += linear(rows)
    return lines if found else lines + ["Not measured.", ""]
