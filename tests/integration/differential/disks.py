"""Volumes that Pods name themselves, without a claim."""


class Disks:
    """Volumes that Pods name themselves: conflicts on a node, and limits of migrated drivers."""

    def __init__(self, rng):
        self.rng = rng

    def add(self, pod):
        for index in range(self.rng.choice((0, 1, 1, 2))):
            pod["spec"].setdefault("volumes", []).append(
                {"name": f"d{index}", **self.disk()})

    def disk(self):
        rng = self.rng
        disk, read_only = rng.choice(("disk-1", "disk-2", "disk-3")), rng.random() < 0.5
        return rng.choice((
            {"gcePersistentDisk": {"pdName": disk, "readOnly": read_only}},
            {"awsElasticBlockStore": {
                "volumeID": rng.choice(("vol-", "aws://us-east1-b/vol-", "aws:///vol-")) + disk,
                "readOnly": read_only}},
            {"iscsi": {"targetPortal": rng.choice(("10.0.0.1:3260", "10.0.0.2:3260")),
                       "iqn": f"iqn.2001-04.com.example:{disk}", "lun": rng.randint(0, 1),
                       "readOnly": read_only}},
            {"rbd": {"image": disk, "pool": rng.choice(("rbd", "fast")), "readOnly": read_only,
                     "monitors": rng.sample(("10.0.0.1", "10.0.0.2", "10.0.0.3"), 2)}},
            {"azureDisk": {"diskName": disk, "kind": "Managed",
                           "diskURI": f"/subscriptions/{rng.choice('ab')}/{disk}"}},
            {"cinder": {"volumeID": disk}},
            {"portworxVolume": {"volumeID": disk}},
            {"nfs": {"server": "10.0.0.1", "path": f"/{disk}"}},
            {"csi": {"driver": "csi-a.example.com"}}))
