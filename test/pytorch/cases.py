"""Runs the cases of a module of PyTorch's tests, and notes how each ends.

    cases.py MODULE LOG [CASE...]

A line is appended to LOG when a case begins ("begin ID") and one when it has
ended ("end ID OUTCOME"), so that what a crash leaves is a case without an end.
Cases that LOG has are left out: called again, this goes on behind the crash.
With CASEs, only those. Ends with 0 once nothing is left, however the cases did.
"""

import faulthandler
import importlib
import os
import re
import sys
import traceback
import types
import unittest

#: Seconds after which a case counts as crashed.
LIMIT = 300


class Log(unittest.TestResult):
    """Notes the outcome of the case that runs: the worst of what is said."""

    RANK = ["passed", "skipped", "expected failure", "unexpected success",
            "failed", "error"]

    def __init__(self, file):
        super().__init__()
        self.file = file
        self.outcome = self.RANK[0]

    def write(self, line):
        os.write(self.file, (line + "\n").encode())

    def worsen(self, outcome):
        self.outcome = max(self.outcome, outcome, key=self.RANK.index)

    def startTest(self, test):
        super().startTest(test)
        self.outcome = self.RANK[0]
        self.write("begin " + test.id())
        faulthandler.dump_traceback_later(LIMIT, exit=True)

    def stopTest(self, test):
        faulthandler.cancel_dump_traceback_later()
        self.write("end %s %s" % (test.id(), self.outcome))
        super().stopTest(test)

    def tell(self, test, problem):
        print("%s\n%s" % (test.id(), self._exc_info_to_string(problem, test)),
              file=sys.stderr, flush=True)

    def addError(self, test, problem):
        self.worsen("error")
        self.tell(test, problem)

    def addFailure(self, test, problem):
        self.worsen("failed")
        self.tell(test, problem)

    def addSubTest(self, test, subtest, problem):
        if problem:
            self.addFailure(test, problem)

    def addSkip(self, test, reason):
        self.worsen("skipped")

    def addExpectedFailure(self, test, problem):
        self.worsen("expected failure")

    def addUnexpectedSuccess(self, test):
        self.worsen("unexpected success")


def flat(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from flat(test)
        else:
            yield test


class LeftOut(types.ModuleType):
    """Stands for a file of tests that needs another PyTorch: has no cases."""

    def __getattr__(self, name):
        return object


def supply_dropped_name(problem):
    """Gives a module the name that the tests miss in it, as an empty list: what an
    older PyTorch had for its tests. False if that is not the problem."""
    match = re.match("cannot import name '(\\w+)' from '([\\w.]+)'", str(problem))
    module = match and sys.modules.get(match.group(2))
    if not module or hasattr(module, match.group(1)):
        return False
    print("%s.%s is left out" % (module.__name__, match.group(1)), flush=True)
    setattr(module, match.group(1), [])
    return True


def load(module):
    """The module, without the files that it is put together from (jit/) and that
    cannot be imported."""
    while True:
        try:
            return importlib.import_module(module)
        except Exception as problem:
            if supply_dropped_name(problem):
                continue
            part = None
            for frame, _ in traceback.walk_tb(problem.__traceback__):
                name = frame.f_globals.get("__name__", "")
                if name.startswith("jit."):
                    part = name
            if part is None or part in sys.modules:
                raise
            print("%s is left out: %s" % (part, problem), flush=True)
            sys.modules[part] = LeftOut(part)


def main():
    module, log, wanted = sys.argv[1], sys.argv[2], set(sys.argv[3:])
    # PyTorch's test support reads the command line when it is imported.
    del sys.argv[1:]
    sys.path[0] = os.getcwd()
    faulthandler.enable()
    file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    with open(log) as lines:
        begun = {line.split()[1] for line in lines}
    tests = load(module)
    support = sys.modules.get("torch.testing._internal.common_utils")
    if hasattr(support, "parse_cmd_line_args"):
        support.parse_cmd_line_args()  # which executor there is, for example
    suite = unittest.defaultTestLoader.loadTestsFromModule(tests)
    cases = [test for test in flat(suite)
             if test.id() not in begun and (not wanted or test.id() in wanted)]
    unittest.TestSuite(cases).run(Log(file))


if __name__ == "__main__":
    main()
