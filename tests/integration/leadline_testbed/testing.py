"""The base of integration tests: one control plane for a class of tests."""

import unittest

from .control_plane import ALL, ControlPlane


class ControlPlaneTestCase(unittest.TestCase):
    """`components` and `options` say which control plane; logs are printed when a test fails."""

    components = ALL
    options = {}
    plane = None

    @classmethod
    def setUpClass(cls):
        cls.plane = ControlPlane(cls.components, **cls.options).start()
        cls.addClassCleanup(cls.plane.stop)

    def run(self, result=None):
        before = len(result.failures) + len(result.errors) if result else 0
        outcome = super().run(result)
        if result and len(result.failures) + len(result.errors) > before:
            print(self.plane.log_tails(), flush=True)
        return outcome
