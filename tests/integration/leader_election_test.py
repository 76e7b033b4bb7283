"""Two replicas: one leads, and when it dies, stops or sleeps the other takes over."""

import time
import unittest

from leadline_testbed import ControlPlaneTestCase, Scheduler, objects, wait_for

PODS, NODES = 200, 10
TAKEOVER = 20  # seconds
RETRY = 2


class LeaderElectionTest(ControlPlaneTestCase):
    components = ("etcd", "kube-apiserver", "kube-controller-manager", "kwok")
    # The audit log tells them apart.
    options = {"users": {f"replica-{index}": ["system:masters"] for index in range(2)}}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.plane.add_nodes(NODES, cpu="64", memory="64Gi")

    def setUp(self):
        self.namespace = f"elect-{self._testMethodName.replace('_', '-')[:40]}"
        self.plane.api.create(objects.namespace(self.namespace))
        wait_for("the ServiceAccount", lambda: self.plane.api.find(
            "ServiceAccount", "default", self.namespace))
        self.lease = self.namespace  # one that nobody held before
        self.replicas = [Scheduler(self.plane, user=f"replica-{index}", elect=True,
                                   arguments=["--leader-elect-resource-name", self.lease],
                                   name=f"{self._testMethodName}-{index}").start()
                         for index in range(2)]  # both are ready, the standby too
        for replica in self.replicas:
            self.addCleanup(replica.kill)
        self.leader = wait_for("a leader", self.find_leader)
        self.standby = next(r for r in self.replicas if r is not self.leader)

    def find_leader(self):
        leaders = [r for r in self.replicas if r.metric("leader_election_master_status") == 1]
        self.assertLess(len(leaders), 2)
        return leaders[0] if leaders else None

    def holder(self):
        path = f"/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/{self.lease}"
        return self.plane.api.request("GET", path)["spec"].get("holderIdentity", "")

    def create(self, first, count):
        for index in range(first, first + count):
            self.plane.api.create(objects.pod(f"pod-{index}", namespace=self.namespace))

    def binding_attempts(self, replica):
        """Of the running test; those that the API server refused count, too."""
        user = f"replica-{self.replicas.index(replica)}"
        return sum(event.get("objectRef", {}).get("subresource") == "binding"
                   and event["objectRef"]["namespace"] == self.namespace
                   for event in self.plane.writes(user))

    def wait_bound(self, count, seconds=60):
        wait_for(f"{count} Pods on nodes", seconds=seconds, condition=lambda: sum(
            bool(p["spec"].get("nodeName"))
            for p in self.plane.api.list("Pod", self.namespace)) == count)

    def check_bound_once(self, count):
        def bindings():
            return {pod: n for (namespace, pod), n in self.plane.bindings().items()
                    if namespace == self.namespace}
        # The audit log tells of a binding after the Pod has its node.
        wait_for(f"{count} bindings in the audit log", lambda: len(bindings()) >= count)
        counts = bindings()
        self.assertEqual(len(counts), count)
        self.assertEqual({pod: n for pod, n in counts.items() if n != 1}, {})

    def test_killed(self):
        self.create(0, PODS // 2)
        wait_for("the leader to bind", lambda: self.binding_attempts(self.leader) > 0)
        self.leader.kill()
        killed = time.monotonic()
        self.create(PODS // 2, PODS // 2)
        self.wait_bound(PODS)
        self.assertLess(time.monotonic() - killed, TAKEOVER)
        self.assertEqual(self.standby.metric("leader_election_master_status"), 1)
        self.check_bound_once(PODS)

    def test_stopped(self):
        """The Lease is given up, so the other need not wait for its end."""
        self.create(0, 20)
        self.wait_bound(20)
        self.assertEqual(self.leader.stop(), 0)
        self.assertIn("is released", self.leader.process.log_text())
        stopped = time.monotonic()
        self.create(20, 20)
        self.wait_bound(40)
        self.assertLess(time.monotonic() - stopped, 3.5 * RETRY)
        self.check_bound_once(40)

    def test_asleep(self):
        """A leader that wakes up after its Lease has gone to another binds nothing more."""
        self.create(0, 20)
        self.wait_bound(20)
        before = self.holder()
        self.leader.process.pause()
        wait_for("another holder", lambda: self.holder() not in ("", before), seconds=TAKEOVER + 10)
        wait_for("the audit log", lambda: self.binding_attempts(self.leader) == 20)
        self.create(20, 50)
        self.leader.process.resume()
        self.create(70, 30)
        self.wait_bound(100)
        self.assertEqual(self.leader.process.wait(30), 1)
        self.check_bound_once(100)
        self.assertEqual(self.binding_attempts(self.leader), 20)
        self.assertIn("is lost", self.leader.process.log_text())


if __name__ == "__main__":
    unittest.main()
