"""Troubles that users of schedulers have really had, each on the real control plane.

A test is named by its case. All go through a proxy that can lose what the API server answers.
Each has nodes of its own, which its Pods select by a label.
"""

import json
import random
import re
import threading
import time
import unittest

from leadline_testbed import ApiProxy, ControlPlaneTestCase, objects, start_scheduler, wait_for

AFFINITY = "node(s) didn't match Pod's node affinity/selector"
WOKEN_SECONDS = 30  # the longest back-off is 10 s; the sweep that helps the lost comes after 300 s
BINDING_SECONDS = 45  # more than one call may take


class CasesTest(ControlPlaneTestCase):
    components = ("etcd", "kube-apiserver")
    options = {"disabled_admission": ("TaintNodesByCondition",)}  # nobody would take the taint away

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.api = cls.plane.api
        cls.api.create({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass",
                        "metadata": {"name": "important"}, "value": 1000})
        cls.proxy = ApiProxy(cls.plane)
        cls.addClassCleanup(cls.proxy.close)
        cls.scheduler = start_scheduler(
            cls.plane, kubeconfig=cls.proxy.kubeconfig(cls.plane, "system:kube-scheduler"))

    def setUp(self):
        self.case = re.match(r"test_(c\d+)", self._testMethodName)[1]
        self.addCleanup(self.clear)

    def clear(self):
        self.proxy.intercept = None
        self.proxy.mend()
        self.api.delete_all("Pod")
        self.api.delete_all("Node", None)
        self.wait_until_booked(0)

    # Parts -----------------------------------------------------------------------------------

    def node(self, name, labels=None, allocatable=None, **options):
        """A node of this case; `allocatable` as it is, whatever the capacity says."""
        item = objects.node(f"{self.case}-{name}", labels={"case": self.case, **(labels or {})},
                            **options)
        item["metadata"]["labels"]["node"] = name
        item["status"]["allocatable"].update(allocatable or {})
        self.api.create(item)
        self.wait_until_booked(len(self.api.list("Node")))
        return item["metadata"]["name"]

    def wait_until_booked(self, nodes):
        """Nodes and Pods come by different watches: a Pod may be judged before a node is known."""
        wait_for(f"the scheduler to know of {nodes} nodes", lambda: self.booked("nodes") == nodes,
                 interval=0.01)

    def booked(self, kind):
        """How many of a kind the scheduler has in its books."""
        return [value for name, labels, value in self.scheduler.metrics()
                if name == "scheduler_cache_size" and labels["type"] == kind][0]

    def pod(self, name, on=None, cpu=None, memory=None, requests=None, **options):
        """A Pod of this case, for any node or for one of the names given to node()."""
        selector = {"case": self.case, **({"node": on} if on else {})}
        item = objects.pod(f"{self.case}-{name}", cpu=cpu, memory=memory,
                           **{"nodeSelector": selector, "terminationGracePeriodSeconds": 0,
                              **options})
        if requests:
            resources = item["spec"]["containers"][0]["resources"]
            resources["requests"].update(requests)
            resources["limits"] = {key: value for key, value in requests.items() if "/" in key}
        return self.api.create(item)["metadata"]["name"]

    def placed(self, name, node, **options):
        """A Pod that somebody else has put on a node."""
        return self.pod(name, node_name=node, scheduler="default-scheduler", nodeSelector={},
                        **options)

    def place_of(self, name):
        return self.api.get("Pod", name)["spec"].get("nodeName")

    def assert_bound(self, name, *nodes, seconds=WOKEN_SECONDS):
        node = wait_for(f"{name} to be bound", lambda: self.place_of(name), seconds=seconds)
        if nodes:
            self.assertIn(node, nodes, name)
        return node

    def assert_waits(self, name, reason):
        """Until it is told why it waits."""
        def told():
            condition = objects.condition(self.api.get("Pod", name), "PodScheduled")
            return reason in condition.get("message", "") and condition["status"] == "False"
        wait_for(f"{name} to wait because of: {reason}", told, seconds=WOKEN_SECONDS)
        self.assertIsNone(self.place_of(name))

    def write_status(self, name, **status):
        self.api.patch("Pod", name, {"status": status}, subresource="status")

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

    # Other Pods ------------------------------------------------------------------------------

    def zone_term(self, **labels):
        return {"topologyKey": "zone", "labelSelector": {"matchLabels": labels}}

    def affinity(self, kind, *terms):
        return {kind: {"requiredDuringSchedulingIgnoredDuringExecution": list(terms)}}

    def test_c15_several_terms_and_the_first_of_a_group(self):
        front = {"labels": {"app": "web", "tier": "fe"}, "affinity": self.affinity(
            "podAffinity", self.zone_term(app="web"), self.zone_term(tier="fe"))}
        self.node("no-zone")
        self.assert_waits(self.pod("without-key", **front), "didn't match pod affinity rules")
        za = self.node("za", labels={"zone": "za"})
        self.placed("half-a-match", za, labels={"app": "web"})
        zb = self.node("zb", labels={"zone": "zb"})
        places = {self.assert_bound("c15-without-key", za, zb)}
        places |= {self.assert_bound(self.pod(f"next-{index}", **front)) for index in range(2)}
        self.assertEqual(len(places), 1)
        self.node("zc", labels={"zone": "zc"})
        self.placed("broken", "c15-zc", labels={"a": "1"})
        self.assert_waits(self.pod("one-term-is-enough", on="zc", affinity=self.affinity(
            "podAntiAffinity", self.zone_term(a="1"), self.zone_term(b="1"))),
            "didn't match pod anti-affinity rules")

    def test_c17_a_zone_that_nobody_may_enter(self):
        for zone in ("za", "zb", "zc"):
            closed = [{"key": "closed", "effect": "NoSchedule"}] if zone == "zc" else []
            node = self.node(zone, labels={"zone": zone}, taints=closed)
            if not closed:
                self.placed(f"in-{zone}", node, labels={"app": "web"})
        unlabelled = self.node("unlabelled")
        for index in range(3):
            self.placed(f"uncounted-{index}", unlabelled, labels={"app": "web"})

        def spread(name, match=None, **constraint):
            options = {}
            if match:
                options["affinity"] = {"nodeAffinity": {
                    "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
                        {"matchExpressions": [{"key": "zone", "operator": "In",
                                               "values": match}]}]}}}
            return self.pod(name, labels={"app": "web"}, topologySpreadConstraints=[{
                "topologyKey": "zone", "maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule",
                "labelSelector": {"matchLabels": {"app": "web"}}, **constraint}], **options)
        self.assert_waits(spread("taints-ignored"),
                          "1 node(s) didn't match pod topology spread constraints "
                          "(missing required label), 1 node(s) had untolerated taint(s), "
                          "2 node(s) didn't match pod topology spread constraints.")
        self.api.delete("Pod", "c17-taints-ignored")
        open_zones = ("c17-za", "c17-zb")
        self.assert_bound(spread("honor", nodeTaintsPolicy="Honor"), *open_zones)
        self.assert_bound(spread("affinity", match=["za", "zb"]), *open_zones)

    def test_c25_placed_by_somebody_else(self):
        node = self.node("n", cpu="4")
        self.placed("by-default-scheduler", node, cpu="2")
        static = self.placed("static", node, cpu="1500m")
        own = self.pod("own", cpu="1")
        self.assert_waits(own, "Insufficient cpu")
        self.write_status(static, phase="Failed", reason="OutOfcpu")
        self.assert_bound(own, node)

    def test_c25_somebody_else_fills_the_node_before_the_binding(self):
        node, other = self.node("n", cpu="4"), self.node("other", cpu="4")

        def fill(_handler, method, path):
            if method == "POST" and path.endswith("/pods/c25-loser/binding"):
                self.placed("faster", node, cpu="4")
        self.proxy.intercept = fill
        loser = self.pod("loser", on="n", cpu="4")
        self.assert_bound(loser, node)  # the API server does not count
        self.assert_bound(self.pod("next", cpu="1"), other)
        failed = self.scheduler.metric("leadline_outcomes_total", event="InsufficientResources")
        self.write_status(loser, phase="Failed", reason="OutOfcpu")  # the kubelet does
        wait_for("the outcome to be counted", lambda: self.scheduler.metric(
            "leadline_outcomes_total", event="InsufficientResources") == failed + 1)
        self.api.delete("Pod", "c25-faster")
        self.assert_bound(self.pod("gets-it", on="n", cpu="4"), node)
        self.assertEqual(self.bindings_of(loser), [201])

    def test_c71_labels_of_a_namespace(self):
        node = self.node("n", labels={"zone": "za"})
        self.api.create(objects.namespace("c71"))
        self.api.create(objects.pod("there", namespace="c71", node_name=node,
                                    labels={"app": "web"}, terminationGracePeriodSeconds=0))
        term = {**self.zone_term(app="web"), "namespaceSelector": {"matchLabels": {"team": "x"}}}
        name = self.pod("waits", affinity=self.affinity("podAffinity", term))
        self.assert_waits(name, "didn't match pod affinity rules")
        self.api.patch("Namespace", "c71", {"metadata": {"labels": {"team": "x"}}})
        self.assert_bound(name, node)
        second = self.pod("second", affinity=self.affinity(
            "podAffinity", {**term, "labelSelector": {"matchLabels": {"app": "db"}}}))
        self.assert_waits(second, "didn't match pod affinity rules")
        self.api.create(objects.pod("later", namespace="c71", node_name=node,
                                    labels={"app": "db"}, terminationGracePeriodSeconds=0))
        self.assert_bound(second, node)
        self.api.delete_all("Pod", "c71")

    def test_c81_a_key_that_no_node_has(self):
        node = self.node("n")
        name = self.pod("spread", labels={"app": "web"}, topologySpreadConstraints=[{
            "topologyKey": "rack", "maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule",
            "labelSelector": {"matchLabels": {"app": "web"}}}])
        self.assert_waits(name, "missing required label")
        self.api.patch("Node", node, {"metadata": {"labels": {"rack": "r1"}}})
        self.assert_bound(name, node)

    def test_c83_match_label_keys_of_a_revision(self):
        for zone in ("za", "zb"):
            self.node(zone, labels={"zone": zone})
        for index in range(2):
            self.placed(f"old-{index}", "c83-za", labels={"app": "web", "revision": "1"})

        def pinned(name, **constraint):
            return self.pod(name, on="za", labels={"app": "web", "revision": "2"},
                            topologySpreadConstraints=[{
                                "topologyKey": "zone", "maxSkew": 1,
                                "whenUnsatisfiable": "DoNotSchedule",
                                "nodeAffinityPolicy": "Ignore",
                                "labelSelector": {"matchLabels": {"app": "web"}}, **constraint}])
        reason = "didn't match pod topology spread constraints"
        without = pinned("without")
        self.assert_waits(without, reason)
        self.api.delete("Pod", without)
        self.assert_bound(pinned("first", matchLabelKeys=["revision"]), "c83-za")
        self.assert_waits(pinned("second", matchLabelKeys=["revision"]), reason)

    # Preemption --------------------------------------------------------------------------------

    def important(self, name, **options):
        """A Pod that goes before those without a priority."""
        return self.pod(name, priorityClassName="important", **options)

    def test_c77_one_place_too_few(self):
        node = self.node("n", cpu="8", pods=3)
        low = [self.placed(f"low-{index}", node, cpu="20m") for index in range(3)]
        self.assert_bound(self.important("high", cpu="20m"), node)
        left = [name for name in low if self.api.find("Pod", name)]
        self.assertEqual(len(left), 2)

    def test_c79_a_terminating_pod_of_the_same_priority(self):
        node = self.node("n", cpu="4")
        ending = self.placed("ending", node, cpu="4", terminationGracePeriodSeconds=600,
                             priorityClassName="important")
        self.api.delete("Pod", ending, grace_seconds=600)
        name = self.important("waits", cpu="4")
        self.assert_waits(name, "Insufficient cpu")
        self.assertNotIn("nominatedNodeName", self.api.get("Pod", name)["status"])
        self.assertIsNotNone(self.api.find("Pod", ending))
        self.api.delete("Pod", ending)
        self.assert_bound(name, node)

    # The API server's answers ------------------------------------------------------------------

    def bindings_of(self, name):
        """The answers to all binding calls for a Pod that have reached the API server."""
        return [event["responseStatus"]["code"] for event in self.plane.writes()
                if event["objectRef"].get("subresource") == "binding"
                and event["objectRef"]["name"] == name]

    def scheduled(self):
        return self.scheduler.metric("scheduler_schedule_attempts_total", result="scheduled")

    def test_c21_deletes_while_the_watch_was_down(self):
        a, b = self.node("a", cpu="4"), self.node("b", cpu="4")
        full, again = self.placed("full", a, cpu="4"), self.placed("again", b, cpu="2")
        self.assert_waits(self.pod("probe", cpu="3"), "2 Insufficient cpu")
        self.api.delete("Pod", "c21-probe")
        self.proxy.cut()
        self.api.delete("Pod", full)
        self.api.delete("Pod", again)
        self.placed("again", b, cpu="2")  # under a new UID: counts once (C93)
        self.proxy.mend()
        self.assert_bound(self.pod("fills-a", cpu="4"), a)
        self.assert_bound(self.pod("fills-b", cpu="2"), b)
        self.assert_waits(self.pod("too-much", cpu="1"), "2 Insufficient cpu")

    def test_c21_the_old_version_is_gone(self):
        """Every watch that resumes is answered 410: only a fresh list tells what is missing."""
        node = self.node("a", cpu="4")
        full = self.placed("full", node, cpu="4")
        self.assert_waits(self.pod("probe", cpu="1"), "Insufficient cpu")
        resumed = set()

        def expired(handler, method, path):
            kind = path.partition("?")[0]
            if method != "GET" or "watch=" not in path or kind in resumed:
                return None
            resumed.add(kind)
            handler.reply(410, json.dumps({
                "apiVersion": "v1", "kind": "Status", "status": "Failure", "reason": "Expired",
                "code": 410, "message": "too old resource version"}).encode())
            return True
        self.proxy.cut()
        self.api.delete("Pod", full)
        self.proxy.intercept = expired
        self.proxy.mend()
        self.assert_bound("c21-probe", node)
        self.assertIn("/api/v1/pods", resumed)

    def test_c21_a_node_deleted_while_the_watch_was_down(self):
        a, b = self.node("a", cpu="4"), self.node("b", cpu="4")
        full = self.placed("full", a, cpu="4")
        self.assert_waits(self.pod("probe", cpu="5"), "2 Insufficient cpu")
        self.api.delete("Pod", "c21-probe")
        self.proxy.cut()
        self.api.delete("Pod", full)
        self.api.delete("Node", b)
        self.proxy.mend()
        self.wait_until_booked(1)
        self.assert_bound(self.pod("fits-a", cpu="4"), a)

    def test_c23_the_binding_worked_but_the_answer_never_came(self):
        node = self.node("n", cpu="3")
        faults = {"c23-reset": "done, no answer", "c23-conflict": "done, 409",
                  "c23-lost": "not done, no answer"}
        asked = {name: [] for name in faults}

        def lose_the_answer(handler, method, path):
            name = path.rsplit("/", 2)[-2]
            if method != "POST" or not path.endswith("/binding") or name not in faults:
                return None
            asked[name].append(json.loads(handler.body)["target"]["name"])
            if len(asked[name]) > 1:
                return None
            if faults[name].startswith("done"):
                self.assertEqual(handler.forward()[0], 201)
            if faults[name].endswith("409"):
                handler.reply(409, json.dumps({
                    "apiVersion": "v1", "kind": "Status", "status": "Failure",
                    "reason": "Conflict", "code": 409, "message": "already assigned"}).encode())
            else:
                handler.drop()
            return True
        before = self.scheduled()
        self.proxy.intercept = lose_the_answer
        for name in faults:
            self.assert_bound(self.pod(name.removeprefix("c23-"), cpu="1"), node)
        wait_for("three Pods to count as scheduled", lambda: self.scheduled() == before + 3)
        self.assertEqual(asked, {"c23-reset": [node], "c23-conflict": [node],
                                 "c23-lost": [node, node]})
        self.assert_waits(self.pod("too-much", cpu="1m"), "Insufficient cpu")

    def test_c23_the_answer_comes_after_the_time_out(self):
        node = self.node("n", cpu="2")
        asked, end = [], threading.Event()
        self.addCleanup(end.set)

        def stall(handler, method, path):
            if method != "POST" or not path.endswith("/pods/c23-late/binding"):
                return None
            asked.append(json.loads(handler.body)["target"]["name"])
            if len(asked) > 1:
                return None
            status, body = handler.forward()
            end.wait(BINDING_SECONDS)
            handler.reply(status, body)
            return True
        before = self.scheduled()
        self.proxy.intercept = stall
        self.assert_bound(self.pod("late", cpu="1"), node)
        self.assert_bound(self.pod("other", cpu="1"), node)
        wait_for("both to count as scheduled", lambda: self.scheduled() == before + 2,
                 seconds=BINDING_SECONDS)
        self.assertIn(asked, ([node], [node, node]))
        self.assert_waits(self.pod("too-much", cpu="1m"), "Insufficient cpu")
        wait_for("nothing to be reserved", lambda: self.booked("assumed_pods") == 0)

    def test_c27_room_held_for_a_pod_that_is_gone(self):
        node = self.node("n", cpu="4")

        def delete_first(_handler, method, path):
            if method == "POST" and path.endswith("/pods/c27-gone/binding"):
                self.api.delete("Pod", "c27-gone")
        self.proxy.intercept = delete_first
        self.pod("gone", cpu="4")
        wait_for("the binding to find no Pod", lambda: self.bindings_of("c27-gone") == [404])
        self.proxy.intercept = None
        self.assert_bound(self.pod("next", cpu="4"), node)
        wait_for("nothing to be reserved", lambda: self.booked("assumed_pods") == 0)

    def test_c27_nominated_for_a_node_that_does_not_exist(self):
        node = self.node("n", cpu="4")
        nominated = self.pod("nominated", cpu="5")
        self.assert_waits(nominated, "Insufficient cpu")
        self.write_status(nominated, nominatedNodeName="node-gone")
        self.assert_bound(self.pod("other", cpu="4"), node)

    def test_c89_bindings_answered_500(self):
        node = self.node("n1", cpu="2")
        refusals = iter((500, 500))

        def refuse(handler, method, path):
            if method == "POST" and path.endswith("/pods/c89-twice/binding"):
                code = next(refusals, None)
                if code:
                    handler.reply(code, b'{"kind":"Status","status":"Failure","code":500}')
                    return True
            return None
        self.proxy.intercept = refuse
        self.assert_bound(self.pod("twice", cpu="1"), node)
        self.assert_bound(self.pod("rest", cpu="1"), node)
        self.assert_waits(self.pod("too-much", cpu="1m"), "Insufficient cpu")

    def test_c89_a_node_to_which_no_binding_ever_works(self):
        first, second = self.node("n1", cpu="2"), self.node("n2", cpu="2")
        self.api.patch("Node", second, {"spec": {"unschedulable": True}})
        refused = threading.Event()

        def refuse(handler, method, path):
            if method == "POST" and path.endswith("/pods/c89-always/binding"):
                if json.loads(handler.body)["target"]["name"] == first:
                    handler.reply(500, b'{"kind":"Status","status":"Failure","code":500}')
                    refused.set()
                    return True
            return None
        self.proxy.intercept = refuse
        name = self.pod("always", cpu="2")
        self.assertTrue(refused.wait(WOKEN_SECONDS))
        self.api.patch("Node", first, {"spec": {"unschedulable": True}})
        self.api.patch("Node", second, {"spec": {"unschedulable": None}})
        self.assert_bound(name, second)
        self.api.patch("Node", first, {"spec": {"unschedulable": None}})
        self.assert_bound(self.pod("takes-n1", cpu="2"), first)


if __name__ == "__main__":
    unittest.main()
