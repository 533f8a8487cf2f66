"""Spoils an instrumented model in several ways: damage.py RUNTIME MODEL FOLDER."""

import os
import re
import sys
import zipfile

import torch

runtime, path, folder = sys.argv[1:4]
torch.ops.load_library(runtime)


def edit_code(name, *lines):
    """Takes the lines that match out of the code of the root."""
    source = zipfile.ZipFile(path)
    with zipfile.ZipFile(os.path.join(folder, name), "w") as target:
        for record in source.namelist():
            data = source.read(record)
            if record.endswith(".py") and b"torchprof.begin" in data:
                for line in lines:
                    data, count = re.subn(b"\n    " + line, b"", data)
                    assert count == 1, line
            # Positions in the code that is no longer there.
            if not record.endswith(".debug_pkl"):
                target.writestr(record, data)


end = rb"ops\.torchprof\.end\(%s, [0-9]+\)"
begin = rb"%s = ops\.torchprof\.begin\([0-9]+\)"
edit_code("unbalanced.pt", end % b"_1")
edit_code("missing.pt", begin % b"_6", end % b"_6")

model = torch.jit.load(path)
text = model._torchprof_manifest.text()


def replace_manifest(name, changed):
    model._torchprof_manifest = torch.classes.torchprof.Manifest(changed)
    model.save(os.path.join(folder, name))


replace_manifest("corrupt.pt", text.replace("aten::", "aten:;", 1))
replace_manifest("newer.pt", text.replace("manifest 2", "manifest 3", 1))
replace_manifest("older.pt", text.replace("manifest 2", "manifest 1", 1))
