"""The frames of an svg export lie inside each other, callers above, and each is as
wide as its share says. They are the wide ones of the script's data."""

import json
import re
import sys
import xml.etree.ElementTree as ElementTree

SVG = "{http://www.w3.org/2000/svg}"
root = ElementTree.parse(sys.argv[1]).getroot()
whole = float(root.get("width")) - 2 * float(root.get("data-margin"))
data = json.loads(root.find(SVG + "script[@id='tree']").text)
wide = []


def walk(frame, begin, depth):
    name, weight, callees = data["names"][frame[0]], frame[1], frame[2:]
    width = weight / data["tree"][1] * whole
    assert weight >= sum(callee[1] for callee in callees), frame
    if width >= float(root.get("data-narrowest")):
        y = float(root.get("data-top")) + depth * float(root.get("data-row"))
        wide.append((name, begin, y, width))
    for callee in callees:
        walk(callee, begin, depth + 1)
        begin += callee[1] / data["tree"][1] * whole


walk(data["tree"], float(root.get("data-margin")), 0)
rows = {}
for group in root.find(SVG + "g[@id='frames']"):
    rect = group.find(SVG + "rect")
    title = group.find(SVG + "title").text
    share = float(re.fullmatch(r".*, ([0-9.]+)%", title, re.DOTALL).group(1))
    begin, width = float(rect.get("x")), float(rect.get("width"))
    assert abs(100 * width / whole - share) < 0.006, (title, width)
    expected = wide.pop(0)
    assert title.startswith(expected[0] + ": "), (title, expected)
    for key, value in zip(("x", "y", "width"), expected[1:]):
        assert abs(float(rect.get(key)) - value) < 0.0051, (title, expected)
    shown = group.find(SVG + "text").text or ""
    name = shown[:-2] if shown.endswith("..") else shown + ": "
    assert not shown or title.startswith(name), (title, shown)
    rows.setdefault(float(rect.get("y")), []).append((begin, begin + width))
assert not wide, wide
assert len(rows) > 1, rows
heights = sorted(rows)
for above, below in zip(heights, heights[1:]):
    for begin, end in rows[below]:
        assert any(begin > left - 0.011 and end < right + 0.011
                   for left, right in rows[above]), (begin, end)
for row in rows.values():
    for (_, end), (begin, _) in zip(row, row[1:]):
        assert begin > end - 0.011, row
