"""The control plane itself: everything starts, works together, and comes back after a kill."""

import unittest

from leadline_testbed import ControlPlaneTestCase, objects, wait_for

USAGE_MIB = 64


class ControlPlaneTest(ControlPlaneTestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.nodes = cls.plane.add_nodes(12, zones=3)

    def running(self, name):
        def condition():
            pod = self.plane.api.get("Pod", name)
            return pod if pod["status"].get("phase") == "Running" else None
        return wait_for(f"Pod {name} to run", condition)

    def test_nodes_are_spread_over_zones(self):
        zones = [item["metadata"]["labels"][objects.ZONE_LABEL]
                 for item in self.plane.api.list("Node")]
        self.assertEqual(sorted(zones), sorted(["zone-a", "zone-b", "zone-c"] * 4))

    def test_default_scheduler_binds_and_kwok_runs(self):
        self.plane.api.create(objects.pod("bound", scheduler="default-scheduler"))
        pod = self.running("bound")
        self.assertIn(pod["spec"]["nodeName"], self.nodes)
        self.assertTrue(objects.is_true(pod, "PodScheduled"))
        self.assertTrue(objects.is_true(pod, "Ready"))

    def test_pod_created_on_a_node_is_marked_as_scheduled(self):
        self.plane.api.create(objects.pod("placed", node_name=self.nodes[0]))
        self.assertTrue(objects.is_true(self.running("placed"), "PodScheduled"))

    def test_prometheus_has_usage_of_each_node_under_its_own_name(self):
        used = self.nodes[3]
        self.plane.api.create(objects.pod("usage", node_name=used, usage_cpu="500m",
                                          usage_memory=f"{USAGE_MIB}Mi"))
        self.running("usage")

        def memory():
            found = self.plane.prometheus.by_label("node_memory_working_set_bytes")
            if set(found) != set(self.nodes) or found[used] < USAGE_MIB * 2**20:
                return None
            return found
        found = wait_for("memory series of 12 nodes", memory)
        self.assertLess(found[self.nodes[4]], USAGE_MIB * 2**20)
        wait_for("a CPU rate on the used node", lambda: self.plane.prometheus.by_label(
            "rate(node_cpu_usage_seconds_total[10s])").get(used, 0) > 0.4)

    def test_api_server_comes_back_on_its_port(self):
        process = self.plane.process["kube-apiserver"]
        process.kill()
        with self.assertRaises(OSError):
            self.plane.api.list("Node")
        process.start()
        self.plane.wait_api_server()
        self.assertEqual(len(self.plane.api.list("Node")), 12)

    def test_a_user_without_rights_is_refused(self):
        with self.assertRaisesRegex(Exception, "403 Forbidden"):
            self.plane.client("nobody").list("Pod")


if __name__ == "__main__":
    unittest.main()
