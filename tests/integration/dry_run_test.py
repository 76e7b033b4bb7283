"""Dry run: decisions are made and logged, and not one write reaches the API server."""

import json
import unittest

from leadline_testbed import (ControlPlaneTestCase, configuration, objects, start_scheduler,
                              wait_for)

PODS, NODES = 20, 4
USER = "system:kube-scheduler"  # no kube-scheduler runs here, so all its requests are ours


class DryRunTest(ControlPlaneTestCase):
    components = ("etcd", "kube-apiserver", "kube-controller-manager", "kwok", "prometheus")

    def test_decisions_are_logged_and_nothing_is_written(self):
        nodes = self.plane.add_nodes(NODES)
        scheduler = start_scheduler(self.plane, config=configuration.copy(self.plane),
                                    arguments=["--dry-run"], user=USER)
        for index in range(PODS):
            self.plane.api.create(objects.pod(f"pod-{index}"))
        targets = self.plane.directory / "decisions" / "targets.log"

        def decided():
            if not targets.exists():
                return None
            lines = [json.loads(line) for line in targets.read_text().splitlines()]
            return lines if len({line["pod"] for line in lines}) == PODS else None
        lines = wait_for(f"decisions on {PODS} Pods", decided)
        scheduler.stop()

        for line in lines:
            self.assertEqual(set(line["candidates"]), set(nodes))
            self.assertTrue(line["id"])
        self.assertEqual([event["requestURI"] for event in self.plane.writes(USER)], [])
        for pod in self.plane.api.list("Pod", "default"):
            self.assertNotIn("nodeName", pod["spec"])
            self.assertEqual(objects.condition(pod, "PodScheduled"), {})


if __name__ == "__main__":
    unittest.main()
