"""Random storage of one world: classes, drivers, volumes, claims, and Pods' volumes of them."""

from .thing import Thing

A, B = "csi-a.example.com", "csi-b.example.com"
EBS, GCE = "ebs.csi.aws.com", "pd.csi.storage.gke.io"
OTHERS = ("disk.csi.azure.com", "cinder.csi.openstack.org", "pxd.portworx.com")
EBS_IN_TREE, GCE_IN_TREE = "kubernetes.io/aws-ebs", "kubernetes.io/gce-pd"
NO_PROVISIONER = "kubernetes.io/no-provisioner"

ZONE, REGION = "topology.kubernetes.io/zone", "topology.kubernetes.io/region"
OLD_ZONE = "failure-domain.beta.kubernetes.io/zone"
OLD_REGION = "failure-domain.beta.kubernetes.io/region"
ZONES = ("us-east1-b", "us-east1-c", "eu-west1-b")
REGIONS = ("us-east1", "eu-west1")
DRIVER_ZONES = ("topology.example.com/zone", "topology.gke.io/zone",
                "topology.ebs.csi.aws.com/zone")

# Name of a class: provisioner and binding mode.
CLASSES = {
    "wait-a": (A, "WaitForFirstConsumer"), "wait-a2": (A, "WaitForFirstConsumer"),
    "wait-b": (B, "WaitForFirstConsumer"), "now": (A, "Immediate"),
    "local": (NO_PROVISIONER, "WaitForFirstConsumer"),
    "ebs": (EBS_IN_TREE, "WaitForFirstConsumer"), "gce": (GCE_IN_TREE, "WaitForFirstConsumer"),
}
WAITING = ("wait-a", "wait-a", "wait-a2", "wait-b", "local", "local", "ebs", "gce")

BOUND = "pv.kubernetes.io/bind-completed"
SELECTED_NODE = "volume.kubernetes.io/selected-node"
OLD_CLASS = "volume.beta.kubernetes.io/storage-class"
MIGRATED = "storage.alpha.kubernetes.io/migrated-plugins"

MODES = ("ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany")


def zone_labels(rng):
    """A node's labels of places, some of them missing or at odds."""
    if rng.random() < 0.1:
        return {}  # VolumeZone lets everything pass here
    labels = {}
    for key, probability, choices in (
            (ZONE, 0.85, ZONES), (REGION, 0.6, REGIONS), (OLD_ZONE, 0.3, ZONES),
            (OLD_REGION, 0.1, REGIONS), *((key, 0.6, ZONES) for key in DRIVER_ZONES)):
        if rng.random() < probability:
            labels[key] = rng.choice(choices)
    return labels


class Storage:
    """Makes the objects (`things`, in an order that works) and the Pods' volumes.

    Sizes of volumes and of claims never tie: which of two equal volumes kube-scheduler takes
    depends on the order of its list, which is not defined.
    """

    def __init__(self, rng, nodes, namespaces):
        self.rng = rng
        self.nodes = list(nodes)
        self.claims = {namespace: [] for namespace in namespaces}  # names
        self._sizes = iter(range(1, 10**6))
        self.classes = [self.storage_class(name) for name in CLASSES]
        self.drivers = [driver for name in (A, B, EBS, GCE) for driver in self.driver(name)]
        self.capacities = [self.capacity(index, rng.choice(namespaces)) for index in range(5)]
        self.volumes = [self.free_volume(f"free-{index}") for index in range(rng.randint(3, 10))]
        self.requests = []
        for namespace in namespaces:
            for index in range(rng.randint(7, 10)):
                self.add_claim(f"claim-{index}", namespace)
        self.csi_nodes = [self.csi_node(node) for node in self.nodes if self.chance(0.85)]
        self.attachments = [self.attachment(index) for index in range(len(self.nodes))]

    @property
    def things(self):
        return [*self.classes, *self.drivers, *self.capacities, *self.volumes, *self.requests,
                *self.csi_nodes, *self.attachments]

    def chance(self, probability):
        return self.rng.random() < probability

    def size(self, whole):
        return f"{1024 * whole + next(self._sizes)}Mi"

    # Classes and drivers ---------------------------------------------------------------------

    def storage_class(self, name):
        provisioner, mode = CLASSES[name]
        item = {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass",
                "metadata": {"name": name}, "provisioner": provisioner, "volumeBindingMode": mode}
        if self.chance(0.4):
            terms = [{"matchLabelExpressions": self.topology_expressions()}
                     for _ in range(self.rng.choice((1, 1, 2)))]
            item["allowedTopologies"] = terms[:1] + [term for term in terms[1:]
                                                     if term != terms[0]]  # twice is refused
        return Thing(item)

    def topology_expressions(self):
        keys = sorted(self.rng.sample((ZONE, *DRIVER_ZONES), self.rng.choice((1, 1, 2))))
        return [{"key": key, "values": sorted(self.rng.sample(ZONES, self.rng.randint(1, 2)))}
                for key in keys]

    def driver(self, name):
        """No object, or one."""
        if self.chance(0.25):
            return []
        spec = {"attachRequired": True}
        for key in ("storageCapacity", "preventPodSchedulingIfMissing"):
            if self.chance(0.8):
                spec[key] = self.chance(0.7)
        return [Thing({"apiVersion": "storage.k8s.io/v1", "kind": "CSIDriver",
                       "metadata": {"name": name}, "spec": spec})]

    def capacity(self, index, namespace):
        item = {"apiVersion": "storage.k8s.io/v1", "kind": "CSIStorageCapacity",
                "metadata": {"name": f"capacity-{index}", "namespace": namespace},
                "storageClassName": self.rng.choice(("wait-a", "wait-a", "wait-a2", "wait-b"))}
        for key in ("capacity", "maximumVolumeSize"):
            if self.chance(0.6):
                item[key] = self.rng.choice(("1Gi", "2Gi", "3Gi", "6Gi", "0"))
        if self.chance(0.9):  # none matches no node, an empty one every node
            item["nodeTopology"] = self.rng.choice((
                {}, {"matchLabels": {self.rng.choice(DRIVER_ZONES): self.rng.choice(ZONES)}},
                {"matchExpressions": [{"key": ZONE, "operator": "In",
                                       "values": self.rng.sample(ZONES, 2)}]}))
        return Thing(item)

    def csi_node(self, node):
        drivers = []
        for name in (A, B, EBS, GCE, *OTHERS):
            if self.chance(0.6):
                driver = {"name": name, "nodeID": node, "topologyKeys": []}
                if self.chance(0.75):
                    driver["allocatable"] = {"count": self.rng.choice((0, 1, 1, 2, 2, 3, 9))}
                elif self.chance(0.3):
                    driver["allocatable"] = {}
                drivers.append(driver)
        metadata = {"name": node}
        if self.chance(0.5):
            metadata["annotations"] = {MIGRATED: self.rng.choice((
                EBS_IN_TREE, GCE_IN_TREE, f"{EBS_IN_TREE},{GCE_IN_TREE}", ""))}
        return Thing({"apiVersion": "storage.k8s.io/v1", "kind": "CSINode", "metadata": metadata,
                      "spec": {"drivers": drivers}})

    def attachment(self, index):
        names = [volume.object["metadata"]["name"] for volume in self.volumes]
        name = self.rng.choice((*names, "no-such-volume"))
        return Thing({"apiVersion": "storage.k8s.io/v1", "kind": "VolumeAttachment",
                      "metadata": {"name": f"attachment-{index}"},
                      "spec": {"attacher": self.rng.choice((A, A, B, EBS, GCE)),
                               "nodeName": self.rng.choice((*self.nodes, "no-such-node")),
                               "source": {"persistentVolumeName": name}}})

    # Volumes ---------------------------------------------------------------------------------

    def volume(self, name, storage_class):
        """A volume and its phase; nobody's yet."""
        rng = self.rng
        provisioner = CLASSES.get(storage_class, (A, ""))[0]
        spec = {"capacity": {"storage": self.size(rng.choice((1, 2, 3, 5)))},
                "accessModes": rng.choice((["ReadWriteOnce"], [*MODES], ["ReadWriteOncePod"])),
                **self.source(provisioner, name)}
        if storage_class:
            spec["storageClassName"] = storage_class
        if self.chance(0.15):
            spec["volumeMode"] = "Block"
        if self.chance(0.6):
            spec["nodeAffinity"] = {"required": {"nodeSelectorTerms": [
                self.affinity_term() for _ in range(rng.choice((1, 1, 2)))]}}
        if "csi" in spec and self.chance(0.1):
            spec["volumeAttributesClassName"] = "fast"
        labels = {"tier": rng.choice(("gold", "tin"))}
        for key, probability, choices in (
                (ZONE, 0.35, (*ZONES, f"{ZONES[0]}__{ZONES[1]}", f"{ZONES[0]}____{ZONES[2]}", "")),
                (OLD_ZONE, 0.15, ZONES), (REGION, 0.2, REGIONS), (OLD_REGION, 0.1, REGIONS)):
            if self.chance(probability):
                labels[key] = rng.choice(choices)
        phase = rng.choice(("Available",) * 9 + ("Released", "Bound", "Failed"))
        return Thing({"apiVersion": "v1", "kind": "PersistentVolume",
                      "metadata": {"name": name, "labels": labels}, "spec": spec},
                     status={"phase": phase}, leaving=self.chance(0.05))

    def source(self, provisioner, name):
        """Some are the same disk by other words: those count once for the limits, or twice."""
        disk = self.rng.choice(("disk-1", "disk-2", name))
        zone = self.rng.choice((*ZONES, "UNSPECIFIED"))
        if provisioner == NO_PROVISIONER:
            return {"hostPath": {"path": "/mnt/disk"}}
        if provisioner == EBS_IN_TREE:
            if self.chance(0.5):
                return {"csi": {"driver": EBS, "volumeHandle": f"vol-{disk}"}}
            prefix = self.rng.choice(("vol-", "aws://us-east1-b/vol-", "aws:///vol-"))
            return {"awsElasticBlockStore": {"volumeID": prefix + disk}}
        if provisioner == GCE_IN_TREE:
            if self.chance(0.4):
                handle = f"projects/UNSPECIFIED/zones/{zone}/disks/{disk}"
                return {"csi": {"driver": GCE, "volumeHandle": handle}}
            return {"gcePersistentDisk": {"pdName": disk}}
        return {"csi": {"driver": provisioner, "volumeHandle": disk}}

    def affinity_term(self):
        if self.chance(0.05):
            return {"matchFields": [{"key": "metadata.name", "operator": "In",
                                     "values": [self.rng.choice(self.nodes)]}]}
        expressions = []
        for _ in range(self.rng.choice((1, 1, 2))):
            key = self.rng.choice((ZONE, ZONE, OLD_ZONE, *DRIVER_ZONES))
            operator = self.rng.choice(("In", "In", "In", "NotIn", "Exists"))
            expression = {"key": key, "operator": operator}
            if operator != "Exists":
                expression["values"] = self.rng.sample(ZONES, self.rng.randint(1, 2))
            expressions.append(expression)
        return {"matchExpressions": expressions}

    def free_volume(self, name):
        return self.volume(name, self.rng.choice((*WAITING, "local", "local", "")))

    # Claims ----------------------------------------------------------------------------------

    def add_claim(self, name, namespace):
        """One claim, with the volume that it is bound to or that waits for it, where it has one."""
        claim = self.claim(name, namespace)
        kind = self.rng.choice(("bound",) * 9 + ("waiting",) * 9 + ("reserved", "half", "odd"))
        if kind == "bound":
            self.bind(claim)
        elif kind == "reserved":
            self.reserve(claim)
        elif kind == "half":  # a volume's name, but nothing says that they are bound
            claim.object["spec"]["volumeName"] = self.rng.choice(("free-0", "no-such-volume"))
        elif kind == "odd":
            self.spoil(claim)
        self.claims[namespace].append(name)
        self.requests.append(claim)

    def claim(self, name, namespace):
        spec = self.claim_spec()
        annotations = {}
        if self.chance(0.05):
            annotations[OLD_CLASS] = self.rng.choice(WAITING)
        if self.chance(0.08):
            annotations[SELECTED_NODE] = self.rng.choice((*self.nodes, "no-such-node"))
        return Thing({"apiVersion": "v1", "kind": "PersistentVolumeClaim",
                      "metadata": {"name": name, "namespace": namespace,
                                   "annotations": annotations}, "spec": spec})

    def claim_spec(self):
        spec = {"accessModes": self.rng.choice((["ReadWriteOnce"], ["ReadWriteOnce"],
                                                ["ReadOnlyMany"], ["ReadWriteOncePod"])),
                "storageClassName": self.rng.choice(WAITING),
                "resources": {"requests": {"storage": self.size(self.rng.choice((0, 1, 2, 4)))}}}
        if self.chance(0.1):
            spec["selector"] = {"matchLabels": {"tier": "gold"}}
        if self.chance(0.1):
            spec["volumeMode"] = "Block"
        if self.chance(0.05):
            spec["volumeAttributesClassName"] = "fast"
        return spec

    def bind(self, claim):
        metadata, spec = claim.object["metadata"], claim.object["spec"]
        volume = self.volume(f"bound-{metadata['namespace']}-{metadata['name']}",
                             spec["storageClassName"])
        self.point_to(volume, claim)
        metadata["annotations"][BOUND] = self.rng.choice(("yes", "no"))
        spec["volumeName"] = volume.object["metadata"]["name"]
        if self.chance(0.06):
            spec["volumeName"] = "no-such-volume"
        self.volumes.append(volume)
        if self.chance(0.5):
            claim.status = {"phase": "Bound"}

    def reserve(self, claim):
        """A volume that is meant for this claim, whatever its phase, labels and modes."""
        volume = self.volume(f"for-{claim.object['metadata']['namespace']}-"
                             f"{claim.object['metadata']['name']}",
                             claim.object["spec"]["storageClassName"])
        self.point_to(volume, claim)
        self.volumes.append(volume)

    @staticmethod
    def point_to(volume, claim):
        metadata = claim.object["metadata"]
        volume.object["spec"]["claimRef"] = {
            "kind": "PersistentVolumeClaim", "apiVersion": "v1",
            "name": metadata["name"], "namespace": metadata["namespace"]}

    def spoil(self, claim):
        fault = self.rng.choice(("lost", "leaving", "immediate", "no class", "absent class"))
        spec = claim.object["spec"]
        if fault == "lost":
            claim.status = {"phase": "Lost"}
        elif fault == "leaving":
            claim.leaving = True
        elif fault == "immediate":
            spec["storageClassName"] = "now"
        elif fault == "no class":
            del spec["storageClassName"]
        else:
            spec["storageClassName"] = "no-such-class"

    # Pods' volumes ---------------------------------------------------------------------------

    def add_claims(self, pod, placed):
        """Adds volumes with claims to a Pod; returns the claims that have to become its own.

        A placed Pod never finds another's claim in place of its own: to kube-scheduler that is an
        error, and it would be the verdict on every Pod of the world.
        """
        namespace, owned = pod["metadata"]["namespace"], []
        for index in range(self.rng.choice((0, 1, 1, 1, 2, 3))):
            name = f"v{index}"
            volume = {"name": name}
            if self.chance(0.1):
                spec = {**self.claim_spec(), "volumeAttributesClassName": None}
                volume["ephemeral"] = {"volumeClaimTemplate": {"spec": spec}}
                claim = self.claim(f"{pod['metadata']['name']}-{name}", namespace)
                claim.object["spec"] = spec
                if self.chance(0.5):
                    self.bind(claim)
                fate = self.rng.choice(("own",) * 6 + ("absent", "absent" if placed else "foreign"))
                if fate == "own":
                    owned.append(claim)
                elif fate == "foreign":
                    self.requests.append(claim)
            else:
                choices = self.claims[namespace]
                claim_name = "no-such-claim" if self.chance(0.02) else self.rng.choice(choices)
                volume["persistentVolumeClaim"] = {"claimName": claim_name}
            pod["spec"].setdefault("volumes", []).append(volume)
        return owned


    def drop_exclusive(self, pod):
        """Takes claims for one Pod alone from a Pod on a node that does not exist.

        Whether kube-scheduler counts those as used depends on when it last built its list of nodes.
        """
        exclusive = {(claim.namespace, claim.name) for claim in self.requests
                     if "ReadWriteOncePod" in claim.object["spec"]["accessModes"]}
        pod["spec"]["volumes"] = [
            volume for volume in pod["spec"].get("volumes", ())
            if (pod["metadata"]["namespace"],
                volume.get("persistentVolumeClaim", {}).get("claimName")) not in exclusive]
