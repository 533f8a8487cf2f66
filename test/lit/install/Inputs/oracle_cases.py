"""Cases that end in every way, for pytorch.test."""

import os
import unittest

ATTACHED = "preload" in os.environ.get("LD_PRELOAD", "")
left_behind = []


class Cases(unittest.TestCase):
    def test_crash(self):
        os.abort()

    def test_differs(self):
        self.assertFalse(ATTACHED)

    def test_fails(self):
        self.fail()

    def test_known(self):
        self.assertFalse(ATTACHED)

    def test_leaves(self):
        left_behind.append(1)

    def test_passes(self):
        pass

    def test_sees_what_another_left(self):
        self.assertFalse(ATTACHED and left_behind)

    @unittest.skip("always")
    def test_skips(self):
        pass
