"""usage: broken-devices.py DIRECTORY

Makes a directory of LibTorch's libraries, in which the one that names all parts
cannot be loaded, as where a library of the device is not installed."""

import pathlib
import shutil
import subprocess
import sys

made = pathlib.Path(sys.argv[1])
made.mkdir()
lines = subprocess.run(["ldd", shutil.which("torchprof-opt")], check=True,
                       capture_output=True, text=True).stdout.splitlines()
cpu, = [line.split()[2] for line in lines if "libtorch_cpu.so" in line]
origin = pathlib.Path(cpu).parent
for pattern in "libtorch*.so*", "libc10*.so*", "libgomp*.so*":
    for library in origin.glob(pattern):
        (made / library.name).symlink_to(library)
(made / "libtorch.so").unlink()
(made / "libtorch.so").write_text("no library")
