"""Runs the ```console blocks of pages and compares what they print.

  run-console.py FOLDER PAGE-OR-FOLDER...

A line `$ command` is run in FOLDER. Each line below it must be among the lines
that the command prints, where numbers, units and runs of blanks or dashes do
not count; `...` stands for lines left out. A page's commands run in order.

Images are made smaller than documented, to save time: one of LARGE becomes SMALL.

Which rows are the first ones of a table sorted by time depends on the machine:
where a command has a --limit, its rows may be any of the whole table.
"""

import os
import re
import subprocess
import sys


LARGE, SMALL = r"\[\d+,3,(224,224|64,64)\]", "[1,3,32,32]"


def shape(line):
    line = re.sub(r"\d+(\.\d+)?(e[-+]?\d+)?", "#", line)
    line = re.sub(r"# (ns|us|ms|s)\b", "# u", line)
    line = re.sub(r"-{2,}", "-", line)
    return re.sub(r"\s+", " ", line).strip()


def blocks(page):
    with open(page, encoding="utf-8") as file:
        text = file.read()
    return re.findall(r"^```console\n(.*?)^```", text, flags=re.M | re.S)


def commands(block):
    for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
        command, _, output = part.partition("\n")
        yield command, [line for line in output.split("\n")
                        if line.strip() and line.strip() != "..."]


def pages(arguments):
    for argument in arguments:
        if os.path.isdir(argument):
            for name in sorted(os.listdir(argument)):
                if name.endswith(".md"):
                    yield os.path.join(argument, name)
        else:
            yield argument


def run(command, folder):
    return subprocess.run(
        re.sub(LARGE, SMALL, command), shell=True, cwd=folder,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        universal_newlines=True).stdout


def main():
    folder, count, wrong = sys.argv[1], 0, []
    for page in pages(sys.argv[2:]):
        for block in blocks(page):
            for command, expected in commands(block):
                output = text = run(command, folder)
                unlimited = re.sub(r" --limit=\d+", " --limit=0", command)
                if unlimited != command:
                    text += run(unlimited, folder)
                printed = {shape(line) for line in text.split("\n")}
                missing = [line for line in expected
                           if shape(line) not in printed]
                count += 1
                if missing:
                    wrong.append("%s: $ %s" % (os.path.basename(page), command))
                    wrong += ["documented, not printed: " + line
                              for line in missing]
                    wrong.append("printed:\n" + output)
    if wrong:
        sys.exit("\n".join(wrong))
    print(count, "commands gave the documented output")


if __name__ == "__main__":
    main()
