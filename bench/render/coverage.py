"""The part of docs/fidelity.md on time that is nobody's."""

import itertools
import statistics

from .tables import duration, how, not_measured, number, rows_of, table, verdict


def frozen_text(row):
    if "frozen_unattributed_pct" not in row:
        return None
    percent = row["frozen_unattributed_pct"]
    return "cannot be frozen" if percent is None else "%.2f %%" % percent


def verdict_of_rest(row):
    """Says too whether freezing ends what is unattributed."""
    if row["unattributed_pct"] < 2:
        return "holds"
    frozen = row["frozen_unattributed_pct"]
    if frozen is None:
        return "missed, cannot be frozen"
    return "missed" if frozen < 2 else "missed, frozen too"


def reads_text(row):
    """What is left and, of the whole time, what reads attributes."""
    if "reads_unattributed_pct" not in row:
        return None
    return "%.2f %% (%.2f %%)" % (row["reads_unattributed_pct"],
                                  row["reads_pct"])


#: The groups of the test zoo, and what their models are.
GROUPS = {None: "the whole test zoo",
          "torchvision": "torchvision's models",
          "field": "small models of the field",
          "language": "small models of language features"}


#: Of the time with grad, in the median model and in the worst.
MEDIAN_PCT, WORST_PCT = 97, 90


#: What a row calls its unattributed share of a run with grad, and what it is then
#: called here.
WITH_GRAD = {"grad_unattributed_pct": "",
             "grad_reads_unattributed_pct": ", attributes apart"}


def attributed_with_grad(rows):
    """A table of what is attributed of the models that have nodes, of all of them and
    of each group."""
    cells = []
    for (group, name), (key, how_measured) in itertools.product(
            GROUPS.items(), WITH_GRAD.items()):
        known = {row["model"]: 100 - row[key] for row in rows
                 if group in (None, row["group"]) and row["nodes_per_run"]
                 and key in row}
        if not known:
            continue
        median, worst = statistics.median(known.values()), min(known, key=known.get)
        cells.append([name + how_measured, "%.1f %%" % median,
                      verdict(median >= MEDIAN_PCT),
                      "%.1f %%, `%s`" % (known[worst], worst),
                      verdict(known[worst] >= WORST_PCT)])
    return table(["with grad", "attributed in the median", "%d %%" % MEDIAN_PCT,
                  "in the worst", "%d %%" % WORST_PCT], cells)


def sums(rows):
    """What is said of sums. In older rows, which have no excess, `adds_up` is of sums
    to which it was added, which holds of any."""
    rows = [row for row in rows if "excess_pct" in row]
    if not rows:
        return ""
    return ("%d of %d models add up exactly; nodes are longer than what they are in by "
            "%.2f %% of the total at most. " % (
                sum(row["adds_up"] for row in rows), len(rows),
                max(row["excess_pct"] for row in rows)))


def coverage(results):
    lines = ["## Nothing missing", ""] + how("coverage") + [
        "Every model of the test zoo that runs on one thread, attached: the self times "
        "of all rows must sum to the total. Where the mean node "
        "is above 20 µs, less than 2 % should be unattributed; with shorter nodes "
        "the interpreter's own instructions show. Of three profiles the one counts "
        "that took least: a process that has to wait between two short nodes waits "
        "longer than all of its runs take. With `--grad`, what LibTorch itself does "
        "around nodes that it differentiates as a whole has rows of its own.", "",
        "Much of what is unattributed is the interpreter reading parameters out "
        "of modules, a dozen for each batch norm, from memory that the node "
        "before it has pushed out of the caches. Small inputs make its share "
        "larger. Freezing turns the parameters into constants, of which only the "
        "reference counts are touched: the models above 2 % are measured frozen "
        "too, and with `TORCHPROF_RECORD=attributes`, which gives the reads a row of "
        "their own, whose share stands in parentheses. With grad every model is measured "
        "both ways.", ""]
    for version, rows in rows_of(results, "coverage"):
        measured = [row for row in rows if "absent" not in row]
        long = [row for row in measured if row["mean_node_ns"] > 20e3]
        lines += ["### " + version, "",
                  "%s%d models have a mean node above 20 µs; %d of them leave"
                  % (sums(measured), len(long),
                     sum(row["unattributed_pct"] < 2 for row in long)),
                  "less than 2 % unattributed.", ""] + attributed_with_grad(measured)
        lines += table(
            ["model", "nodes in a run", "mean node", "unattributed", "2 %", "frozen",
             "attributes apart", "with grad", "with grad, attributes apart"],
            [[row["model"], number(row["nodes_per_run"]),
              duration(row["mean_node_ns"]), "%.2f %%" % row["unattributed_pct"],
              None if row not in long else
              verdict_of_rest(row),
              frozen_text(row), reads_text(row),
              *("%.2f %%" % row[key] if key in row else None for key in WITH_GRAD)]
             for row in sorted(measured, key=lambda r: -r["mean_node_ns"])])
        lines += not_measured(rows)
    return lines
