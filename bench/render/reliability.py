"""docs/reliability.md: what was tried to make it lose something."""

from .tables import conditions, how, label, rows_of, table

SECTIONS = ["storms", "soak", "reload"]


def page(results):
    return (["# Reliability", ""] + conditions(results, SECTIONS)
            + soak(results) + reload(results) + storms(results))


def soak(results):
    lines = ["## Soak", ""] + how("soak") + [
        "An instrumented model served by threads while another thread starts, "
        "stops, resets, flushes",
        "and takes snapshots, and `torchprof-report` reads the live file. Every "
        "second phase records",
        "without a break, and then the calls counted must be the calls made. It "
        "fails on a wrong",
        "count, a failing report, an output that differs, a file that grows or "
        "memory that does.",
        "Spans are added to the statistics by the thread that ran them, or by one "
        "of torchprof's",
        "([`TORCHPROF_FOLD`](runtime-options.md)).", ""]
    cells = []
    for version, rows in rows_of(results, "soak"):
        for row in rows:
            cells.append([
                version, "`%s`" % row.get("fold", "run"),
                "%d s" % row["seconds"], row["threads"], row["calls"],
                row["exact_phases"], row["reports"],
                "%d, %d, %d" % (row["switches"], row["flushes"],
                                row["snapshots"]),
                "%+d KB of %d MB" % (row["grown_bytes"] // 1024,
                                     row["resident_bytes"] >> 20),
                "%d KB" % (row["file_bytes"] // 1024), row["lost"],
                "; ".join(row["failures"]) or "none"])
    return lines + table(
        ["", "`TORCHPROF_FOLD`", "time", "threads", "calls", "phases with exact counts",
         "reports read", "stops, flushes, snapshots", "memory grew by", "file",
         "lost", "failures"], cells)


def reload(results):
    lines = ["## Models that come and go", ""] + how("reload") + [
        "An attached process that loads a model from a file and scripts another, runs "
        "both with gradients and without, and lets them go, again and again, on two "
        "threads. The same model is the same sites however often it comes. It fails on "
        "an output or a gradient that differs, on calls counted that are not the calls "
        "made, on a site more, on memory that grows, and on a file that grows once it "
        "has the events that it is bounded to. Memory is the process's own, without "
        "the file; it is compared from a quarter of the time on. For a release it runs "
        "for an hour: `--seconds 3600`.", ""]
    cells = []
    found = rows_of(results, "reload")
    for version, rows in found:
        for row in rows:
            cells.append([
                version, "%d s" % row["seconds"], row["threads"], row["turns"],
                row["calls"], row["phases"], row["rows"],
                "%+d KB of %d MB" % (row["grown_bytes"] // 1024,
                                     row["memory_bytes"] >> 20),
                "%d KB" % (row["file_bytes"] // 1024),
                "; ".join(row["failures"]) or "none"])
    return lines + (table(
        ["", "time", "threads", "loaded and scripted", "calls",
         "phases with exact counts", "rows of the summary", "memory grew by",
         "file", "failures"], cells) if found else ["Not measured.", ""])


def storms(results):
    lines = ["## Kills, forks, damage", ""] + how("storms") + [
        "Tests that count what they did, each its own check; one of them:", "",
        "```", "build/system/bin/PROGRAM --gtest_filter=TEST", "```", ""]
    cells = []
    for version, sections in sorted(results.items(), reverse=True):
        for row in sections.get("storms", {"rows": []})["rows"]:
            if row["figure"]:
                cells.append([label(version), "`%s`" % row["test"],
                              "`%s`" % row["program"], row["figure"],
                              "passed" if row["passed"] else "FAILED"])
    return lines + table(["", "test", "program", "what", ""], cells)
