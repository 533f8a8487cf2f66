"""The frames of an svg export lie inside each other, callers above, and each is as
wide as its share says."""

import re
import sys
import xml.etree.ElementTree as ElementTree

SVG = "{http://www.w3.org/2000/svg}"
root = ElementTree.parse(sys.argv[1]).getroot()
whole = float(root.get("width")) - 2 * float(root.get("data-margin"))
rows = {}
for group in root.find(SVG + "g[@id='frames']"):
    rect = group.find(SVG + "rect")
    title = group.find(SVG + "title").text
    share = float(re.fullmatch(r".*, ([0-9.]+)%", title, re.DOTALL).group(1))
    begin, width = float(rect.get("x")), float(rect.get("width"))
    assert abs(100 * width / whole - share) < 0.0051, (title, width)
    shown = group.find(SVG + "text").text or ""
    name = shown[:-2] if shown.endswith("..") else shown + ": "
    assert not shown or title.startswith(name), (title, shown)
    rows.setdefault(float(rect.get("y")), []).append((begin, begin + width))
assert len(rows) > 1, rows
heights = sorted(rows)
for above, below in zip(heights, heights[1:]):
    for begin, end in rows[below]:
        assert any(begin > left - 0.001 and end < right + 0.001
                   for left, right in rows[above]), (begin, end)
for row in rows.values():
    for (_, end), (begin, _) in zip(row, row[1:]):
        assert begin > end - 0.001, row
