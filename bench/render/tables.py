"""Markdown pieces that every page of results needs."""


def table(header, rows):
    """Lines of a table; a cell None is empty."""
    rows = [["" if cell is None else str(cell) for cell in row] for row in rows]
    lines = ["| " + " | ".join(header) + " |", "|" + " --- |" * len(header)]
    return lines + ["| " + " | ".join(row) + " |" for row in rows] + [""]


def number(value):
    """Three digits that matter, never an exponent."""
    if value is None:
        return ""
    if abs(value) >= 100:
        return "%.0f" % value
    return "%.1f" % value


def duration(ns):
    for unit, size in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if abs(ns) >= size:
            return "%.3g %s" % (ns / size, unit) if abs(ns) < 1000 * size \
                else "%.0f %s" % (ns / size, unit)
    return "%.0f ns" % ns


#: The verdict on what was measured and is lost in the noise.
NOT_KNOWN = "not known: within the noise"


def times(theirs, ours):
    """How many times `ours` goes into `theirs`; None where one of the two is lost in
    the noise, that is not above 0: then nothing is known of their ratio."""
    return theirs / ours if theirs > 0 and ours > 0 else None


def in_words(ratio, form):
    return "?" if ratio is None else form % ratio


def verdict(holds):
    return "holds" if holds else "missed"


def verdict_of_times(ratio, holds):
    """`holds` is asked only about a ratio that is known."""
    if ratio is None:
        return NOT_KNOWN
    return verdict(holds(ratio))


def label(version):
    """Debian's build of 1.13 calls itself 1.13.0a0."""
    return "LibTorch " + version.replace("a0", "")


def rows_of(results, section):
    """[(label, rows)] of the versions that have the section."""
    return [(label(version), sections[section]["rows"])
            for version, sections in sorted(results.items(), reverse=True)
            if section in sections]


def how(section, *also):
    """The line that says how to repeat a section."""
    return ["```", "bench/run " + section + ("".join(" " + word for word in also)),
            "```", ""]


def seen_before(measured_on):
    """How quiet the machine was before a section, and how long that took."""
    load, seconds = measured_on["load"], measured_on.get("seconds")
    return "%s" % load if seconds is None else "%s, %s" % (
        load, "%d min" % round(seconds / 60) if seconds >= 60 else "%d s" % seconds)


def conditions(results, sections):
    """On what, when and how quiet the machine was."""
    rows = {}
    for version, found in sorted(results.items(), reverse=True):
        for section in sections:
            key = (label(version), "not measured") + ("",) * 4
            if section in found:
                m = found[section]["machine"]
                key = (label(version), m["date"],
                       "%s, %d processors%s" % (
                           m["processor"], m["processors"],
                           ", kept on one" if m.get("pinned") else ""),
                       m["kernel"], m["compiler"], seen_before(m))
            rows.setdefault(key[:-1], []).append((section, key[-1]))
    return ["This page is written by `bench/run --render bench/results.json` from "
            "what was",
            "measured; edit `bench/render`, not the page.", ""] + table(
                ["", "date", "machine", "kernel", "compiler",
                 "section (load of the machine before, how long it took)"],
                [list(key) + [", ".join("%s (%s)" % pair for pair in pairs)]
                 for key, pairs in rows.items()])


def not_measured(rows):
    missing = ["- %s: %s" % (row["model"], row["absent"]) for row in rows
               if "absent" in row]
    return ["Not measured:", ""] + missing + [""] if missing else []
