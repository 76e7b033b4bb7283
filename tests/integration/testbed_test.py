"""The fixture's own parts: nothing outlives a test, and expositions are read as they are."""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

from leadline_testbed import exposition, free_port, wait_for

_PARENT = """
import pathlib, signal, sys
sys.path.insert(0, sys.argv[1])
from leadline_testbed import Process
from leadline_testbed.processes import end_with_this_process
end_with_this_process()
print(Process("sleep", ["sleep", "600"], pathlib.Path(sys.argv[2]) / "log").start().pid, flush=True)
signal.pause()
"""


def gone(pid):
    """Whether the process has ended, reaped or not."""
    try:
        status = pathlib.Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return True
    return status.rpartition(")")[2].split()[0] == "Z"


class ProcessTest(unittest.TestCase):
    def child_dies_with_parent(self, number):
        with tempfile.TemporaryDirectory() as directory:
            with subprocess.Popen([sys.executable, "-B", "-c", _PARENT,
                                   str(pathlib.Path(__file__).parent), directory],
                                  stdout=subprocess.PIPE, text=True) as parent:
                child = int(parent.stdout.readline())
                self.assertFalse(gone(child))
                os.kill(parent.pid, number)
                parent.wait(30)
                wait_for("the child to end", lambda: gone(child), seconds=30)

    def test_nothing_outlives_kill_9(self):
        self.child_dies_with_parent(signal.SIGKILL)

    def test_nothing_outlives_sigterm(self):
        self.child_dies_with_parent(signal.SIGTERM)

    def test_ports_are_not_given_twice(self):
        ports = [free_port() for _ in range(50)]
        self.assertEqual(len(set(ports)), 50)


class ExpositionTest(unittest.TestCase):
    TEXT = """# TYPE t histogram
t_bucket{job="a",le="0.1"} 5
t_bucket{job="a",le="0.2"} 10
t_bucket{job="a",le="+Inf"} 10
quoted{text="a \\"b\\", c=\\"d\\""} 1e3 1700000000000
"""

    def test_total_adds_what_has_the_labels(self):
        self.assertEqual(exposition.total(self.TEXT, "t_bucket", job="a"), 25)
        self.assertEqual(exposition.total(self.TEXT, "t_bucket", job="b"), 0)
        self.assertEqual(exposition.total(self.TEXT, "quoted"), 1000)

    def test_quantile_is_interpolated(self):
        self.assertAlmostEqual(exposition.histogram_quantile(self.TEXT, "t", 0.75), 0.15)
        self.assertIsNone(exposition.histogram_quantile(self.TEXT, "none", 0.5))

    def test_a_line_of_another_form_is_an_error(self):
        with self.assertRaisesRegex(ValueError, "line 2"):
            exposition.samples("a 1\n<html>\n")


if __name__ == "__main__":
    unittest.main()
