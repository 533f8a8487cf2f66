"""Pages of docs/ from the results of bench/run."""

import os

from . import fidelity, performance, reliability
from .tables import filled

PAGES = {
    "performance.md": performance.page,
    "fidelity.md": fidelity.page,
    "reliability.md": reliability.page,
}


def write(results, folder):
    """results: what bench/run writes, version -> section -> machine and rows."""
    for name, page in PAGES.items():
        with open(os.path.join(folder, name), "w") as file:
            file.write("\n".join(filled(page(results))).rstrip() + "\n")
