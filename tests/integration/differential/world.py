"""One random world: nodes, Pods that stand on them, storage, and Pods that wait for a verdict."""

import dataclasses
import random

from .disks import Disks
from .fates import Fates
from .generator import Generator
from .storage import Storage
from .thing import Thing

NAMESPACES = ("default", "other")
# What worlds may hold beside nodes and Pods. "claims": volumes with claims, and all that goes with
# them; "disks": volumes that Pods name themselves; "declared": features that nodes declare.
FAMILIES = ("claims", "disks", "declared")


@dataclasses.dataclass
class World:
    """Plain data: `board.Board` puts it into an API server. The last node is the marker node."""
    name: str
    nodes: list
    storage: list
    placed: list
    pending: list
    stored: bool

    @property
    def node_names(self):
        return [node.name for node in self.nodes]

    @property
    def marker_node(self):
        return self.nodes[-1].name


class _Maker:
    def __init__(self, rng, name, families):
        self.rng = rng
        self.name = name
        self.nodes = [f"{name}-n{index}" for index in range(rng.randint(6, 14))]
        storage = bool({"claims", "disks"} & families)
        theme = rng.choice(("plain", "social") + storage * ("stored", "stored"))
        self.stored = theme == "stored"
        self.generator = Generator(rng, self.nodes, social=theme == "social", stored=self.stored,
                                   declared="declared" in families)
        self.fates = Fates(rng)
        self.disks = Disks(rng) if self.stored and "disks" in families else None
        self.storage = (Storage(rng, self.nodes, NAMESPACES)
                        if self.stored and "claims" in families else None)

    def world(self, pods):
        nodes = [Thing(self.generator.node(name)) for name in self.nodes]
        for amounts in nodes[-1].object["status"].values():
            if isinstance(amounts, dict):
                amounts["pods"] = "110"
        placed = [self.placed_pod(f"{self.name}-b{index}") for index in range(2 * len(nodes))]
        pending = [self.pod(f"{self.name}-p{index}") for index in range(pods)]
        return World(self.name, nodes, self.storage.things if self.storage else [], placed,
                     pending, self.storage is not None)

    def pod(self, name, placed=False):
        pod = self.generator.pod(name, self.rng.choice(NAMESPACES), modest=placed)
        owned = self.storage.add_claims(pod, placed) if self.storage else []
        if self.disks:
            self.disks.add(pod)
        return Thing(pod, owned=owned)

    def placed_pod(self, name):
        thing = self.pod(name, placed=True)
        pod = thing.object
        pod["spec"]["nodeName"] = self.rng.choice((*self.nodes, "no-such-node"))
        if self.storage and pod["spec"]["nodeName"] not in self.nodes:
            self.storage.drop_exclusive(pod)
        pod["spec"]["tolerations"] = [{"operator": "Exists"}]
        return dataclasses.replace(self.fates.befall(pod), owned=thing.owned)


def make_world(seed, number, families=FAMILIES, pods=100):
    """World `number` of a seed, always the same for the same arguments."""
    rng = random.Random(f"{seed}/{number}")
    return _Maker(rng, f"w{number}", set(families)).world(pods)
