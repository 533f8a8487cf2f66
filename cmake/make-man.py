#!/usr/bin/env python3
"""Makes a manual page (roff, man macros) from a page of docs/.

  make-man.py NAME VERSION PAGE.md OUT.1

Knows what the documentation uses: headings, paragraphs, fenced code, lists,
tables, `code`, **strong**, *emphasis* and links. The page's first heading
becomes the NAME section, "tool: one line of what it does", and what follows it
the DESCRIPTION. A comment behind that heading, which no browser shows, is the
SYNOPSIS:

  <!-- synopsis
  torchprof-opt --check MODEL.pt
  -->

The pages of other tools in the same directory, NAME*.md of its first word,
are under SEE ALSO.
"""

import glob
import os
import re
import sys


def escape(text):
    return text.replace("\\", "\\e").replace("-", "\\-")


def inline(text):
    """One paragraph: code and strong in bold, emphasis in italics."""
    out = []
    pattern = r"`([^`]+)`|\*\*([^*]+)\*\*|\*([^*\s][^*]*)\*|!?\[([^]]*)\]\([^)]*\)"
    position = 0
    for match in re.finditer(pattern, text):
        out.append(escape(text[position:match.start()]))
        code, strong, emphasis, label = match.groups()
        if code is not None or strong is not None:
            out.append("\\fB%s\\fR" % escape(code or strong))
        elif emphasis is not None:
            out.append("\\fI%s\\fR" % escape(emphasis))
        else:
            out.append(inline(label))
        position = match.end()
    out.append(escape(text[position:]))
    line = "".join(out)
    return "\\&" + line if line[:1] in (".", "'") else line


def cells(row):
    row = row.strip().strip("|").replace("\\|", "\0")
    return [cell.strip().replace("\0", "|") for cell in row.split("|")]


def table(rows):
    """A row becomes an item: the first cell its tag, the others its text. Of more
    than one each is named by the table's head."""
    out, head = [], []
    for row, below in zip(rows, rows[1:] + [""]):
        if re.fullmatch(r"[\s|:-]+", row):
            continue
        if re.fullmatch(r"[\s|:-]+", below):
            head = cells(row)[1:]
            continue
        first, *rest = cells(row)
        if len(rest) > 1 and len(head) == len(rest):
            rest = ["%s: %s" % (name, cell) if name and cell else cell
                    for name, cell in zip(head, rest)]
        out += [".TP", inline(first) or "\\&",
                inline("; ".join(cell for cell in rest if cell)) or "\\&"]
    return out


def synopsis(lines):
    """What the comment behind the heading says, and how many lines it takes."""
    for begin, line in enumerate(lines):
        if line == "<!-- synopsis":
            end = lines.index("-->", begin)
            out = [".SH SYNOPSIS", ".nf"]
            out += ["\\&" + escape(line) for line in lines[begin + 1:end]]
            return out + [".fi"], end + 1
        if line:
            break
    return [], 0


def see_also(page, name):
    first = name.split("-")[0]
    pages = glob.glob(os.path.join(glob.escape(os.path.dirname(page)), first + "*.md"))
    names = sorted(os.path.basename(other)[:-len(".md")] for other in pages)
    others = ["\\fB%s\\fR(1)" % escape(other) for other in names if other != name]
    return '.SH "SEE ALSO"\n%s\n' % ", ".join(others) if others else ""


def continues(line):
    """True if a line goes on with the paragraph above it, whatever it begins with:
    code, a minus sign."""
    return bool(line.strip()) and not re.match(r"```|\||#+ |[-*] |1\. ", line)


def convert(text, name, version):
    lines = text.split("\n")
    out = ['.TH "%s" 1 "" "torchprof %s"' % (name.upper(), version)]
    index = 0
    while index < len(lines):
        line = lines[index]
        index += 1
        if line.startswith("```"):
            out += [".PP", ".RS 4", ".nf"]
            while index < len(lines) and not lines[index].startswith("```"):
                out.append("\\&" + escape(lines[index]))
                index += 1
            index += 1
            out += [".fi", ".RE"]
        elif line.startswith("# "):
            title = line[2:].strip()
            if ":" not in title:
                title = name + ": " + title
            tool, what = title.split(":", 1)
            usage, length = synopsis(lines[index:])
            index += length
            out += [".SH NAME", inline(tool) + " \\- " + inline(what.strip()),
                    *usage, ".SH DESCRIPTION"]
        elif line.startswith("#"):
            level, title = line.split(" ", 1)
            if level == "##":
                out += ['.SH "%s"' % inline(title.strip().upper())]
            else:
                out += ['.SS "%s"' % inline(title.strip())]
        elif line.startswith("|"):
            rows = [line]
            while index < len(lines) and lines[index].startswith("|"):
                rows.append(lines[index])
                index += 1
            out += table(rows)
        elif re.match(r"([-*]|\d+\.) ", line):
            mark, item = line.split(" ", 1)
            while index < len(lines) and re.match(r" {2,}\S", lines[index]):
                item += " " + lines[index].strip()
                index += 1
            bullet = "\\(bu" if mark in "-*" else mark
            out += ['.IP "%s" 4' % bullet, inline(item)]
        elif line.strip():
            paragraph = [line.strip()]
            while index < len(lines) and continues(lines[index]):
                paragraph.append(lines[index].strip())
                index += 1
            out += [".PP", inline(" ".join(paragraph))]
    return "\n".join(out) + "\n"


def main():
    if len(sys.argv) != 5:
        sys.exit("usage: make-man.py NAME VERSION PAGE.md OUT.1")
    name, version, page, result = sys.argv[1:]
    with open(page, encoding="utf-8") as file:
        text = file.read()
    with open(result, "w", encoding="utf-8") as file:
        file.write(convert(text, name, version) + see_also(page, name))


if __name__ == "__main__":
    main()
