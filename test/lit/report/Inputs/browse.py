"""Opens a local page in headless Chromium and prints the document it became.

Fails if the page's scripts logged an error.
"""

import pathlib
import subprocess
import sys
import tempfile

OPTIONS = """--headless --no-sandbox --disable-gpu --disable-quic --no-first-run
--disable-background-networking --disable-component-update --disable-sync
--virtual-time-budget=5000 --enable-logging=stderr --dump-dom""".split()

page = pathlib.Path(sys.argv[1]).resolve().as_uri()
with tempfile.TemporaryDirectory() as folder:
    result = subprocess.run(
        ["chromium", *OPTIONS, f"--user-data-dir={folder}", page],
        capture_output=True,
        text=True,
        timeout=120,
    )
errors = [line for line in result.stderr.splitlines() if "CONSOLE" in line]
if result.returncode or errors:
    sys.exit(f"chromium: {result.returncode}\n" + "\n".join(errors))
print(result.stdout)
