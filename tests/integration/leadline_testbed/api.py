"""A small Kubernetes API client: one dict in, one dict out, errors with their Status."""

import http.client
import json
import ssl
import threading
import urllib.parse

# kind: (path of its group and version, plural, namespaced)
KINDS = {
    "Binding": ("/api/v1", "bindings", True),
    "ConfigMap": ("/api/v1", "configmaps", True),
    "Namespace": ("/api/v1", "namespaces", False),
    "Node": ("/api/v1", "nodes", False),
    "PersistentVolume": ("/api/v1", "persistentvolumes", False),
    "PersistentVolumeClaim": ("/api/v1", "persistentvolumeclaims", True),
    "Pod": ("/api/v1", "pods", True),
    "Secret": ("/api/v1", "secrets", True),
    "Service": ("/api/v1", "services", True),
    "ServiceAccount": ("/api/v1", "serviceaccounts", True),
    "DaemonSet": ("/apis/apps/v1", "daemonsets", True),
    "Deployment": ("/apis/apps/v1", "deployments", True),
    "Event": ("/apis/events.k8s.io/v1", "events", True),
    "Lease": ("/apis/coordination.k8s.io/v1", "leases", True),
    "RuntimeClass": ("/apis/node.k8s.io/v1", "runtimeclasses", False),
    "PodDisruptionBudget": ("/apis/policy/v1", "poddisruptionbudgets", True),
    "PriorityClass": ("/apis/scheduling.k8s.io/v1", "priorityclasses", False),
    "CSIDriver": ("/apis/storage.k8s.io/v1", "csidrivers", False),
    "CSINode": ("/apis/storage.k8s.io/v1", "csinodes", False),
    "CSIStorageCapacity": ("/apis/storage.k8s.io/v1", "csistoragecapacities", True),
    "StorageClass": ("/apis/storage.k8s.io/v1", "storageclasses", False),
    "VolumeAttachment": ("/apis/storage.k8s.io/v1", "volumeattachments", False),
    "ClusterRole": ("/apis/rbac.authorization.k8s.io/v1", "clusterroles", False),
    "ClusterRoleBinding": ("/apis/rbac.authorization.k8s.io/v1", "clusterrolebindings", False),
    "Role": ("/apis/rbac.authorization.k8s.io/v1", "roles", True),
    "RoleBinding": ("/apis/rbac.authorization.k8s.io/v1", "rolebindings", True),
}

MERGE_PATCH = "application/merge-patch+json"
STRATEGIC_PATCH = "application/strategic-merge-patch+json"


class ApiError(Exception):
    """The API server's answer was not 2xx."""

    def __init__(self, code, status):
        super().__init__(f"{code} {status.get('reason', '')}: {status.get('message', '')}")
        self.code = code
        self.reason = status.get("reason", "")
        self.status = status


class ApiClient:
    """Thread-safe: each thread has a connection of its own, kept open between calls."""

    def __init__(self, server, token, ca_file, timeout=60):
        url = urllib.parse.urlparse(server)
        self._address = (url.hostname, url.port)
        self._token = token
        self._ca_file = ca_file
        self._timeout = timeout
        self._local = threading.local()

    def request(self, method, path, body=None, content_type="application/json"):
        """One call. Connection trouble is an OSError, an answer that is not 2xx an ApiError."""
        headers = {"Authorization": f"Bearer {self._token}", "Accept": "application/json"}
        data = None
        if body is not None:
            data = json.dumps(body)
            headers["Content-Type"] = content_type
        code, text = self._send(method, path, data, headers)
        try:
            answer = json.loads(text)
        except ValueError:
            answer = {"message": text.decode(errors="replace")}
        if code >= 300:
            raise ApiError(code, answer)
        return answer

    def close(self):
        """Closes the calling thread's connection; the next call opens another."""
        kept = getattr(self._local, "connection", None)
        if kept:
            kept.close()
            self._local.connection = None

    def _send(self, method, path, data, headers):
        kept = getattr(self._local, "connection", None)
        if kept:
            try:
                return self._call(kept, method, path, data, headers)
            except (http.client.RemoteDisconnected, http.client.CannotSendRequest,
                    BrokenPipeError, ssl.SSLEOFError):
                pass  # the server had closed it meanwhile; a new one decides
        try:
            self._local.connection = self._connect()
            return self._call(self._local.connection, method, path, data, headers)
        except (OSError, http.client.HTTPException) as error:
            raise ConnectionError(f"{method} {path}: {error!r}") from error

    def _call(self, connection, method, path, data, headers):
        try:
            connection.request(method, path, data, headers)
            response = connection.getresponse()
            return response.status, response.read()
        except (OSError, http.client.HTTPException):
            connection.close()
            self._local.connection = None
            raise

    def _connect(self):
        context = ssl.create_default_context(cafile=str(self._ca_file))
        return http.client.HTTPSConnection(*self._address, timeout=self._timeout, context=context)

    @staticmethod
    def path(kind, namespace=None, name=None, subresource=None, query=None):
        prefix, plural, namespaced = KINDS[kind]
        parts = [prefix]
        if namespaced and namespace:
            parts.append(f"namespaces/{namespace}")
        parts += filter(None, (plural, name, subresource))
        text = "/".join(parts)
        query = {key: value for key, value in (query or {}).items() if value is not None}
        return text + ("?" + urllib.parse.urlencode(query) if query else "")

    def create(self, item):
        namespace = item["metadata"].get("namespace", "default")
        return self.request("POST", self.path(item["kind"], namespace), item)

    def get(self, kind, name, namespace="default"):
        return self.request("GET", self.path(kind, namespace, name))

    def find(self, kind, name, namespace="default"):
        """As get(), but None where there is no such object."""
        try:
            return self.get(kind, name, namespace)
        except ApiError as error:
            if error.code == 404:
                return None
            raise

    def list(self, kind, namespace=None, labels=None, fields=None):
        """The items; of all namespaces where none is given."""
        return self.request("GET", self.path(
            kind, namespace, query={"labelSelector": labels, "fieldSelector": fields}))["items"]

    def patch(self, kind, name, change, namespace="default", subresource=None,
              content_type=MERGE_PATCH):
        return self.request("PATCH", self.path(kind, namespace, name, subresource), change,
                            content_type)

    def replace(self, item, subresource=None):
        metadata = item["metadata"]
        path = self.path(item["kind"], metadata.get("namespace", "default"), metadata["name"],
                         subresource)
        return self.request("PUT", path, item)

    def delete(self, kind, name, namespace="default", grace_seconds=0):
        """Deletes at once, without the grace period that only a kubelet would end."""
        return self.request("DELETE", self.path(kind, namespace, name),
                            {"gracePeriodSeconds": grace_seconds})

    def delete_all(self, kind, namespace="default", labels=None):
        return self.request(
            "DELETE", self.path(kind, namespace, query={"labelSelector": labels}),
            {"gracePeriodSeconds": 0})

    def bind(self, pod, node, namespace="default"):
        return self.request("POST", self.path("Pod", namespace, pod, "binding"), {
            "apiVersion": "v1", "kind": "Binding", "metadata": {"name": pod},
            "target": {"apiVersion": "v1", "kind": "Node", "name": node}})
