"""Opens a local page in headless Chromium and prints the document it became.

  browse.py PAGE [SCRIPT]
  browse.py --width=PIXELS PAGE SCRIPT

SCRIPT is run in the page half a second after it was loaded: it does what a
reader does, say, a click. Fails if a script logged an error. The width is that of a report's
page: Chromium has no window below 500 pixels.
"""

import pathlib
import subprocess
import sys
import tempfile

OPTIONS = """--headless --no-sandbox --disable-gpu --disable-quic --no-first-run
--disable-background-networking --disable-component-update --disable-sync
--virtual-time-budget=5000 --enable-logging=stderr --dump-dom""".split()

style = ""
if sys.argv[1].startswith("--width="):
    style = "<style>html { width: %spx; }</style>" % sys.argv.pop(1)[8:]
page = pathlib.Path(sys.argv[1]).resolve()
with tempfile.TemporaryDirectory() as folder:
    if len(sys.argv) > 2:
        text, end = page.read_text(), ""
        if page.suffix == ".svg":
            text, end = text.rpartition("</svg>")[0], "</svg>"
        text = text.replace("</head>", style + "</head>")
        script = (f"<script>/*<![CDATA[*/setTimeout(() => {{ {sys.argv[2]} }}, "
                  f"500)/*]]>*/</script>")
        copy = pathlib.Path(folder) / page.name
        copy.write_text(text + script + end)
        page = copy
    result = subprocess.run(
        ["chromium", *OPTIONS, f"--user-data-dir={folder}/user", page.as_uri()],
        capture_output=True,
        text=True,
        timeout=120,
    )
errors = [line for line in result.stderr.splitlines() if "CONSOLE" in line]
if result.returncode or errors:
    sys.exit(f"chromium: {result.returncode}\n" + "\n".join(errors))
print(result.stdout)
