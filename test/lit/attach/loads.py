"""An attached process notes each TorchScript file that it loads, and no other
file; what cannot be loaded raises what it raises without torchprof."""
# UNSUPPORTED: asan, tsan
# RUN: rm -rf %t && mkdir %t && cd %t
# RUN: %python -W ignore %s > alone.txt
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_FILE=p.tprof \
# RUN:   %python -W ignore %s > attached.txt
# RUN: diff alone.txt attached.txt
# RUN: FileCheck --check-prefix=FREED %s --input-file=attached.txt
# FREED: freed with threads: True
# RUN: torchprof-report runs p.tprof --limit=0 | FileCheck %s
# RUN: torchprof-report check p.tprof
# Times are those of the process.
# RUN: torchprof-report convert p.tprof -o p.json && %python %s p.json
# A late library writes slots instead of being preloaded.
# RUN: env TORCHPROF_FILE=late.tprof \
# RUN:   %python -W ignore %s late %build/lib/libtorchprof_attach.so > late.txt
# RUN: diff alone.txt late.txt
# RUN: torchprof-report runs late.tprof --limit=0 | FileCheck %s
# A process that only loads makes no profile, nor does one with torchprof off.
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_FILE=none.tprof \
# RUN:   %python -W ignore -c "import torch; torch.jit.load('model.pt')"
# RUN: not ls none.tprof
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_FILE=off.tprof \
# RUN:   TORCHPROF=off %python -W ignore %s > off.txt
# RUN: diff alone.txt off.txt
# RUN: not ls off.tprof
# A host in C++, which gives LibTorch an adapter.
# RUN: torchprof-run --quiet model.pt --input 'float[2,4]' --runs 1 -o cpp.tprof
# RUN: torchprof-report runs cpp.tprof | FileCheck --check-prefix=CPP %s
# CHECK: files that LibTorch loaded
# CHECK-NEXT: file began (UTC) time thread
# CHECK-NEXT: ---
# CHECK-NEXT: model.pt {{.*}}s lane 0
# CHECK-NEXT: model.pt {{.*}}s lane 0
# CHECK-NEXT: - {{.*}}s lane 0
# CHECK-NEXT: - {{.*}}s lane 0
# CHECK-NEXT: model.pt {{.*}}s lane 0
# CHECK-NEXT: model.pt {{.*}}s thread
# CHECK-EMPTY:
# CHECK-NEXT: Loads 6{{$}}
# CHECK-NEXT: Time
# CPP: model.pt {{.*}}s lane 0
# CPP: Loads 1{{$}}

import ctypes
import io
import json
import sys
import threading
import zipfile

if sys.argv[1:] and sys.argv[1] != "late":
    profile = json.load(open(sys.argv[1]))
    process = profile["process"]
    end = 0
    for load in profile["loads"]:
        assert load["begin"] > process["start_ticks"] - 60 * process["ticks_per_second"]
        assert load["begin"] >= end, "one after the other"
        assert load["ticks"] > 0, load
        end = load["begin"] + load["ticks"]
    assert end < process["end_ticks"]
    sys.exit()

import torch

if sys.argv[1:]:
    ctypes.CDLL(sys.argv[2])


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x) + 1


def attempt(what, load, *arguments):
    try:
        print(what, type(load(*arguments)).__name__)
    except Exception as error:
        print(what, type(error).__name__, str(error).splitlines()[0])


# Saving is no load, and what torch.save writes is no TorchScript.
torch.jit.script(Model()).save("model.pt")
torch.save(torch.ones(3), "tensor.pt")
data = open("model.pt", "rb").read()
open("broken.pt", "wb").write(data[: len(data) // 2])
# An archive that is whole but holds an operator that nobody has.
with zipfile.ZipFile("model.pt") as archive, zipfile.ZipFile("unknown.pt", "w") as out:
    for item in archive.infolist():
        out.writestr(item.filename, archive.read(item).replace(b"torch.relu", b"torch.rulu"))

class Allocated(ctypes.Structure):
    """glibc's struct mallinfo2."""
    _fields_ = [(name, ctypes.c_size_t) for name in
                "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks "
                "fordblks keepcost".split()]


def bytes_in_use():
    libc = ctypes.CDLL(None)
    libc.mallinfo2.restype = Allocated
    return libc.mallinfo2().uordblks


def on_thread(work):
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()


def open_reader():
    held.append(torch._C.PyTorchFileReader("model.pt"))


# A reader that ends on another thread is no load, and those that are open
# meanwhile are none either, however many there are. Nothing is kept for a
# thread that has ended before its reader.
held = []
open_reader()
on_thread(held.clear)
for count in (20, 200):
    before = bytes_in_use()
    for _ in range(count):
        on_thread(open_reader)
        held.clear()
print("freed with threads:", bytes_in_use() - before < 200 * 1000)
held = [torch._C.PyTorchFileReader("tensor.pt") for _ in range(40)]

attempt("first", torch.jit.load, "model.pt")
held.clear()
attempt("second", torch.jit.load, "model.pt")
attempt("tensor", torch.load, "tensor.pt")
attempt("broken", torch.jit.load, "broken.pt")
attempt("none", torch.jit.load, "nosuch.pt")
attempt("unknown", torch.jit.load, "unknown.pt")
attempt("memory", torch.jit.load, io.BytesIO(data))
attempt("tensors in memory", torch.load, io.BytesIO(open("tensor.pt", "rb").read()))
# torch.load opens the archive and hands it to jit.load.
print("by torch.load", type(torch.load("model.pt", weights_only=False)).__name__)
model = torch.jit.load("model.pt")
on_thread(lambda: torch.jit.load("model.pt"))
print(model(torch.ones(2)).tolist())
