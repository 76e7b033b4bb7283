"""The demo's own arithmetic: the table says what was measured, and the world is the same twice."""

import sys
import unittest

from leadline_testbed import paths

sys.path.insert(0, str(paths.SOURCE / "tools" / "demo"))

import comparison  # noqa: E402
import report  # noqa: E402
import workload  # noqa: E402


def result(**changes):
    values = dict(scheduler="s", bindings={"a": (0.010, "n1"), "b": (0.030, "n2")},
                  latency={"n1": 0.020, "n2": 0.040}, cpu={"n1": 0.2, "n2": 0.4},
                  memory={"n1": 0.5, "n2": 0.5}, rejections="1", fallbacks="-")
    return comparison.Result(**{**values, **changes})


class ReportTest(unittest.TestCase):
    def test_rows_say_what_was_measured(self):
        rows = dict(report.rows(70, result()))
        self.assertEqual(rows["Pods bound"], "2 of 70")
        self.assertEqual(rows["time to bind, p50"], "10.0 ms")
        self.assertEqual(rows["time to bind, p99"], "30.0 ms")
        self.assertEqual(rows["mean round trip of chosen nodes"], "30.0 ms")
        self.assertEqual(rows["CPU balance (std. dev. over nodes)"], "10.0 %")
        self.assertEqual(rows["memory balance (std. dev. over nodes)"], "0.0 %")

    def test_what_is_missing_is_not_zero(self):
        rows = dict(report.rows(70, result(bindings={}, latency={}, cpu={})))
        self.assertEqual(rows["time to bind, p99"], "-")
        self.assertEqual(rows["mean round trip of chosen nodes"], "-")
        self.assertEqual(rows["CPU balance (std. dev. over nodes)"], "-")

    def test_quantile_is_by_nearest_rank(self):
        values = list(range(1, 101))
        self.assertEqual(report.quantile(values, 0.99), 99)
        self.assertEqual(report.quantile(values, 0.50), 50)
        self.assertEqual(report.quantile([7], 0.99), 7)

    def test_the_table_has_a_column_for_each_scheduler(self):
        lines = report.table(70, [result(scheduler="ours"), result(scheduler="theirs")]).split("\n")
        self.assertEqual(lines[0].split(), ["ours", "theirs"])
        self.assertEqual(len({len(line) for line in lines}), 1)


class WorkloadTest(unittest.TestCase):
    def test_every_scheduler_gets_the_same_pods(self):
        ours, theirs = workload.pods("a"), workload.pods("b")
        self.assertEqual(len(ours), 70)
        for one, other in zip(ours, theirs):
            other["spec"]["schedulerName"] = "a"
            self.assertEqual(one, other)

    def test_the_pods_fit_beside_the_background(self):
        used = sum(cpu for cpu, _ in workload.BACKGROUND) * workload.CPU_MILLICORES
        pods = workload.NGINX * 150 + workload.SPARK * 1200
        self.assertLess(used + pods, workload.NODES * workload.CPU_MILLICORES)


if __name__ == "__main__":
    unittest.main()
