"""Pages of docs/ from the results of bench/run."""

import os
import textwrap

from . import fidelity, performance, reliability

PAGES = {
    "performance.md": performance.page,
    "fidelity.md": fidelity.page,
    "reliability.md": reliability.page,
}


def filled(lines):
    """Paragraphs filled to 80 columns; tables, code and headings as they are."""
    done, paragraph, code = [], [], False
    for line in lines + [""]:
        fence = line.startswith("```")
        if line and not (fence or code or line.startswith(("|", "#", "- "))):
            paragraph.append(line)
            continue
        done += textwrap.wrap(" ".join(paragraph), 80, break_on_hyphens=False)
        paragraph = []
        code ^= fence
        done.append(line)
    return done


def write(results, folder):
    """results: what bench/run writes, version -> section -> machine and rows."""
    texts = {name: "\n".join(filled(page(results))).rstrip() + "\n"
             for name, page in PAGES.items()}
    for name, text in texts.items():
        with open(os.path.join(folder, name), "w") as file:
            file.write(text)
