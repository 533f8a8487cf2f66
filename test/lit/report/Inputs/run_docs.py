"""Runs the ```sh-session blocks of pages and compares what they print, exactly.

  run_docs.py FOLDER PAGE...            check
  run_docs.py --update FOLDER PAGE...   write the outputs into the pages

A line `$ command` is run in FOLDER; the lines below it are its output, standard
error included. A last line `...` stands for the rest. Tools are on PATH.
"""

import re
import shutil
import subprocess
import sys

BLOCK = re.compile(r"^```sh-session\n(.*?)^```", re.M | re.S)


def run(command, folder):
    result = subprocess.run(
        command,
        shell=True,
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return lines_of(result.stdout)


def lines_of(text):
    return text.rstrip("\n").split("\n") if text.strip() else []


def shorten(lines, documented):
    """The part of the output that the page shows."""
    if documented[-1:] != ["..."]:
        return lines
    return lines[: len(documented) - 1] + ["..."]


def rerun(block, folder, counts):
    new = ""
    for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
        command, _, output = part.partition("\n")
        documented = lines_of(output)
        lines = shorten(run(command, folder), documented)
        counts.append(command)
        new += f"$ {command}\n" + "".join(f"{line}\n" for line in lines)
    return new


def main():
    if not shutil.which("torchprof-report"):
        sys.exit("run_docs.py: torchprof-report is not on PATH")
    arguments = sys.argv[1:]
    update = arguments[0] == "--update"
    folder, *pages = arguments[update:]
    commands, wrong = [], []
    for page in pages:
        with open(page, encoding="utf-8") as file:
            text = file.read()

        def replace(match):
            block = match.group(1)
            new = rerun(block, folder, commands)
            if [line.rstrip() for line in new.split("\n")] != [
                line.rstrip() for line in block.split("\n")
            ] and not update:
                wrong.append(f"{page}: expected\n{new}found\n{block}")
            return f"```sh-session\n{new}```"

        text = BLOCK.sub(replace, text)
        if update:
            with open(page, "w", encoding="utf-8") as file:
                file.write(text)
    if wrong:
        sys.exit("\n".join(wrong))
    print(f"{len(commands)} commands gave the documented output")


main()
