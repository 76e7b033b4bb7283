"""One random world in the API server: nodes, and Pods that stand on them."""

import random

from leadline_testbed import ApiError

from .generator import NAMESPACE_LABELS, RUNTIME_CLASSES, Generator

NAMESPACES = ("default", "other")
HOLD = "test.leadline/hold"  # a finalizer that keeps a Pod terminating
MARKER_PORT = 65001
MARKER = "test.leadline/marker"  # a resource of the marker node only


class World:
    """Builds world `number` of a seed, and takes it down again.

    The last changes of the nodes are the marker node's label and resource, and the last Pod placed
    is the marker Pod on it, which holds a port and half of the resource: who has seen both has
    seen everything, because both streams keep their order.
    """

    def __init__(self, api, pool, seed, number):
        """`pool` is the executor that talks to the API server in parallel."""
        self.api = api
        self.pool = pool
        self.name = f"w{number}"
        self.rng = random.Random(f"{seed}/{number}")
        self.nodes = [f"{self.name}-n{index}" for index in range(self.rng.randint(6, 14))]
        self.generator = Generator(self.rng, self.nodes, social=self.rng.random() < 0.5)
        self.refused = 0  # Pods that the API server would not take
        self._held = []

    @property
    def marker_node(self):
        return self.nodes[-1]

    @staticmethod
    def prepare(api):
        """What all worlds share."""
        for name, labels in NAMESPACE_LABELS.items():
            api.create({"apiVersion": "v1", "kind": "Namespace",
                        "metadata": {"name": name, "labels": labels}})
        for name, overhead in RUNTIME_CLASSES.items():
            api.request("POST", "/apis/node.k8s.io/v1/runtimeclasses", {
                "apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass",
                "metadata": {"name": name}, "handler": name, "overhead": {"podFixed": overhead}})

    def build(self):
        specs = [self.generator.node(name) for name in self.nodes]
        for amounts in specs[-1]["status"].values():
            if isinstance(amounts, dict):
                amounts["pods"] = "110"
        list(self.pool.map(self._create_node, specs))
        self.api.patch("Node", self.marker_node, {"metadata": {"labels": {"world": self.name}}})
        self.api.patch("Node", self.marker_node, subresource="status",
                       change={"status": {"capacity": {MARKER: "2"}, "allocatable": {MARKER: "2"}}})
        pods = [self._placed_pod(index) for index in range(2 * len(self.nodes))]
        list(self.pool.map(self._create_placed, pods))
        marker = self._marker_pod("marker", ports=True, amount=1)
        marker["spec"]["nodeName"] = self.marker_node
        self.api.create(marker)

    def _marker_pod(self, name, ports=False, amount=0):
        container = {"name": "c", "image": "any"}
        if ports:
            container["ports"] = [{"containerPort": MARKER_PORT, "hostPort": MARKER_PORT}]
        if amount:
            amounts = {MARKER: str(amount)}
            container["resources"] = {"requests": amounts, "limits": amounts}
        return {"apiVersion": "v1", "kind": "Pod",
                "metadata": {"name": f"{self.name}-{name}", "namespace": "default"},
                "spec": {"tolerations": [{"operator": "Exists"}], "containers": [container]}}

    def port_barrier(self, attempt=0):
        """Fits nowhere: off the marker node by its selector, on it by the marker Pod's port."""
        pod = self._marker_pod(f"barrier{attempt}", ports=True)
        pod["spec"]["nodeSelector"] = {"world": self.name}
        return pod

    def resource_barrier(self, amount):
        """With 1 fits the marker node only; with 2 not even that, because of the marker Pod."""
        return self._marker_pod("barrier", amount=amount)

    def create_pending(self, count):
        """Creates Pods for a scheduler to judge; returns how many the API server took."""
        pods = [self.generator.pod(f"{self.name}-p{index}", self.rng.choice(NAMESPACES))
                for index in range(count)]
        return sum(self.pool.map(self._try_create, pods))

    def tear_down(self):
        for namespace, name in self._held:
            self.api.patch("Pod", name, {"metadata": {"finalizers": None}}, namespace)
        for namespace in NAMESPACES:
            self.api.delete_all("Pod", namespace)
        self.api.request("DELETE", "/api/v1/nodes")

    # -----------------------------------------------------------------------------------------

    def _create_node(self, node):
        self.api.create(node)
        # Admission has added a taint that a node controller would take away.
        self.api.patch("Node", node["metadata"]["name"],
                       {"spec": {"taints": node["spec"]["taints"]}})

    def _placed_pod(self, index):
        """A Pod on a node, and what has become of it: (pod, fate, status)."""
        rng = self.rng
        pod = self.generator.pod(f"{self.name}-b{index}", rng.choice(NAMESPACES), modest=True)
        pod["spec"]["nodeName"] = rng.choice((*self.nodes, "no-such-node"))
        pod["spec"]["tolerations"] = [{"operator": "Exists"}]
        fate = rng.choice(("stays", "stays", "stays", "resized", "resized", "finished", "leaving"))
        status = None
        if fate == "resized":
            status = self.generator.resize(pod)
        elif fate == "finished":
            status = {"phase": rng.choice(("Succeeded", "Failed"))}
            # kube-scheduler frees a port that two Pods hold as soon as one of them ends.
            for container in (*pod["spec"]["containers"], *pod["spec"].get("initContainers", ())):
                container.pop("ports", None)
        elif fate == "leaving":
            pod["metadata"]["finalizers"] = [HOLD]
        return pod, fate, status

    def _create_placed(self, placed):
        pod, fate, status = placed
        if not self._try_create(pod):
            return
        name, namespace = pod["metadata"]["name"], pod["metadata"]["namespace"]
        if status:
            self.api.patch("Pod", name, {"status": status}, namespace, "status")
        if fate == "leaving":
            self._held.append((namespace, name))
            self.api.delete("Pod", name, namespace)

    def _try_create(self, pod):
        try:
            self.api.create(pod)
            return True
        except ApiError as error:
            if error.code != 422:
                raise
            self.refused += 1
            return False
