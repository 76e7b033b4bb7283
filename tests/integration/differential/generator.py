"""Random nodes and Pods that exercise the filters, corner cases more often than in real life.

Everything comes from the random.Random given, so that a seed and a number name a world. What is
made here is valid for the API server.
"""

from . import storage

CPU = ("0", "50m", "100m", "250m", "0.5", "0.1", "1", "1500m", "2", "3")
MEMORY = ("0", "64Mi", "100M", "128e6", "1Gi", "1.5Gi", "2G", "123456789", "1100m")
DISK = ("1Gi", "5G", "0")
WIDGETS = ("0", "1", "2")
HUGEPAGES = ("2Mi", "4Mi", "6Mi")
WIDGET, HUGEPAGE, STORAGE = "example.com/widget", "hugepages-2Mi", "ephemeral-storage"

CORDON = "node.kubernetes.io/unschedulable"
TAINT_KEYS = ("dedicated", "gpu", CORDON)
TAINT_VALUES = ("", "a", "b")
EFFECTS = ("NoSchedule", "NoExecute", "PreferNoSchedule")

LABELS = {
    "disk": ("ssd", "hdd", ""),
    "size": ("1", "007", "150", "500", "abc", "1.5", "9223372036854775808", ""),
    "zone": ("a", "b", "c"),
    "rack": ("1", "2", ""),
}
# Labels of Pods, and what terms about Pods ask for.
POD_LABELS = {"app": ("web", "db", "cache"), "tier": ("front", "back")}
TOPOLOGY_KEYS = ("zone", "zone", "zone", "rack", "rack", "kubernetes.io/hostname", "missing")
NAMESPACE_LABELS = {"other": {"team": "x"}}

BOUNDS = ("0", "7", "007", "150", "200", "150.1", "abc", "9223372036854775808")

PORTS = (8080, 8081)
ADDRESSES = (None, None, "0.0.0.0", "10.0.0.1", "10.0.0.2", "::")
PROTOCOLS = (None, "TCP", "UDP", "SCTP")

# What a kubelet says that it can do; the last one means nothing to any scheduler.
RESTART_ALL = "RestartAllContainersOnContainerExits"
DECLARED = (RESTART_ALL, "UserNamespacesHostNetworkSupport", "ZebraSupport")

# Overheads of the RuntimeClasses that Pods may name.
RUNTIME_CLASSES = {"light": {"cpu": "50m"}, "heavy": {"cpu": "250m", "memory": "120Mi"}}


class Generator:
    """Makes the objects of one world. `nodes` are the names that Pods may ask for.

    In a `social` world there is room for everybody, and Pods care about one another; in a `stored`
    one they have room and care about their volumes: in the others the first filters leave few
    verdicts to the last ones. `declared`: some Pods need features that nodes have to declare.
    """

    def __init__(self, rng, nodes, social=False, stored=False, declared=False):
        self.rng = rng
        self.nodes = list(nodes)
        self.social = social
        self.stored = stored
        self.roomy = social or stored
        self.declared = declared

    def chance(self, probability):
        return self.rng.random() < probability

    # Nodes -----------------------------------------------------------------------------------

    def node(self, name):
        rng = self.rng
        amounts = {"cpu": rng.choice(("1", "2", "2500m", "3", "4")),
                   "memory": rng.choice(("1Gi", "129e6", "2G", "3Gi", "4Gi", "1")),
                   "pods": rng.choice(("0", "1", "2", "4", "8", "110", "110"))}
        for key, probability, choices in (
                (STORAGE, 0.8, ("2Gi", "10G", "100Gi")), (WIDGET, 0.5, ("0", "1", "3")),
                (HUGEPAGE, 0.4, ("4Mi", "8Mi"))):
            if self.chance(probability):
                amounts[key] = rng.choice(choices)
        if self.chance(0.05):
            del amounts["pods"]
        if self.roomy:
            amounts |= {"cpu": "64", "memory": "200Gi", "pods": "110"}
            if self.chance(0.85):
                amounts |= {STORAGE: "500Gi", WIDGET: "100", HUGEPAGE: "400Mi"}
        status = {"capacity": {**amounts, "cpu": "8", "memory": "64Gi"}, "allocatable": amounts}
        if self.chance(0.1):
            status = {"capacity": amounts}  # the API server copies it to allocatable
        status["conditions"] = [{"type": "Ready", "status": rng.choice(("True", "False"))}]
        if self.declared and self.chance(0.7):
            status["declaredFeatures"] = sorted(rng.sample(DECLARED, rng.randint(1, 3)))
        labels = {key: rng.choice(values) for key, values in LABELS.items()
                  if self.chance(0.9 if self.social else 0.7)}
        labels["kubernetes.io/hostname"] = rng.choice((name, "shared"))
        if self.stored:
            labels |= storage.zone_labels(rng)
        return {"apiVersion": "v1", "kind": "Node",
                "metadata": {"name": name, "labels": labels}, "status": status,
                "spec": {"unschedulable": self.chance(0.03 if self.roomy else 0.12),
                         "taints": self.taints()}}

    def taints(self):
        found = {}
        while self.chance(0.1 if self.roomy else 0.3):
            key, effect = self.rng.choice(TAINT_KEYS), self.rng.choice(EFFECTS)
            taint = {"key": key, "effect": effect}
            value = self.rng.choice(TAINT_VALUES)
            found[key, effect] = {**taint, "value": value} if value else taint
        return list(found.values())

    # Pods ------------------------------------------------------------------------------------

    def pod(self, name, namespace, modest=False):
        """`modest`: without what nodes would refuse; for Pods that stand on a node already."""
        spec = {"containers": self.containers("c", 1 + self.chance(0.4)),
                "terminationGracePeriodSeconds": 0}
        if self.chance(0.3):
            spec["initContainers"] = self.containers("i", self.rng.randint(1, 3), init=True)
        if self.chance(0.15):
            spec["runtimeClassName"] = self.rng.choice(sorted(RUNTIME_CLASSES))
        if self.chance(0.15):
            self.add_pod_level(spec)
        if self.chance(0.1):
            spec["hostNetwork"] = True
            self.bind_host_ports(spec)
        if self.chance(0.1):
            spec["volumes"] = [{"name": "scratch", "emptyDir": {}}]
        if not modest:
            self.add_node_wishes(spec)
        if self.declared and self.chance(0.1):
            self.add_restart_rule(spec)
        self.add_pod_wishes(spec)
        if self.chance(0.5 if self.social else 0.1):
            spec["topologySpreadConstraints"] = self.spread_constraints()
        labels = {key: self.rng.choice(values) for key, values in POD_LABELS.items()
                  if self.chance(0.8)}
        return {"apiVersion": "v1", "kind": "Pod",
                "metadata": {"name": name, "namespace": namespace, "labels": labels},
                "spec": spec}

    def add_restart_rule(self, spec):
        """Only one of the actions needs a node that declares the feature."""
        container = self.rng.choice(spec["containers"] + spec.get("initContainers", []))
        container.setdefault("restartPolicy", "Never")
        if container["restartPolicy"] == "Never":
            container["restartPolicyRules"] = [{
                "action": self.rng.choice(("RestartAllContainers", "Restart")),
                "exitCodes": {"operator": "In", "values": [42]}}]

    def add_node_wishes(self, spec):
        if self.chance(0.5):
            spec["tolerations"] = [self.toleration() for _ in range(self.rng.randint(1, 3))]
        if self.chance(0.1 if self.roomy else 0.2):
            key = self.rng.choice(sorted(LABELS))
            spec["nodeSelector"] = {key: self.rng.choice(LABELS[key])}
        if self.chance(0.15 if self.roomy else 0.35):
            terms = [self.term() for _ in range(self.rng.choice((1, 1, 2, 3)))]
            affinity = {"requiredDuringSchedulingIgnoredDuringExecution":
                        {"nodeSelectorTerms": terms}}
            spec["affinity"] = {"nodeAffinity": affinity}

    def add_pod_wishes(self, spec):
        for kind, probability in (("podAffinity", 0.1), ("podAntiAffinity", 0.1)):
            if self.chance(3 * probability if self.social else probability):
                terms = [self.pod_term() for _ in range(self.rng.choice((1, 1, 1, 2)))]
                spec.setdefault("affinity", {})[kind] = {
                    "requiredDuringSchedulingIgnoredDuringExecution": terms}

    def pod_term(self):
        term = {"topologyKey": self.rng.choice(TOPOLOGY_KEYS)}
        if self.chance(0.95):  # none matches nothing
            term["labelSelector"] = self.pod_selector()
        if self.chance(0.3):
            term["namespaces"] = self.rng.sample(("default", "other", "absent"),
                                                 self.rng.randint(1, 2))
        if self.chance(0.25):
            term["namespaceSelector"] = self.rng.choice((
                {}, {"matchLabels": {"team": "x"}}, {"matchLabels": {"team": "y"}},
                {"matchExpressions": [{"key": "team", "operator": "DoesNotExist"}]}))
        if self.chance(0.15):
            term[self.rng.choice(("matchLabelKeys", "mismatchLabelKeys"))] = ["tier"]
            if "labelSelector" in term:  # the key may not be asked for twice
                term["labelSelector"] = {"matchLabels": {"app": "web"}}
            else:
                term = {key: term[key] for key in ("topologyKey",)}
        return term

    def pod_selector(self):
        if self.chance(0.1):
            return {}  # everything
        key = self.rng.choice(sorted(POD_LABELS))
        if self.chance(0.5):
            return {"matchLabels": {key: self.rng.choice(POD_LABELS[key])}}
        operator = self.rng.choice(("In", "NotIn", "Exists", "DoesNotExist"))
        expression = {"key": key, "operator": operator}
        if operator in ("In", "NotIn"):
            expression["values"] = self.rng.sample(POD_LABELS[key], 1)
        return {"matchExpressions": [expression]}

    def spread_constraints(self):
        found = {}
        for _ in range(self.rng.choice((1, 1, 2))):
            constraint = {"topologyKey": self.rng.choice(TOPOLOGY_KEYS),
                          "maxSkew": self.rng.choice((1, 1, 2, 3)),
                          "whenUnsatisfiable": "DoNotSchedule"}
            if self.chance(0.95):
                constraint["labelSelector"] = self.pod_selector()
            for key, probability, choices in (
                    ("minDomains", 0.25, (1, 2, 3, 4)),
                    ("nodeAffinityPolicy", 0.4, ("Honor", "Ignore")),
                    ("nodeTaintsPolicy", 0.4, ("Honor", "Ignore"))):
                if self.chance(probability):
                    constraint[key] = self.rng.choice(choices)
            if self.chance(0.2):
                constraint["labelSelector"] = {"matchLabels": {"app": "web"}}
                constraint["matchLabelKeys"] = ["tier"]
            found[constraint["topologyKey"]] = constraint
        if self.chance(0.2):
            found["soft"] = {"topologyKey": "rack", "maxSkew": 1, "labelSelector": {},
                             "whenUnsatisfiable": "ScheduleAnyway"}
        return list(found.values())

    def toleration(self):
        toleration = {}
        if self.chance(0.85):
            toleration["key"] = self.rng.choice(TAINT_KEYS)
        if "key" not in toleration or self.chance(0.4):
            toleration["operator"] = "Exists"
        else:
            if self.chance(0.5):
                toleration["operator"] = "Equal"
            if self.chance(0.7):
                toleration["value"] = self.rng.choice(TAINT_VALUES)
        if self.chance(0.5):
            toleration["effect"] = self.rng.choice(EFFECTS)
            if toleration["effect"] == "NoExecute" and self.chance(0.5):
                toleration["tolerationSeconds"] = 5
        return toleration

    def term(self):
        term = {}
        if self.chance(0.75):
            count = self.rng.choice((1, 1, 2))
            term["matchExpressions"] = [self.expression() for _ in range(count)]
        if self.chance(0.3):
            term["matchFields"] = [self.field() for _ in range(self.rng.choice((1, 1, 2)))]
        return term  # may be empty: matches nothing

    def expression(self):
        rng = self.rng
        operator = rng.choice(("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"))
        key = "size" if operator in ("Gt", "Lt") else rng.choice((*LABELS, "missing"))
        expression = {"key": key, "operator": operator}
        if operator in ("Gt", "Lt"):
            expression["values"] = [rng.choice(BOUNDS)]
        elif operator in ("In", "NotIn"):
            values = LABELS.get(key, ("x",))
            expression["values"] = rng.sample(values, rng.randint(1, len(values)))
        return expression

    def field(self):
        return {"key": "metadata.name", "operator": self.rng.choice(("In", "In", "NotIn")),
                "values": [self.rng.choice((*self.nodes, "no-such-node"))]}

    # Containers ------------------------------------------------------------------------------

    def containers(self, prefix, count, init=False):
        taken = set()
        return [self.container(f"{prefix}{index}", init, taken) for index in range(count)]

    def container(self, name, init, taken):
        container = {"name": name, "image": "any", "resources": self.resources()}
        if init and self.chance(0.5):
            container["restartPolicy"] = "Always"
        if self.chance(0.25):
            port = self.port()
            place = (port["hostPort"], port.get("protocol", "TCP"), port.get("hostIP"))
            if place not in taken:  # twice the same is refused by the API server
                taken.add(place)
                container["ports"] = [port]
        return container

    def port(self):
        port = {"containerPort": 80, "hostPort": self.rng.choice(PORTS)}
        for key, value in (("hostIP", self.rng.choice(ADDRESSES)),
                           ("protocol", self.rng.choice(PROTOCOLS))):
            if value is not None:
                port[key] = value
        return port

    def bind_host_ports(self, spec):
        """In the host network both ports are the same."""
        for container in spec["containers"] + spec.get("initContainers", []):
            for port in container.get("ports", ()):
                port["containerPort"] = port["hostPort"]

    def resources(self):
        requests, limits = {}, {}
        for key, probability, choices in (("cpu", 0.6, CPU), ("memory", 0.5, MEMORY),
                                          (STORAGE, 0.2, DISK)):
            if self.chance(probability):
                requests[key] = self.rng.choice(choices)
        for key, probability, choices in ((WIDGET, 0.15, WIDGETS), (HUGEPAGE, 0.1, HUGEPAGES)):
            if self.chance(probability):
                limits[key] = requests[key] = self.rng.choice(choices)
        if HUGEPAGE in requests:
            requests.setdefault("cpu", "50m")  # huge pages alone are refused
        if "cpu" not in requests and self.chance(0.2):
            limits["cpu"] = "250m"  # becomes the request
        return {"requests": requests, "limits": limits}

    def add_pod_level(self, spec):
        """Pod-level requests have to cover those of the containers."""
        requests = {}
        if self.chance(0.8):
            requests["cpu"] = self.rng.choice(("20", "30"))
            if self.chance(0.7):  # small enough to fit somewhere
                self.drop(spec, "cpu")
                requests["cpu"] = self.rng.choice(("100m", "1", "2"))
        if self.chance(0.5):
            self.drop(spec, "memory")
            requests["memory"] = self.rng.choice(("64Mi", "1Gi", "2Gi"))
        if requests:
            for container in spec["containers"] + spec.get("initContainers", []):
                for amounts in container["resources"].values():
                    amounts.pop(HUGEPAGE, None)
            spec["resources"] = {"requests": requests}

    @staticmethod
    def drop(spec, key):
        for container in spec["containers"] + spec.get("initContainers", []):
            container["resources"]["requests"].pop(key, None)
            container["resources"]["limits"].pop(key, None)
