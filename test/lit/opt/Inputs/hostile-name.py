"""Saves a model with a module whose name is an escape character: hostile-name.py OUT.pt.
LibTorch calls it "0"; the new name has the same size."""

import io
import sys
import zipfile

import torch


class Rows(torch.nn.Module):
    def forward(self, x):
        return x.reshape([x.size(0), -1])


saved = io.BytesIO()
model = torch.nn.Sequential(Rows())
torch.jit.save(torch.jit.script(model.eval()), saved)
source = zipfile.ZipFile(saved)
renamed = set()
with zipfile.ZipFile(sys.argv[1], "w") as target:
    for record in source.namelist():
        data = old = source.read(record)
        if record.endswith(".py"):
            data = old.replace(b'"0"', b'"\x1b"')
        elif record.endswith("/data.pkl"):
            data = old.replace(b"X\1\0\0\0" b"0", b"X\1\0\0\0\x1b")
        if data != old:
            renamed.add(record.rpartition(".")[2])
        target.writestr(record, data)
assert renamed == {"py", "pkl"}, renamed
