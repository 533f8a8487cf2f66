"""The part of docs/performance.md on what attaching costs."""

from .tables import how, in_words, number, rows_of, table, times, verdict_of_times

#: Most CPU time, in ms, that attaching may take of a model.
MOST_MS = {"densenet121": 700, "vit_b_16": 900}

#: How much more one node more may take in long chains than in short ones: linear, but
#: for what does not fit into the nearer caches.
MOST_TIMES = 1.2


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


def slope(shorter, longer, ms):
    """What one node more takes. The time of a whole chain by its nodes would not do:
    with more nodes less of what does not depend on them goes to each."""
    return (ms(longer) - ms(shorter)) / (longer["nodes"] - shorter["nodes"])


def linear(rows):
    """The line that compares chains, if there are three."""
    chains = sorted((row for row in rows if row["nodes"]),
                    key=lambda row: row["nodes"])
    if len(chains) < 3:
        return []

    def growth(ms):
        return times(slope(*chains[-2:], ms), slope(*chains[:2], ms))

    ratio = growth(lambda row: row["more_min_ms"])
    return ["One node more takes %s times as long to attach to from %d to %d nodes as "
            "from %d to %d (bar %.1f: %s); LibTorch without torchprof takes %s times as "
            "long for one." % (
                in_words(ratio, "%.1f"), *(row["nodes"] for row in chains[-2:]),
                *(row["nodes"] for row in chains[:2]), MOST_TIMES,
                verdict_of_times(ratio, lambda r: r <= MOST_TIMES),
                in_words(growth(lambda row: row["plain"]["min_ms"]), "%.1f")), ""]


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
