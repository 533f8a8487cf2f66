"""docs/performance.md: what a node costs by what is recorded of it."""

from .tables import how, in_words, number, rows_of, table, times, verdict_of_times

#: What torchprof may record beside time, and what that tells.
MORE_THAN_TIME = {
    "shapes": "calls by dtypes and sizes, FLOPs, bytes moved",
    "memory": "bytes allocated, freed, net, peak",
    "memory, shapes": "both",
    "blocks": "memory, and who allocated what is alive",
    "device": "how long a device works for it",
}
TELLS = dict(MORE_THAN_TIME, **{
    "time": "self and total, calls, quantiles",
    "torch.profiler": "operators and those inside of them, by name",
    "torch.profiler, memory, shapes": "also by sizes; bytes allocated less freed",
})
#: What a node may take longer for it, ns.
BARS_OF_RECORDED = {"shapes": 20, "memory": 20, "memory, shapes": 35, "device": 400}
#: How many times as much torch.profiler may take for memory and shapes.
LEAST_TIMES = 12


def verdict_of_recorded(row):
    bar, value = BARS_OF_RECORDED.get(row["recorded"]), row["more_ns"][1]
    if bar is None:
        return ""
    return "holds" if value <= bar else "missed by %s ns" % number(value - bar)


def recorded(results):
    lines = ["## What is recorded", ""] + how("recorded") + [
        "A chain of 300 `relu` of a few numbers, attached, in Python, on one thread: ns "
        "that a node takes longer, the median over several processes and in brackets "
        "their quartiles. The runtime's code lies elsewhere in each: the code of the chain "
        "fills the nearest cache of some processors, and what it pushes out there depends "
        "on its place. Each process compares its own calls: what torchprof records "
        "beside time is recorded in every third one; torchprof itself and torch.profiler "
        "are switched on for 80 calls and off again, many times. What it takes to count "
        "blocks of memory, in other calls too, is measured by exchanging LibTorch's "
        "allocator, and is in it; the one that counts calls less code than LibTorch's, so "
        "that a node can take no longer with it. *closing* is what it takes for each recorded node to end the "
        "recording: torchprof's `stop`, torch.profiler's `stop`. The device is the tests' "
        "fake one, whose events take some tens of ns.", ""]
    for version, rows in rows_of(results, "recorded"):
        lines += ["### " + version, ""] + table(
            ["recorded", "it tells", "ns a node", "bar", "", "closing"],
            [[row["recorded"] + (", beside time" if row["recorded"] in MORE_THAN_TIME
                                 else ""),
              TELLS[row["recorded"]],
              "%s (%s to %s)" % tuple(number(row["more_ns"][at]) for at in (1, 0, 2)),
              BARS_OF_RECORDED.get(row["recorded"]), verdict_of_recorded(row),
              number(row["closing_ns"])] for row in rows]) + beside_peer(rows)
    return lines


def beside_peer(rows):
    """Memory and shapes with torchprof and with torch.profiler."""
    more = {row["recorded"]: row["more_ns"][1] for row in rows}
    closing = {row["recorded"]: row["closing_ns"] for row in rows}
    ours = more["time"] + more["memory, shapes"]
    theirs = more["torch.profiler, memory, shapes"]
    recording = times(theirs, ours)
    whole = times(theirs + closing["torch.profiler, memory, shapes"],
                  ours + closing["memory, shapes"])
    return ["With memory and shapes torch.profiler takes %s times as long as torchprof "
            "while it records, and %s times with the closing (bar %d, while it records: "
            "%s)." % (in_words(recording, "%.1f"), in_words(whole, "%.0f"), LEAST_TIMES,
                      verdict_of_times(recording, lambda r: r >= LEAST_TIMES)), ""]
