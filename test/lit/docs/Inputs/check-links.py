"""Checks the relative links of README.md, CONTRIBUTING.md and docs/*.md."""

import os
import re
import sys

root = sys.argv[1]
pages = ["README.md", "CONTRIBUTING.md", "CHANGES.md"]
pages += ["docs/" + name for name in os.listdir(os.path.join(root, "docs"))]
findings = []
linked_from_index = {"docs/index.md"}
for page in sorted(pages):
    path = os.path.join(root, page)
    if not page.endswith(".md") or not os.path.exists(path):
        continue
    with open(path) as file:
        text = re.sub(r"```.*?```", "", file.read(), flags=re.S)
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
        if "://" in target or target.startswith("mailto:"):
            continue
        joined = os.path.join(os.path.dirname(page), target)
        if not os.path.exists(os.path.join(root, joined)):
            findings.append("%s: no such file: %s" % (page, target))
        if page == "docs/index.md":
            linked_from_index.add(os.path.normpath(joined))
for page in pages:
    if page.startswith("docs/") and page.endswith(".md"):
        if page not in linked_from_index:
            findings.append("%s: no link from docs/index.md" % page)
if findings:
    sys.exit("\n".join(findings))
print("all links lead to a file")
