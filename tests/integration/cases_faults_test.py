"""Cases of answers that the API server gave late, wrongly or never (cases/__init__.py)."""

import json
import threading
import unittest

from cases import WOKEN_SECONDS, CasesTestCase
from leadline_testbed import wait_for

BINDING_SECONDS = 45  # more than one call may take


class FaultCasesTest(CasesTestCase):
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


if __name__ == "__main__":
    unittest.main()
