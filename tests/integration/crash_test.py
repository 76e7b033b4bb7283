"""Crashes in the middle of 500 arriving Pods: each is bound exactly once, no node is overfull."""

import threading
import time
import unittest

from leadline_testbed import ControlPlaneTestCase, objects, start_scheduler, wait_for

PODS, NODES = 500, 20
POD_CPU, NODE_CPU = 100, 3000  # millicores: the Pods fill five sixths of the nodes
ARRIVALS_PER_SECOND = 100


class CrashTest(ControlPlaneTestCase):
    components = ("etcd", "kube-apiserver", "kube-controller-manager", "kwok")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.plane.add_nodes(NODES, cpu=f"{NODE_CPU}m", memory="64Gi")

    def setUp(self):
        self.namespace = f"crash-{self._testMethodName.replace('_', '-')[:40]}"
        self.plane.api.create(objects.namespace(self.namespace))
        wait_for("the ServiceAccount", lambda: self.plane.api.find(
            "ServiceAccount", "default", self.namespace))
        self.scheduler = start_scheduler(self.plane, name=self._testMethodName)
        self.addCleanup(lambda: self.plane.api.delete_all("Pod", self.namespace))
        self.addCleanup(self.scheduler.kill)

    def create_pods(self):
        """Keeps trying while the API server is away, as controllers do."""
        started = time.monotonic()
        for index in range(PODS):
            time.sleep(max(0.0, started + index / ARRIVALS_PER_SECOND - time.monotonic()))
            name = f"pod-{index}"
            pod = objects.pod(name, namespace=self.namespace, cpu=f"{POD_CPU}m")
            wait_for(f"{name} to be created", lambda pod=pod: self.created(pod), seconds=60)
        self.plane.api.close()

    def created(self, pod):
        name = pod["metadata"]["name"]
        return self.plane.api.find("Pod", name, self.namespace) or self.plane.api.create(pod)

    def bound(self):
        return [pod for pod in self.plane.api.list("Pod", self.namespace)
                if pod["spec"].get("nodeName")]

    def crash_while_pods_arrive(self, crash):
        arrivals = threading.Thread(target=self.create_pods)
        arrivals.start()
        try:
            in_the_middle = len(wait_for("150 Pods to be bound", lambda: (
                lambda pods: pods if len(pods) >= 150 else None)(self.bound())))
            crash()
            self.assertLess(in_the_middle, PODS, "the crash came too late to prove anything")
        finally:
            arrivals.join()
        wait_for(f"all {PODS} Pods to be bound", lambda: len(self.bound()) == PODS, seconds=180)
        self.check_bound_once()
        self.check_nodes_are_not_overfull()

    def check_bound_once(self):
        """By the API server's audit log; a kill -9 of it may lose a line, never add one."""
        counts = {pod: count for (namespace, pod), count in self.plane.bindings().items()
                  if namespace == self.namespace}
        self.assertEqual({pod: count for pod, count in counts.items() if count != 1}, {})
        self.assertGreater(len(counts), PODS * 0.9)

    def check_nodes_are_not_overfull(self):
        used = {}
        for pod in self.bound():
            node = pod["spec"]["nodeName"]
            used[node] = used.get(node, 0) + POD_CPU
        self.assertEqual({node: cpu for node, cpu in used.items() if cpu > NODE_CPU}, {})

    def test_scheduler_killed(self):
        def crash():
            self.scheduler.kill()
            self.scheduler.start(wait=False)
        self.crash_while_pods_arrive(crash)

    def test_api_server_away_for_5_seconds(self):
        def crash():
            process = self.plane.process["kube-apiserver"]
            process.kill()
            time.sleep(5)  # the length of the outage, not a wait for something
            process.start()
            self.plane.wait_api_server()
        self.crash_while_pods_arrive(crash)


if __name__ == "__main__":
    unittest.main()
