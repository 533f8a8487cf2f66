"""Runs a tool on archives with damage: damaged-archives.py KIND COUNT
FORK-SERVER FOLDER MODEL...

Whatever is wrong with a file, a tool says so in lines that name it, ends with code 1
or 2 and leaves no output; or it ends with 0, and what it wrote can be read. The
damage is random, with a fixed seed. KIND is one of those below.
"""

import io
import os
import random
import re
import struct
import sys
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../../models"))
from forkserver import ForkServer  # noqa: E402


def rewritten(archive, change):
    """The archive with what change(name, data) returns for each member; a
    member of which it returns None is left out."""
    source = zipfile.ZipFile(io.BytesIO(archive))
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as out:
        for name in source.namelist():
            data = change(name, source.read(name))
            if data is not None:
                out.writestr(zipfile.ZipInfo(name), data)
    return target.getvalue()


def checksum(text):
    """FNV-1a, as the last line of a manifest has it."""
    value = 0xCBF29CE484222325
    for byte in text:
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return b"%016x" % value


def edited_manifest(text, rng):
    """Changes a number, a letter or a line."""
    lines = text.split(b"\n")
    at = rng.randrange(len(lines))
    how = rng.randrange(4)
    if how == 0:
        del lines[at]
    elif how == 1:
        lines.insert(at, rng.choice(lines))
    elif how == 2:
        line = bytearray(lines[at])
        if line:
            line[rng.randrange(len(line))] = rng.randrange(256)
        lines[at] = bytes(line)
    else:
        big = rng.choice([b"0", b"4294967295", b"4294967296", b"-1", b"2" * 20])
        lines[at] = re.sub(rb"\d+", lambda _: big, lines[at], count=1)
    return b"\n".join(lines)


def manifest(archive, rng):
    """The text of the manifest, most often with the checksum that fits."""

    def change(name, data):
        start = data.find(b"torchprof-manifest ")
        if not name.endswith("data.pkl") or start < 0:
            return data
        # A pickled string: X, four bytes of its length, the text.
        size = struct.unpack("<I", data[start - 4 : start])[0]
        text = data[start : start + size]
        body = edited_manifest(text[: text.rindex(b"end ")], rng)
        end = checksum(body) if rng.randrange(4) else text[-17:-1]
        text = body + b"end " + end + b"\n"
        return (data[: start - 4] + struct.pack("<I", len(text)) + text
                + data[start + size :])

    return rewritten(archive, change)


def truncated(archive, rng):
    return archive[: rng.randrange(len(archive))]


def directory(archive, rng):
    """A few bytes of the directory at the archive's end."""
    start = archive.index(b"PK\x01\x02")
    damaged = bytearray(archive)
    for _ in range(rng.choice([1, 1, 2, 8])):
        damaged[rng.randrange(start, len(damaged))] = rng.randrange(256)
    return bytes(damaged)


def removed(archive, rng):
    gone = rng.choice(zipfile.ZipFile(io.BytesIO(archive)).namelist())
    return rewritten(archive, lambda name, data: None if name == gone else data)


def code(archive, rng):
    """Lines of the code that has the probes: taken out, doubled, moved, with
    another site or another start time."""

    def change(name, data):
        if name.endswith(".debug_pkl"):
            return None  # positions in code that is no longer there
        if not name.endswith(".py") or b"torchprof" not in data:
            return data
        lines = data.split(b"\n")
        probes = [i for i, line in enumerate(lines) if b"torchprof" in line]
        for _ in range(rng.choice([1, 1, 3])):
            at = rng.choice(probes)
            how = rng.randrange(5)
            if how == 0:
                lines[at] = b""
            elif how == 1:
                lines[at] += b"\n" + lines[at]
            elif how == 2:
                other = rng.choice(probes)
                lines[at], lines[other] = lines[other], lines[at]
            elif how == 3:
                site = b"%d" % rng.choice([0, 1, -1, 2**63 - 1, 1 << 20])
                lines[at] = re.sub(rb"\d{9,}", lambda _: site, lines[at])
            else:
                time = b"_%d" % rng.randrange(8)
                lines[at] = re.sub(rb"\b_\d+\b", lambda _: time, lines[at])
        return b"\n".join(lines)

    return rewritten(archive, change)


kind, count, server, folder = sys.argv[1:5]
damage = {f.__name__: f for f in (manifest, truncated, directory, removed, code)}
os.makedirs(folder)
opt, run = (
    ForkServer(tool, server, os.path.join(folder, "log"), folder)
    for tool in ("torchprof-opt", "torchprof-run")
)
calls = (
    (opt, "torchprof-opt", "--check", "x.pt"),
    (opt, "torchprof-opt", "--print-sites", "x.pt"),
    (opt, "torchprof-opt", "--strip", "x.pt", "-o", "out.pt"),
    (opt, "torchprof-opt", "--instrument", "x.pt", "-o", "out.pt"),
    (run, "torchprof-run", "--quiet", "x.pt", "--input", "float[2]", "--input",
     "true", "-o", "out.tprof"),
)
codes = {}
for path in sys.argv[5:]:
    with open(path, "rb") as file:
        archive = file.read()
    for seed in range(int(count)):
        damaged = damage[kind](archive, random.Random(seed))
        with open(os.path.join(folder, "x.pt"), "wb") as file:
            file.write(damaged)
        for server, tool, *words in calls:
            # What these two leave behind is destroyed by LibTorch, too.
            status, text = server(*words, destroy=server is run
                                  or words[0] == "--check")
            codes[status] = codes.get(status, 0) + 1
            left = sorted(set(os.listdir(folder)) - {"log", "x.pt"})
            errors = text.splitlines()
            where = "%s, seed %d, %s %s: " % (
                os.path.basename(path), seed, tool, " ".join(words))
            if status not in (0, 1, 2):
                print(where + "ended with %d" % status, *errors, sep="\n  ")
            elif status and left:
                print(where + "left", *left)
            elif status and not (errors and all(
                    line.startswith((tool + ": error: x.pt: ",
                                     tool + ": error: out.tprof: no profile ",
                                     "torchprof: warning: "))
                    for line in errors)):
                print(where + "said", *errors, sep="\n  ")
            elif left == ["out.pt"]:
                status, text = opt("--print-sites", "out.pt")
                if status:
                    print(where + "wrote what cannot be read: " + text)
            for name in left:
                os.remove(os.path.join(folder, name))
opt.close()
run.close()
print(kind + ":", *("%d with %d" % (n, c) for c, n in sorted(codes.items())))
