"""Cases of Pods that are in one another's way (cases/__init__.py)."""

import unittest

from cases import CasesTestCase
from leadline_testbed import objects, wait_for


class PodCasesTest(CasesTestCase):
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


if __name__ == "__main__":
    unittest.main()
