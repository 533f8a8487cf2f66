"""Puts an escape sequence into the name of the source: hostile.py IN.pt OUT.pt."""

import sys
import zipfile

source = zipfile.ZipFile(sys.argv[1])
found = False
with zipfile.ZipFile(sys.argv[2], "w") as target:
    for record in source.namelist():
        data = source.read(record)
        found |= b"models.py" in data
        target.writestr(record, data.replace(b"models.py", b"mo\x1b[2J.py"))
assert found
