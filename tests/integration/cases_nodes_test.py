"""Cases of what nodes offer and which nodes Pods want (cases/__init__.py)."""

import random
import time
import unittest

from cases import CasesTestCase
from leadline_testbed import objects, wait_for

AFFINITY = "node(s) didn't match Pod's node affinity/selector"


class NodeCasesTest(CasesTestCase):
    # Resources -------------------------------------------------------------------------------

    def test_c01_sidecars_count_while_they_start_and_after(self):
        self.api.create({"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass",
                         "metadata": {"name": "c01"}, "handler": "c01",
                         "overhead": {"podFixed": {"cpu": "250m"}}})
        first, second, sidecar = ({"name": name, "image": "any", **more,
                                   "resources": {"requests": {"cpu": cpu}}}
                                  for name, cpu, more in (
                                      ("i1", "100m", {}), ("i2", "3", {}),
                                      ("s1", "500m", {"restartPolicy": "Always"})))
        orders = {"3750": [first, sidecar, second], "3250": [second, first, sidecar]}
        for need, containers in orders.items():
            for free, fits in ((int(need), True), (int(need) - 10, False)):
                node = self.node(f"free-{free}", cpu="4")
                self.placed(f"filler-{free}", node, cpu=f"{4000 - free}m")
                name = self.pod(f"needs-{need}-of-{free}", on=f"free-{free}", cpu="2",
                                initContainers=containers, runtimeClassName="c01")
                if fits:
                    self.assert_bound(name)
                else:
                    self.assert_waits(name, "Insufficient cpu")

    def test_c03_exponents_in_quantities(self):
        self.node("memory", memory="129e6")
        self.node("cpu", cpu="1E3")
        self.assert_waits(self.pod("too-much", on="memory", memory="129000001"),
                          "Insufficient memory")
        self.assert_bound(self.pod("exact", on="memory", memory="129M"))
        self.assert_bound(self.pod("thousand", on="cpu", cpu="1000"))
        self.assert_waits(self.pod("one-more", on="cpu", cpu="1m"), "Insufficient cpu")

    def test_c05_zero_of_something(self):
        node = self.node("overbooked", cpu="2")
        self.placed("booked", node, cpu="2500m")
        widget = "example.com/widget"
        self.assert_bound(self.pod("no-request", on="overbooked"))
        self.assert_bound(self.pod("no-widget", on="overbooked", requests={widget: "0"}))
        self.assert_waits(self.pod("widget", on="overbooked", requests={widget: "1"}),
                          f"Insufficient {widget}")
        self.assert_waits(self.pod("little", on="overbooked", cpu="1m"), "Insufficient cpu")
        last = self.node("last-slot", pods=3)
        for index in range(2):
            self.placed(f"slot-{index}", last)
        names = [self.pod(f"zero-{index}", on="last-slot") for index in range(3)]
        places = wait_for("one of three to be bound", lambda: [
            place for place in map(self.place_of, names) if place])
        for name in names:
            if not self.place_of(name):
                self.assert_waits(name, "Too many pods")
        self.assertEqual(places, [last])
        self.assertEqual([place for place in map(self.place_of, names) if place], [last])

    def test_c07_resize_in_place(self):
        for name, spec, status, condition in (
                ("down", "1", "3", None), ("up", "3", "1", None),
                ("infeasible", "3", "2500m", "Infeasible")):
            node = self.node(name, cpu="4")
            resized = self.placed(f"{name}-a", node, cpu=spec)
            self.set_resources(resized, status, condition)
            waiting = self.pod(f"{name}-b", on=name, cpu="2")
            self.assert_waits(waiting, "Insufficient cpu")
            if name != "up":  # there the spec says 3, whatever is in force
                self.set_resources(resized, "1", condition)
                self.assert_bound(waiting)

    def set_resources(self, pod, cpu, pending_reason):
        conditions = [{"type": "PodResizePending", "status": "True", "reason": pending_reason}]
        self.write_status(pod, conditions=conditions if pending_reason else [], containerStatuses=[{
            "name": "main", "image": "nginx", "imageID": "", "ready": True, "restartCount": 0,
            "state": {"running": {}}, "allocatedResources": {"cpu": cpu},
            "resources": {"requests": {"cpu": cpu}}}])

    def test_c91_thirty_pods_for_four_places(self):
        nodes = [self.node(name, memory="70Gi") for name in ("a", "b")]
        names = [self.pod(f"big-{index}", memory="32Gi") for index in range(30)]

        def settled():
            pods = [self.api.get("Pod", name) for name in names]
            bound = [pod["spec"]["nodeName"] for pod in pods if pod["spec"].get("nodeName")]
            told = sum("Insufficient memory" in objects.condition(pod, "PodScheduled").get(
                "message", "") for pod in pods)
            return bound if len(bound) + told == len(names) else None
        self.assertEqual(sorted(wait_for("all to be bound or told", settled)), sorted(2 * nodes))

    # Nodes -----------------------------------------------------------------------------------

    def test_c09_gt_and_lt_take_whole_numbers(self):
        for value in ("500", "150", "abc", "9223372036854775808"):
            self.node(f"at-{value}", labels={"size": value})
        self.node("at-none")

        def asks(name, operator, value, count=1):
            term = {"matchExpressions": [{"key": "size", "operator": operator, "values": [value]}]}
            spread = [{"topologyKey": "node", "maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule",
                       "labelSelector": {"matchLabels": {"group": name}}}]
            return [self.pod(f"{name}-{index}", labels={"group": name},
                             topologySpreadConstraints=spread,
                             affinity={"nodeAffinity": {
                                 "requiredDuringSchedulingIgnoredDuringExecution":
                                 {"nodeSelectorTerms": [term]}}}) for index in range(count)]
        self.assertEqual({self.assert_bound(name) for name in asks("gt150", "Gt", "150", 2)},
                         {"c09-at-500"})
        self.assertEqual({self.assert_bound(name) for name in asks("lt200", "Lt", "200", 2)},
                         {"c09-at-150"})
        # One on each: the spread counts only nodes that the Pod may go to.
        self.assertEqual({self.assert_bound(name) for name in asks("gt0", "Gt", "0", 2)},
                         {"c09-at-500", "c09-at-150"})
        self.assert_waits(*asks("decimal", "Gt", "150.1"), AFFINITY)

    def test_c11_toleration_without_a_key(self):
        tainted = self.node("tainted", taints=[{"key": "k", "value": "v", "effect": "NoExecute"}])
        self.node("full", pods=0)
        for index, (toleration, tolerated) in enumerate((
                ({"operator": "Exists", "effect": "NoSchedule"}, False),
                ({"operator": "Exists"}, True),
                ({"key": "k"}, False),
                ({"key": "k", "value": "v"}, True),
                ({"key": "k", "operator": "Exists"}, True))):
            name = self.pod(f"pod-{index}", tolerations=[toleration])
            if tolerated:
                self.assert_bound(name, tainted)
            else:
                self.assert_waits(name, "1 node(s) had untolerated taint(s)")

    def test_c13_cordoned_without_the_taint(self):
        node = self.node("cordoned")
        self.api.patch("Node", node, {"spec": {"unschedulable": True}})
        plain = self.pod("plain")
        self.assert_waits(plain, "1 node(s) were unschedulable")
        self.assert_bound(self.pod("tolerant", tolerations=[{
            "key": "node.kubernetes.io/unschedulable", "operator": "Exists",
            "effect": "NoSchedule"}]))
        self.api.patch("Node", node, {"spec": {"unschedulable": False}})
        self.assert_bound(plain)

    def test_c19_the_event_that_comes_while_the_pod_is_judged(self):
        waiting = {}
        for index in range(10):
            node = self.node(f"n{index}")
            waiting[node] = self.pod(f"pod-{index}", nodeSelector={"node": f"n{index}",
                                                                   "disk": "ssd"})
            time.sleep(random.uniform(0, 0.05))  # somewhere before, in or after the attempt
            self.api.patch("Node", node, {"metadata": {"labels": {"disk": "ssd"}}})
        for node, name in waiting.items():
            self.assert_bound(name, node)

    def test_c73_a_toleration_is_added(self):
        self.node("tainted", taints=[{"key": "k", "value": "v", "effect": "NoSchedule"}])
        cordoned = self.node("cordoned")
        self.api.patch("Node", cordoned, {"spec": {"unschedulable": True}})
        for on, reason in (("tainted", "untolerated taint"), ("cordoned", "were unschedulable")):
            name = self.pod(f"for-{on}", on=on)
            self.assert_waits(name, reason)
            tolerations = self.api.get("Pod", name)["spec"]["tolerations"]
            self.api.patch("Pod", name, {"spec": {"tolerations": [
                *tolerations, {"operator": "Exists"}]}})
            self.assert_bound(name)


if __name__ == "__main__":
    unittest.main()
