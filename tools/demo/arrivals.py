"""Lets Pods arrive, and times each from its creation to its binding as the API server tells it."""

import http.client
import json
import ssl
import threading
import time

from leadline_testbed import wait_for

from workload import NAMESPACE


class BindingWatch:
    """Watches the demo's Pods in the background: when was each seen bound, and to which node."""

    def __init__(self, plane):
        self._plane = plane
        self._lock = threading.Lock()
        self._bound = {}
        self._connection = None
        self._thread = threading.Thread(target=self._follow, daemon=True)

    def __enter__(self):
        context = ssl.create_default_context(cafile=str(self._plane.credentials.ca_file))
        self._connection = http.client.HTTPSConnection(
            "127.0.0.1", self._plane.port["kube-apiserver"], context=context, timeout=300)
        self._connection.request(
            "GET", f"/api/v1/namespaces/{NAMESPACE}/pods?watch=true",
            headers={"Authorization": f"Bearer {self._plane.credentials.token()}"})
        self._response = self._connection.getresponse()
        self._thread.start()
        return self

    def __exit__(self, *_):
        # Ends the read in the thread; closing the file under it would wait for that read.
        self._connection.sock.shutdown(2)
        self._thread.join(10)
        self._connection.close()

    def _follow(self):
        try:
            for line in self._response:
                now = time.monotonic()
                pod = json.loads(line)["object"]
                node = pod.get("spec", {}).get("nodeName")
                if node:
                    with self._lock:
                        self._bound.setdefault(pod["metadata"]["name"], (now, node))
        except (OSError, ValueError, http.client.HTTPException):
            return  # closed by __exit__

    def bound(self):
        """Pod name -> (monotonic time, node)."""
        with self._lock:
            return dict(self._bound)


def arrive(plane, pods, interval, tell, patience=40):
    """Creates the Pods, `interval` seconds apart; returns {name: (seconds to bind, node)}.

    A Pod that is not bound `patience` seconds after the last arrival is left out.
    """
    created = {}
    with BindingWatch(plane) as watch:
        next_at = time.monotonic()
        for pod in pods:
            time.sleep(max(0.0, next_at - time.monotonic()))
            next_at += interval
            created[pod["metadata"]["name"]] = time.monotonic()
            plane.api.create(pod)
            tell(f"{len(created)} of {len(pods)} Pods created, {len(watch.bound())} bound")
        end = time.monotonic() + patience

        def settled():
            bound = len(watch.bound())
            tell(f"{len(created)} of {len(pods)} Pods created, {bound} bound")
            return bound >= len(pods) or time.monotonic() > end
        wait_for("Pods to be bound", settled, seconds=patience + 30)
        return {name: (at - created[name], node) for name, (at, node) in watch.bound().items()
                if name in created}
