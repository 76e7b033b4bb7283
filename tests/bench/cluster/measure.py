"""What one run is measured by: when Pods were bound, and what the scheduler's process took."""

import http.client
import json
import os
import pathlib
import socket
import ssl
import threading
import time

_METADATA = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"


class BoundPods:
    """The time at which each Pod of the default namespace was seen on a node.

    By a watch of the metadata alone, whose selector lets a Pod appear when it is bound. The API
    server ends watches that are slow for a moment, so it is asked again from where it ended.
    """

    def __init__(self, plane, resource_version):
        self._plane = plane
        self._version = resource_version
        self._context = ssl.create_default_context(cafile=str(plane.credentials.ca_file))
        self._closing = False
        self.times = {}
        self.failure = None
        self._connect()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _connect(self):
        self._connection = http.client.HTTPSConnection(
            "127.0.0.1", self._plane.port["kube-apiserver"], context=self._context)
        self._connection.request(
            "GET", "/api/v1/namespaces/default/pods?watch=1&fieldSelector=spec.nodeName%21%3D"
            f"&resourceVersion={self._version}&timeoutSeconds=7200",
            headers={"Authorization": f"Bearer {self._plane.credentials.token()}",
                     "Accept": _METADATA})
        self._response = self._connection.getresponse()
        if self._response.status != 200:
            raise RuntimeError(f"watch: {self._response.status} {self._response.read()!r}")

    def _run(self):
        try:
            self._read()
            while not self._closing:
                self._connection.close()
                self._connect()
                self._read()
        except (OSError, ValueError, RuntimeError, http.client.HTTPException) as error:
            if not self._closing:
                self.failure = error

    def _read(self):
        while line := self._response.readline():
            event = json.loads(line)
            metadata = event["object"]["metadata"]
            if event["type"] == "ERROR":
                raise RuntimeError(f"watch: {event['object']}")
            self._version = metadata["resourceVersion"]
            if event["type"] == "ADDED":
                self.times.setdefault(metadata["name"], time.monotonic())

    def close(self):
        self._closing = True
        self._connection.sock.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._connection.close()


def cpu_seconds(pid):
    """User and system time of all threads so far."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def peak_mebibytes(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    raise RuntimeError(f"no VmHWM of process {pid}")
