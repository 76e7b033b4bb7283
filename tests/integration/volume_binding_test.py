"""Volumes are bound to claims before their Pods, with the real PersistentVolume controller."""

import unittest

from leadline_testbed import ControlPlaneTestCase, Scheduler, objects, wait_for
from leadline_testbed.api import ApiError

SELECTED = "volume.kubernetes.io/selected-node"
BOUND_BY_CONTROLLER = "pv.kubernetes.io/bound-by-controller"
SCHEDULER = "dqn-scheduler"


def storage_class(name, provisioner, **members):
    return {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": name},
            "provisioner": provisioner, "volumeBindingMode": "WaitForFirstConsumer", **members}


def claim(name, storage_class_name, size="1Gi"):
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim",
            "metadata": {"name": name, "namespace": "default"},
            "spec": {"storageClassName": storage_class_name, "accessModes": ["ReadWriteOnce"],
                     "resources": {"requests": {"storage": size}}}}


def volume(name, storage_class_name, node, size="1Gi", claim_of=None):
    spec = {"storageClassName": storage_class_name, "accessModes": ["ReadWriteOnce"],
            "capacity": {"storage": size}, "persistentVolumeReclaimPolicy": "Retain",
            "local": {"path": "/data"},
            "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [
                {"key": "kubernetes.io/hostname", "operator": "In", "values": [node]}]}]}}}
    if claim_of:
        spec["claimRef"] = {"apiVersion": "v1", "kind": "PersistentVolumeClaim",
                            **{key: claim_of["metadata"][key]
                               for key in ("namespace", "name", "uid")}}
    return {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name},
            "spec": spec}


def pod_with(name, *claims):
    return objects.pod(name, scheduler=SCHEDULER, volumes=[
        {"name": f"v{index}", "persistentVolumeClaim": {"claimName": one}}
        for index, one in enumerate(claims)])


class VolumeBindingTest(ControlPlaneTestCase):
    components = ("etcd", "kube-apiserver", "kube-controller-manager", "kwok")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.nodes = cls.plane.add_nodes(3)
        cls.scheduler = Scheduler(cls.plane).start()
        cls.api = cls.plane.api

    def node_of(self, pod):
        return self.api.get("Pod", pod)["spec"].get("nodeName")

    def wait_bound(self, pod):
        return wait_for(f"{pod} on a node", lambda: self.node_of(pod))

    def message_of(self, pod):
        return objects.condition(self.api.get("Pod", pod), "PodScheduled").get("message", "")

    def selected(self, name):
        annotations = self.api.get("PersistentVolumeClaim", name)["metadata"].get("annotations", {})
        return annotations.get(SELECTED)

    def annotate(self, name, value):
        self.api.patch("PersistentVolumeClaim", name,
                       {"metadata": {"annotations": {SELECTED: value}}})

    def make_volume(self, name, storage_class_name, node):
        """What a provisioner does."""
        wanted = self.api.get("PersistentVolumeClaim", name)
        self.api.create(volume(f"made-{name}", storage_class_name, node, claim_of=wanted))

    def test_static_volumes(self):
        self.api.create(storage_class("local", "kubernetes.io/no-provisioner"))
        for node in self.nodes:
            self.api.create(volume(f"pv-{node}", "local", node))
        for index in range(4):
            self.api.create(claim(f"data-{index}", "local"))
        wait_for("free volumes", lambda: all(
            self.api.get("PersistentVolume", f"pv-{n}")["status"]["phase"] == "Available"
            for n in self.nodes))
        for index in range(3):
            self.api.create(pod_with(f"db-{index}", f"data-{index}"))
        used = set()
        for index in range(3):
            node = self.wait_bound(f"db-{index}")
            bound = self.api.get("PersistentVolumeClaim", f"data-{index}")
            self.assertEqual(bound["status"]["phase"], "Bound")
            self.assertEqual(bound["spec"]["volumeName"], f"pv-{node}")
            kept = self.api.get("PersistentVolume", f"pv-{node}")
            self.assertEqual(kept["spec"]["claimRef"]["uid"], bound["metadata"]["uid"])
            self.assertEqual(kept["metadata"]["annotations"][BOUND_BY_CONTROLLER], "yes")
            used.add(node)
        self.assertEqual(used, set(self.nodes))

        # No volume is left; a new one is what the next Pod waits for.
        self.api.create(pod_with("db-3", "data-3"))
        wait_for("a reason", lambda: self.message_of("db-3"))
        self.assertEqual(self.message_of("db-3"),
                         "0/3 nodes are available: 3 node(s) didn't find available persistent "
                         "volumes to bind. preemption: 0/3 nodes are available: 3 "
                         "Preemption is not helpful for scheduling.")
        self.api.create(volume("pv-late", "local", self.nodes[1], size="2Gi"))
        self.assertEqual(self.wait_bound("db-3"), self.nodes[1])

    def test_dynamic_volumes(self):
        self.api.create(storage_class("made", "test.leadline/maker", allowedTopologies=[
            {"matchLabelExpressions": [{"key": "kubernetes.io/hostname",
                                        "values": [self.nodes[2]]}]}]))
        self.api.create(claim("cache", "made"))
        self.api.create(pod_with("shop", "cache"))
        self.assertEqual(wait_for("a node for the claim", lambda: self.selected("cache")),
                         self.nodes[2])
        self.assertFalse(self.node_of("shop"))
        # The provisioner gives up: the Pod is tried again.
        self.annotate("cache", None)
        wait_for("another try", lambda: self.selected("cache"))
        self.assertIn("provisioning failed for PVC", self.message_of("shop"))
        self.assertFalse(self.node_of("shop"))
        self.make_volume("cache", "made", self.nodes[2])
        self.assertEqual(self.wait_bound("shop"), self.nodes[2])

    def test_a_deleted_pod_waits_for_nothing(self):
        self.api.create(storage_class("slow", "test.leadline/maker"))
        self.api.create(claim("slow", "slow"))
        self.api.create(pod_with("first", "slow"))
        node = wait_for("a node for the claim", lambda: self.selected("slow"))
        self.api.delete("Pod", "first")
        # The next Pod of the claim has to go where the volume is being made.
        self.api.create(pod_with("second", "slow"))
        self.make_volume("slow", "slow", node)
        self.assertEqual(self.wait_bound("second"), node)
        with self.assertRaises(ApiError):
            self.api.get("Pod", "first")

    # Troubles that users have had, named by their case ----------------------------------------

    def assert_waits(self, pod, reason):
        wait_for(f"{pod} to wait because of: {reason}", lambda: reason in self.message_of(pod))
        self.assertIsNone(self.node_of(pod))

    def test_c75_a_claim_that_comes_late(self):
        at_once = {"volumeBindingMode": "Immediate"}
        self.api.create(storage_class("c75", "test.leadline/maker", **at_once))
        self.api.create(pod_with("c75", "c75"))
        self.assert_waits("c75", 'persistentvolumeclaim "c75" not found')
        self.api.create(claim("c75", "c75"))
        self.assert_waits("c75", "pod has unbound immediate PersistentVolumeClaims")
        self.make_volume("c75", "c75", self.nodes[0])
        self.assertEqual(self.wait_bound("c75"), self.nodes[0])

    def test_c85_a_volume_of_either_of_two_places(self):
        self.api.create(storage_class("c85", "kubernetes.io/no-provisioner"))
        places = {"either": ["za", "zb"], "one": ["za"]}
        for name, zones in places.items():
            made = self.api.create(claim(f"c85-{name}", "c85"))
            one = volume(f"c85-{name}", "c85", "", claim_of=made)
            one["spec"]["nodeAffinity"]["required"]["nodeSelectorTerms"] = [
                {"matchExpressions": [{"key": "c85", "operator": "In", "values": [zone]}]}
                for zone in zones]
            self.api.create(one)
        self.api.patch("Node", self.nodes[1], {"metadata": {"labels": {"c85": "zb"}}})
        for name in places:
            self.api.create(pod_with(f"c85-{name}", f"c85-{name}"))
        self.assertEqual(self.wait_bound("c85-either"), self.nodes[1])
        self.assert_waits("c85-one", "didn't match PersistentVolume's node affinity")

    def test_c87_a_claim_for_one_pod_only(self):
        self.api.create({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass",
                         "metadata": {"name": "important"}, "value": 1000})
        self.api.create(storage_class("c87", "kubernetes.io/no-provisioner"))
        alone = claim("c87", "c87")
        alone["spec"]["accessModes"] = ["ReadWriteOncePod"]
        made = self.api.create(alone)
        one = volume("c87", "c87", self.nodes[0], claim_of=made)
        one["spec"]["accessModes"] = ["ReadWriteOncePod"]
        self.api.create(one)
        self.api.create(pod_with("c87-first", "c87"))
        self.wait_bound("c87-first")
        self.api.create(pod_with("c87-second", "c87"))
        self.assert_waits("c87-second", "ReadWriteOncePod access mode")
        self.api.delete("Pod", "c87-first")
        self.assertEqual(self.wait_bound("c87-second"), self.nodes[0])
        high = pod_with("c87-high", "c87")
        high["spec"]["priorityClassName"] = "important"
        self.api.create(high)
        self.assertEqual(self.wait_bound("c87-high"), self.nodes[0])
        self.assertIsNone(self.api.find("Pod", "c87-second"))


if __name__ == "__main__":
    unittest.main()
