"""Hooks of mkdocs.yml: what a folder of pages for GitHub lacks to be a site.

The navigation is read from docs/index.md. Pages link to files beside docs/, which
the site then has as well: the README as a page, others as files. Anchors are
GitHub's.
"""

import os
import re

from mkdocs.structure.files import File

_LINK = re.compile(r"\]\((\.\./)([^)#]+)")
_ITEM = re.compile(r"\[([^]]+)\]\((?:\.\./)?([\w.-]+\.md)\)")
# The theme does not break the lines of cells.
_STYLE = """.wy-table-responsive table td, .wy-table-responsive table th {
  white-space: normal;
}
"""
_README = "README.md"
_START = "start.md"  # mkdocs would make README.md the index


def _slug(text, separator):
    """https://docs.github.com: lower case, no punctuation, spaces as hyphens."""
    return re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", separator)


def on_config(config):
    config.mdx_configs.setdefault("toc", {})["slugify"] = _slug
    nav, section = [{"Overview": "index.md"}, {"README": _START}], None
    path = os.path.join(config.docs_dir, "index.md")
    with open(path, encoding="utf-8") as file:
        for line in file:
            heading = re.match(r"[A-Z][\w ]+$", line.strip())
            if heading and not line.startswith(" "):
                section = []
                nav.append({heading.group(): section})
                continue
            for title, page in _ITEM.findall(line):
                if section is not None:
                    section.append({title: page})
    config.nav = nav
    return config


def _outside(config):
    """What the pages link to beside docs/, without the README."""
    found = set()
    for name in os.listdir(config.docs_dir):
        if name.endswith(".md"):
            with open(os.path.join(config.docs_dir, name), encoding="utf-8") as file:
                found.update(path for _, path in _LINK.findall(file.read()))
    return sorted(found - {_README})


def on_files(files, config):
    root = os.path.dirname(config.docs_dir)
    with open(os.path.join(root, _README), encoding="utf-8") as file:
        text = file.read()
    text = re.sub(r"\]\(docs/", "](", text)
    # What is for those who have the sources, whose place they know.
    text = re.sub(r"\[([^]]+)\]\((?:CONTRIBUTING\.md|LICENSE)\)", r"\1", text)
    files.append(File.generated(config, _START, content=text))
    files.append(File.generated(config, "site.css", content=_STYLE))
    for path in _outside(config):
        with open(os.path.join(root, path), encoding="utf-8") as file:
            files.append(File.generated(
                config, "files/" + path, content=file.read()))
    return files


def on_page_markdown(markdown, page, config, files):
    def target(match):
        path = match.group(2)
        return "](" + (_START if path == _README else "files/" + path)
    return _LINK.sub(target, markdown)
