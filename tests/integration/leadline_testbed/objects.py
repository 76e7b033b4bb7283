"""Builders of the Kubernetes objects that tests are made of. Plain dicts: change them freely."""

ZONE_LABEL = "topology.kubernetes.io/zone"


def node(name, zone="zone-a", cpu="8", memory="32Gi", pods=110, address=None, labels=None,
         taints=None, extended=None, annotations=None):
    """A Node as a kubelet registers it; kwok makes it Ready. `extended`: other resources."""
    capacity = {"cpu": cpu, "memory": memory, "pods": str(pods), "ephemeral-storage": "100Gi",
                **(extended or {})}
    addresses = [{"type": "Hostname", "address": name}]
    if address:
        addresses.insert(0, {"type": "InternalIP", "address": address})
    return {
        "apiVersion": "v1", "kind": "Node",
        "metadata": {
            "name": name,
            "labels": {"kubernetes.io/hostname": name, "kubernetes.io/os": "linux",
                       "kubernetes.io/arch": "amd64", ZONE_LABEL: zone, **(labels or {})},
            "annotations": annotations or {},
        },
        "spec": {"taints": taints or []},
        "status": {
            "capacity": capacity, "allocatable": dict(capacity), "addresses": addresses,
            "nodeInfo": {
                "machineID": name, "systemUUID": name, "bootID": name, "kernelVersion": "6.1.0",
                "osImage": "testbed", "containerRuntimeVersion": "kwok://0.8.0",
                "kubeletVersion": "v1.37.2", "kubeProxyVersion": "", "operatingSystem": "linux",
                "architecture": "amd64"},
        },
    }


def pod(name, scheduler="dqn-scheduler", namespace="default", cpu="100m", memory="64Mi",
        usage_cpu=None, usage_memory=None, labels=None, node_name=None, image="nginx", **spec):
    """A Pod of one container; further keywords go into its spec (tolerations=..., ...).

    `usage_*` is what kwok will report that it uses, whatever it requests.
    """
    annotations = {}
    if usage_cpu:
        annotations["kwok.x-k8s.io/usage-cpu"] = usage_cpu
    if usage_memory:
        annotations["kwok.x-k8s.io/usage-memory"] = usage_memory
    requests = {key: value for key, value in (("cpu", cpu), ("memory", memory)) if value}
    item = {
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": name, "namespace": namespace, "labels": labels or {},
                     "annotations": annotations},
        "spec": {
            "schedulerName": scheduler,
            "containers": [{"name": "main", "image": image, "resources": {"requests": requests}}],
            **spec,
        },
    }
    if node_name:
        item["spec"]["nodeName"] = node_name
    return item


def namespace(name):
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


def condition(item, kind):
    """The condition of that type in an object's status, or {}."""
    for entry in item.get("status", {}).get("conditions", []):
        if entry["type"] == kind:
            return entry
    return {}


def is_true(item, kind):
    return condition(item, kind).get("status") == "True"
