"""Checks that two archives hold the same extra files, and lists them."""

import sys
import zipfile


def extra(path):
    archive = zipfile.ZipFile(path)
    return {
        name.split("/extra/", 1)[1]: archive.read(name)
        for name in archive.namelist()
        if "/extra/" in name
    }


first, second = extra(sys.argv[1]), extra(sys.argv[2])
if first != second:
    sys.exit("other extra files: %s %s" % (sorted(first), sorted(second)))
for name in sorted(first):
    print(name, len(first[name]), "bytes")
