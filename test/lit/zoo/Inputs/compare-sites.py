"""Prints what the check of attached processes finds in the profiles of a model's
instrumented file and of the attached model: compare-sites.py FOLDER-OF-CHECKS WORK MODEL."""

import argparse
import sys

sys.path.insert(0, sys.argv[1])
from observed import compare_sites

found = compare_sites(argparse.Namespace(work=sys.argv[2]),
                      {"name": sys.argv[3], "properties": []},
                      "file", "attached", False, {})
print("%s: %s" % (sys.argv[3], "; ".join(found) or "fine"))
