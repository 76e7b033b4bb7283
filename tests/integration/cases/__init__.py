"""What the tests of field cases share: cases_*_test.py.

A test is named by its case. Each has nodes of its own, which its Pods select by a label. The
scheduler's calls go through a proxy that can lose what the API server answers.
"""

import re

from leadline_testbed import ApiProxy, ControlPlaneTestCase, objects, start_scheduler, wait_for

WOKEN_SECONDS = 30  # the longest back-off is 10 s; the sweep that helps the lost comes after 300 s


class CasesTestCase(ControlPlaneTestCase):
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

    def bindings_of(self, name):
        """The answers to all binding calls for a Pod that have reached the API server."""
        return [event["responseStatus"]["code"] for event in self.plane.writes()
                if event["objectRef"].get("subresource") == "binding"
                and event["objectRef"]["name"] == name]
