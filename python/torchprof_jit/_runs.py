"""Runs by the names of their methods."""


def of_method(rows, method, models):
    """Those of `rows`, which `torchprof-report runs` prints, whose method is called
    `method`, with its model in front or without. Where one model ran the rows do not
    name it: `models` returns the names of all that ran. KeyError if there are none."""
    found = [row for row in rows if method in (
        row["method"], row["method"].rpartition(".")[2])]
    model, _, name = method.rpartition(".")
    if model and not found and models() == {model}:
        found = [row for row in rows if row["method"] == name]
    if not found:
        raise KeyError("no run of %r was recorded" % method)
    return found
