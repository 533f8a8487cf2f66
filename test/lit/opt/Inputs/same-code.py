"""Checks that two archives hold the same code and the same state."""

import pickletools
import sys
import zipfile

# Which objects get a number to refer to depends on who else holds them while
# they are saved; what they are does not.
MEMO = ("BINPUT", "LONG_BINPUT", "BINGET", "LONG_BINGET", "MEMOIZE")


def contents(name, data):
    if not name.endswith(".pkl"):
        return data
    return [
        (opcode.name, argument)
        for opcode, argument, _ in pickletools.genops(data)
        if opcode.name not in MEMO
    ]


def records(path):
    archive = zipfile.ZipFile(path)
    return {
        name.split("/", 1)[1]: contents(name, archive.read(name))
        for name in archive.namelist()
        # Positions in the code and the serial number of the file differ.
        if not name.endswith(".debug_pkl") and ".data/" not in name
    }


first, second = records(sys.argv[1]), records(sys.argv[2])
if first.keys() != second.keys():
    sys.exit("other records: %s" % sorted(first.keys() ^ second.keys()))
for name in sorted(first):
    if first[name] != second[name]:
        sys.exit("other contents: " + name)
if not any(name.startswith("code/") for name in first):
    sys.exit("no code to compare")
