"""A Kubernetes control plane of real programs on free ports, in a directory of its own."""

import os
import pathlib
import shutil
import tempfile
import urllib.request

from . import audit, commands, credentials, objects, paths, prometheus
from .api import ApiClient, ApiError
from .ports import free_port
from .processes import Process, end_with_this_process
from .waiting import wait_for

STAGES = paths.SOURCE / "tests" / "integration" / "stages"

ALL = ("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kwok", "prometheus")


class ControlPlane:
    """Starts the named components, in an order that works, and stops them all.

    As a context manager, or by start() and stop(). Whatever happens to this process, nothing
    outlives it. `process[NAME]` can be killed, paused and started again; ports stay the same.
    """

    def __init__(self, components=ALL, users=None, address="127.0.0.1", scrape_targets=(),
                 scrape_interval="1s", scheduler_config=None, directory=None,
                 disabled_admission=(), audit_log=True):
        """`directory`, where given, is emptied first and kept afterwards."""
        self._audit_log = audit_log
        self.components = tuple(components)
        self._disabled_admission = tuple(disabled_admission)
        if "kube-controller-manager" not in self.components:
            self._disabled_admission += ("ServiceAccount",)  # nobody would make them for Pods
        self.process = {}
        self._clients = {}
        self._keep_directory = bool(directory or os.environ.get("LEADLINE_KEEP_LOGS"))
        self._scheduler_config = scheduler_config
        self._scrape_targets = list(scrape_targets)
        self._scrape_interval = scrape_interval
        self._address = address
        self.directory = pathlib.Path(directory or tempfile.mkdtemp(prefix="leadline-"))
        if directory:
            shutil.rmtree(directory, ignore_errors=True)
            self.directory.mkdir(parents=True)
        self.port = {name: free_port() for name in (*ALL, "etcd-peer")}
        self.server = f"https://127.0.0.1:{self.port['kube-apiserver']}"
        self.credentials = credentials.Credentials(
            self.directory, self.server, self.directory / "apiserver" / "apiserver.crt", users)
        self.prometheus = prometheus.PrometheusClient(self.port["prometheus"])
        end_with_this_process()

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.stop()

    @property
    def api(self):
        return self.client("admin")

    def client(self, user):
        """An API client that is `user`."""
        if user not in self._clients:
            self._clients[user] = ApiClient(self.server, self.credentials.token(user),
                                            self.credentials.ca_file)
        return self._clients[user]

    def kubeconfig(self, user="admin"):
        return self.credentials.kubeconfig(user)

    def start(self):
        """Starts everything asked for, and returns when all of it answers."""
        starters = {
            "etcd": self._start_etcd, "kube-apiserver": self._start_api_server,
            "kube-controller-manager": self._start_controller_manager,
            "kube-scheduler": self._start_scheduler, "kwok": self._start_kwok,
            "prometheus": self._start_prometheus,
        }
        try:
            for name in ALL:
                if name in self.components:
                    starters[name]()
            self.wait_ready()
        except BaseException:
            self.stop()
            raise
        return self

    def run(self, name, command, environment=None, prefix=(), directory=None):
        """Starts one more program beside the control plane; it ends with it."""
        process = Process(name, command, self.directory / f"{name}.log", environment, prefix,
                          directory)
        self.process[name] = process
        return process.start()

    def stop(self):
        for client in self._clients.values():
            client.close()
        for process in reversed(list(self.process.values())):
            if process.running():
                process.kill()
        if not self._keep_directory:
            shutil.rmtree(self.directory, ignore_errors=True)

    def log_tails(self, lines=25):
        """The ends of all log files, for the message of a failed test."""
        parts = []
        for log in sorted(self.directory.glob("*.log")):
            tail = log.read_text(errors="replace").splitlines()[-lines:]
            parts.append(f"--- {log.name}\n" + "\n".join(tail))
        return "\n".join(parts)

    def writes(self, user=None):
        """The API server's audit events of all write requests so far, see audit.writes()."""
        return audit.writes(self.directory, user)

    def bindings(self):
        """How often each Pod was bound, see audit.bindings()."""
        return audit.bindings(self.directory)

    # Components ------------------------------------------------------------------------------

    def _start_etcd(self):
        self.run("etcd", commands.etcd(self.directory, self.port["etcd"], self.port["etcd-peer"]))
        self._wait_url("etcd", f"http://127.0.0.1:{self.port['etcd']}/health")

    def _start_api_server(self):
        self.run("kube-apiserver", commands.kube_apiserver(
            self.directory, self.port["kube-apiserver"], self.port["etcd"], self.credentials,
            self._address, self._disabled_admission, self._audit_log))
        self.wait_api_server()

    def _start_controller_manager(self):
        self.run("kube-controller-manager", commands.kube_controller_manager(
            self.kubeconfig(), self.credentials))

    def _start_scheduler(self):
        self.run("kube-scheduler", commands.kube_scheduler(
            self.kubeconfig("system:kube-scheduler"), self.port["kube-scheduler"],
            self._scheduler_config))

    def _start_kwok(self):
        config = self.directory / "kwok.yaml"
        config.write_text("---\n".join(file.read_text() for file in sorted(STAGES.glob("*.yaml"))))
        self.run("kwok", commands.kwok(self.kubeconfig(), self.port["kwok"], config))
        self._wait_url("kwok", f"http://127.0.0.1:{self.port['kwok']}/healthz")

    def _start_prometheus(self):
        self._write_prometheus_configuration()
        self.run("prometheus", commands.prometheus(
            self.directory, self.port["prometheus"], self.directory / "prometheus.yml"))
        self._wait_process("prometheus", self.prometheus.ready)

    # Readiness -------------------------------------------------------------------------------

    def _wait_process(self, name, condition):
        def ready():
            self.process[name].require_running()
            return condition()
        return wait_for(f"{name} to be ready", ready)

    def _wait_url(self, name, url):
        def answers():
            with urllib.request.urlopen(url, timeout=5) as response:
                return response.status == 200
        self._wait_process(name, answers)

    def wait_api_server(self):
        """Until the API server answers, its own bootstrap (RBAC roles, namespaces) included."""
        def ready():
            try:
                self.api.request("GET", "/readyz")
            except ApiError:
                return False  # 403 and 500 while it starts
            return True
        self._wait_process("kube-apiserver", ready)
        self._grant_what_old_roles_lack()

    def _grant_what_old_roles_lack(self):
        """Before 1.32 the built-in role of a scheduler does not list VolumeAttachments."""
        minor = self.api.request("GET", "/version")["minor"]
        name = "leadline-volumeattachments"
        if int(minor.rstrip("+")) >= 32 or self.api.find("ClusterRole", name):
            return
        role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": name}
        user = {"apiGroup": role["apiGroup"], "kind": "User", "name": "system:kube-scheduler"}
        self.api.create({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
                         "metadata": {"name": name},
                         "rules": [{"apiGroups": ["storage.k8s.io"],
                                    "resources": ["volumeattachments"],
                                    "verbs": ["get", "list", "watch"]}]})
        self.api.create({"apiVersion": "rbac.authorization.k8s.io/v1",
                         "kind": "ClusterRoleBinding", "metadata": {"name": name},
                         "roleRef": role, "subjects": [user]})

    def wait_ready(self):
        """Until what runs in the background has done its first work as well."""
        if "kube-controller-manager" in self.components:
            self._wait_process("kube-controller-manager",
                               lambda: self.api.find("ServiceAccount", "default"))

    # Worlds ----------------------------------------------------------------------------------

    def add_nodes(self, count, zones=3, **node):
        """Creates node-0 ... node-(count-1) over the zones, and waits until they take Pods."""
        names = [f"node-{index}" for index in range(count)]
        for index, name in enumerate(names):
            zone = f"zone-{chr(ord('a') + index % zones)}"
            self.api.create(objects.node(name, zone=zone, **node))
        self.wait_nodes(names)
        return names

    def wait_nodes(self, names):
        if "kwok" not in self.components:
            return
        if "kube-controller-manager" not in self.components:
            self._remove_not_ready_taints(names)

        def usable():
            nodes = {item["metadata"]["name"]: item for item in self.api.list("Node")}
            return all(
                name in nodes and objects.is_true(nodes[name], "Ready")
                and not any(taint["key"].startswith("node.kubernetes.io/not-ready")
                            for taint in nodes[name]["spec"].get("taints", []))
                for name in names)
        wait_for(f"{len(names)} nodes to be Ready and untainted", usable)

    def _remove_not_ready_taints(self, names):
        """Admission taints each new Node; only the controller manager would take that away."""
        for name in names:
            item = self.api.get("Node", name)
            taints = [taint for taint in item["spec"].get("taints", [])
                      if taint["key"] != "node.kubernetes.io/not-ready"]
            self.api.patch("Node", name, {"spec": {"taints": taints}})

    def set_scrape_targets(self, targets):
        """Replaces Prometheus's fixed targets, see prometheus.configuration()."""
        self._scrape_targets = list(targets)
        self._write_prometheus_configuration()
        self.prometheus.reload()

    def _write_prometheus_configuration(self):
        (self.directory / "prometheus.yml").write_text(prometheus.configuration(
            self.port["kwok"] if "kwok" in self.components else None,
            self._scrape_targets, self._scrape_interval))
