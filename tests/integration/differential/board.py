"""Puts a world into the API server, and takes it away again."""

import copy
import itertools

from leadline_testbed import ApiError

from . import barriers
from .generator import NAMESPACE_LABELS, RUNTIME_CLASSES
from .world import NAMESPACES

HOLD = "test.leadline/hold"  # a finalizer that keeps an object terminating
GATE = "test.leadline/claims"  # until a Pod's own claims are made
CLUSTER_KINDS = ("VolumeAttachment", "CSINode", "CSIDriver", "StorageClass", "PersistentVolume",
                 "Node")
NAMESPACED_KINDS = ("Pod", "PersistentVolumeClaim", "CSIStorageCapacity")
# Admission plugins that would put finalizers on what only a controller manager would free.
DISABLED_ADMISSION = ("StorageObjectInUseProtection",)


class Board:
    """Holds one world at a time. `pool` is the executor that talks to the API server in parallel.

    `stamp` differs between two worlds of one name too, so that nobody's view of an earlier one
    passes the barriers.
    """

    def __init__(self, api, pool):
        self.api = api
        self.pool = pool
        self.stamp = None
        self.refused = 0  # Pods that the API server would not take
        self._held = []  # (kind, namespace, name)
        self._gated = []  # likewise
        self._numbers = itertools.count()
        for name, labels in NAMESPACE_LABELS.items():
            api.create({"apiVersion": "v1", "kind": "Namespace",
                        "metadata": {"name": name, "labels": labels}})
        for name, overhead in RUNTIME_CLASSES.items():
            api.create({"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass",
                        "metadata": {"name": name}, "handler": name,
                        "overhead": {"podFixed": overhead}})

    def put(self, world):
        """Everything but the waiting Pods."""
        self.stamp = f"{world.name}-{next(self._numbers)}"
        self._put_storage(world)
        self._all(self._create_node, world.nodes)
        self.api.patch("Node", world.marker_node, {"metadata": {"labels": {"world": self.stamp}}})
        room = {barriers.RESOURCE: "2"}
        self.api.patch("Node", world.marker_node, subresource="status",
                       change={"status": {"capacity": room, "allocatable": room}})
        self._all(self._create_pod, world.placed)
        self._all(self._create_gated, [pod for pod in world.pending if pod.owned])
        if world.stored:  # after the last claim that a Pod owns
            for item in barriers.storage_markers(self.stamp):
                self.api.create(item)
            self.api.create(barriers.storage_last(self.stamp, world.marker_node))
        marker = barriers.marker_pod(self.stamp, "marker", ports=True, amount=1)
        marker["spec"]["nodeName"] = world.marker_node
        self.api.create(marker)

    def barriers(self, world):
        return barriers.barriers(self.stamp, world.stored)

    def create_pending(self, world):
        """Lets the schedulers at the Pods that wait; returns how many the API server took."""
        self._all(self._remove_gate, self._gated)
        taken = len(self._gated)
        self._gated = []
        return taken + sum(self._all(self._create_pod,
                                     [pod for pod in world.pending if not pod.owned]))

    def pending(self, world):
        return [pod for namespace in NAMESPACES
                for pod in self.api.list("Pod", namespace, fields="spec.nodeName=")
                if pod["metadata"]["name"].startswith(f"{world.name}-p")]

    def clear(self):
        for kind, namespace, name in self._held:
            self.api.patch(kind, name, {"metadata": {"finalizers": None}}, namespace)
        self._held, self._gated = [], []
        for kind, namespace in itertools.product(NAMESPACED_KINDS, NAMESPACES):
            self.api.delete_all(kind, namespace)
        for kind in CLUSTER_KINDS:
            self.api.delete_all(kind)

    # -----------------------------------------------------------------------------------------

    def _all(self, function, items):
        return list(self.pool.map(function, items))

    def _put_storage(self, world):
        """The marker node's CSINode comes last of its kind, with the marker driver in it."""
        if not world.stored:
            return
        marker = {"apiVersion": "storage.k8s.io/v1", "kind": "CSINode",
                  "metadata": {"name": world.marker_node}, "spec": {"drivers": []}}
        others = []
        for thing in world.storage:
            if thing.object["kind"] == "CSINode" and thing.name == world.marker_node:
                marker = copy.deepcopy(thing.object)
            else:
                others.append(thing)
        self._all(self._create, others)
        marker["spec"]["drivers"].append(barriers.marker_driver(self.stamp))
        self.api.create(marker)

    def _create(self, thing):
        """Creates the object and lets happen to it what is to happen; returns it."""
        item = thing.object
        if thing.leaving:
            item = {**item, "metadata": {**item["metadata"], "finalizers": [HOLD]}}
        made = self.api.create(item)
        if thing.status:
            self.api.patch(item["kind"], thing.name, {"status": thing.status}, thing.namespace,
                           "status")
        if thing.leaving:
            self._held.append((item["kind"], thing.namespace, thing.name))
            self.api.delete(item["kind"], thing.name, thing.namespace)
        return made

    def _create_node(self, thing):
        self._create(thing)
        # Admission has added a taint that a node controller would take away.
        self.api.patch("Node", thing.name, {"spec": {"taints": thing.object["spec"]["taints"]}})

    def _create_pod(self, thing):
        try:
            made = self._create(thing)
        except ApiError as error:
            if error.code != 422:
                raise
            self.refused += 1
            return False
        for claim in thing.owned:
            claim = copy.deepcopy(claim)
            claim.object["metadata"]["ownerReferences"] = [{
                "apiVersion": "v1", "kind": "Pod", "name": thing.name, "controller": True,
                "uid": made["metadata"]["uid"]}]
            self._create(claim)
        return True

    def _create_gated(self, thing):
        gated = copy.deepcopy(thing)
        gated.object["spec"]["schedulingGates"] = [{"name": GATE}]
        if self._create_pod(gated):
            self._gated.append((thing.namespace, thing.name))

    def _remove_gate(self, place):
        namespace, name = place
        self.api.patch("Pod", name, {"spec": {"schedulingGates": None}}, namespace)
