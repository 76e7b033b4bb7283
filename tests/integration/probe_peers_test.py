"""Probe agents find each other by the API server: the Pods of their DaemonSet, as they come and go."""

import json
import unittest
import urllib.request

from leadline_testbed import ControlPlaneTestCase, exposition, objects, paths, wait_for
from leadline_testbed.ports import free_port

LABELS = {"app": "probe"}


class ProbePeersTest(ControlPlaneTestCase):
    components = ("etcd", "kube-apiserver")

    def setUp(self):
        self.port = free_port()
        self.http = {}
        for node, address in (("node-a", "127.0.0.2"), ("node-b", "127.0.0.3")):
            self.create_pod(node, address)
            self.start_agent(node, address)

    def create_pod(self, node, address):
        pod = objects.pod(f"agent-{node}")
        pod["metadata"]["labels"] = LABELS
        pod["spec"]["nodeName"] = node
        self.plane.api.create(pod)
        self.plane.api.patch("Pod", f"agent-{node}", {"status": {
            "phase": "Running", "podIP": address, "podIPs": [{"ip": address}],
            "conditions": [{"type": "Ready", "status": "True"}]}}, subresource="status")

    def set_ready(self, node, status):
        self.plane.api.patch("Pod", f"agent-{node}", {"status": {
            "conditions": [{"type": "Ready", "status": status}]}}, subresource="status")

    def start_agent(self, node, address):
        config = self.plane.directory / f"{node}.yaml"
        config.write_text(json.dumps({
            "node": node, "listen": f"{address}:{self.port}", "interval": "200ms",
            "kubernetes": {"namespace": "default", "label_selector": "app=probe",
                           "port": self.port, "kubeconfig": str(self.plane.kubeconfig())}}))
        self.http[node] = free_port()
        self.plane.run(f"agent-{node}", [paths.program("leadline-probe-agent"), "--config", config,
                                         "--http-address", f"127.0.0.1:{self.http[node]}"])

    def total(self, node, family, **labels):
        url = f"http://127.0.0.1:{self.http[node]}/metrics"
        try:
            with urllib.request.urlopen(url, timeout=10) as page:
                return exposition.total(page.read().decode(), family, **labels)
        except OSError:
            return None

    def test_peers_come_and_go(self):
        wait_for("node-a to measure node-b", lambda: (self.total(
            "node-a", "leadline_probe_rtt_seconds_count", peer="node-b") or 0) > 3)
        wait_for("node-b to measure node-a", lambda: (self.total(
            "node-b", "leadline_probe_rtt_seconds_count", peer="node-a") or 0) > 3)
        self.assertLess(self.total("node-a", "leadline_probe_node_rtt_seconds"), 0.1)
        self.set_ready("node-b", "False")
        wait_for("node-a to leave out who is not ready", lambda: self.total(
            "node-a", "leadline_probe_peers") == 0)
        self.set_ready("node-b", "True")
        wait_for("node-a to probe node-b again", lambda: self.total(
            "node-a", "leadline_probe_peers") == 1)
        self.plane.api.delete("Pod", "agent-node-b")
        wait_for("node-a to have no peers", lambda: self.total(
            "node-a", "leadline_probe_peers") == 0)


if __name__ == "__main__":
    unittest.main()
