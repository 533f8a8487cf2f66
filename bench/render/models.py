"""The first part of docs/performance.md: what recording adds to real models."""

from speed.processes import FEWEST

from .tables import NOT_KNOWN, duration, how, rows_of, table, times

#: Most per cent of a call that recording may add.
MOST = {"densenet121": 1.3, "mobilenet_v3": 1.3, "resnet18_1": 0.4, "encoder": 0.4}
#: The half of an interval above which nothing is said.
KNOWN = 0.3
#: What is said of intervals that are made of too few processes.
TOO_FEW = "not known: too few processes"
#: How many times less than torch.profiler recording is to add.
TIMES = 7


def per_cent(pair):
    return "%+.2f ± %.2f" % tuple(pair)


def at_most(row, bar):
    """Whether what recording adds is, with its interval, below a bar."""
    value, half = row["torchprof"]
    if row["processes"] < FEWEST:
        return TOO_FEW
    if value + half <= bar:
        return "holds"
    if value - half > bar:
        return "missed by %.2f" % (value - bar)
    return "not known: the interval holds the bar"


def stopped(row):
    value, half = row["torchprof stopped"]
    if row["processes"] < FEWEST:
        return TOO_FEW
    if value <= half:
        return "holds" if half <= KNOWN else "not known: ± %.1f" % half
    return "missed by %.2f" % (value - half)


def beside(row):
    """How many times less than torch.profiler. The bar holds, or is missed, only if it
    is so at the ends of both intervals that are nearest to it."""
    (ours, half), (theirs, their_half) = row["torchprof"], row["torch.profiler"]
    ratio = times(theirs, ours)
    if row["processes"] < FEWEST:
        return TOO_FEW
    if ratio is not None and (ours + half) * TIMES <= theirs - their_half:
        return "%.1f x, holds" % ratio
    if ratio is not None and (ours - half) * TIMES > theirs + their_half:
        return "%.1f x, missed" % ratio
    return NOT_KNOWN


def is_older(row):
    """Whether it is from before a process measured for a given time."""
    return "measured_s" not in row


def models(results):
    lines = ["## Real models", ""] + how("models") + [
        "What is added to a call, in per cent of its processor time on one thread: the "
        "mean over processes, without the fifth at each end, with half of its 95 % "
        "interval. A process loads "
        "several copies of each kind in random order and calls them in turns, each "
        "three times before the three calls that are measured. What a copy takes is the "
        "mean of the lower half of its turns: a disturbance only makes a turn longer. All are of one file, and "
        "torchprof is attached to some. They share their parameters: through where "
        "those lie alone two copies differ by up to 7 %. What is left of that shows "
        "as the difference of the second plain copies. Logs are folded after many calls: "
        "what that took, per call, is a part of recording. torch.profiler's closing is "
        "not in its calls.", "",
        "Bars: recording at most %.1f %% of the first two models and %.1f %% of the "
        "others, and %d times less than torch.profiler; nothing while it is stopped."
        % (MOST["densenet121"], MOST["encoder"], TIMES), ""]
    found = rows_of(results, "models")
    for version, rows in found:
        lines += ["### " + version, ""]
        if any(is_older(row) for row in rows):
            lines += ["Measured in an older way: what a copy takes is the median over "
                      "nine turns.", ""]
        lines += table(
            ["model", "input", "a call", "processes", "recording", "",
             "less than torch.profiler", "stopped", "", "torch.profiler",
             "second plain copies"],
            [[row["model"], row["shape"], duration(row["call_ns"]),
              row["processes"], per_cent(row["torchprof"]),
              at_most(row, MOST[row["model"]])
              if row["model"] in MOST else None,
              beside(row), per_cent(row["torchprof stopped"]),
              stopped(row), per_cent(row["torch.profiler"]),
              per_cent(row["plain again"])] for row in rows])
    return lines if found else lines + ["Not measured.", ""]
