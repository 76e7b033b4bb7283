"""Prometheus goes away in the middle: scheduling goes on, and the fallback is counted and said."""

import itertools
import unittest

from leadline_testbed import (ControlPlaneTestCase, agents, configuration, objects,
                              start_scheduler, wait_for)

NODES = 4


class OutageTest(ControlPlaneTestCase):
    components = ("etcd", "kube-apiserver", "kube-controller-manager", "kwok", "prometheus")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        nodes = cls.plane.add_nodes(NODES)
        cls.plane.set_scrape_targets(
            agents.start_agents(cls.plane, nodes, agents.loopback_places(NODES)))
        cls.scheduler = start_scheduler(cls.plane, config=configuration.copy(
            cls.plane, edits=[("metrics.yaml", "# max_age: 1m   ", "max_age: 5s   ")]))
        cls.numbers = itertools.count()

    def place_a_pod(self):
        """Creates a Pod, waits until it is bound, and returns how many fallbacks that took."""
        before = self.scheduler.metric("leadline_fallbacks_total")
        name = f"pod-{next(self.numbers)}"
        self.plane.api.create(objects.pod(name))
        wait_for(f"{name} to be bound",
                 lambda: self.plane.api.get("Pod", name)["spec"].get("nodeName"))
        return self.scheduler.metric("leadline_fallbacks_total") - before

    def wait_measured(self):
        wait_for("a decision of the network, without a fallback",
                 lambda: self.place_a_pod() == 0, interval=1)

    def test_scheduling_goes_on_without_prometheus(self):
        self.wait_measured()
        prometheus = self.plane.process["prometheus"]
        prometheus.kill()
        wait_for("a decision by the fallback", lambda: self.place_a_pod() > 0, interval=1)
        self.assertGreater(self.place_a_pod(), 0)
        self.assertRegex(self.scheduler.process.log_text(), "(?i)prometheus")
        prometheus.start()
        self.wait_measured()


if __name__ == "__main__":
    unittest.main()
