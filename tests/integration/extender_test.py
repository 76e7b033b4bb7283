"""The real kube-scheduler with our scheduler as its HTTPS extender: filter, prioritize, preempt, bind."""

import ssl
import subprocess
import unittest
import urllib.error
import urllib.request

from leadline_testbed import ControlPlaneTestCase, Scheduler, commands, objects, wait_for

PODS = 12

CONFIGURATION = """\
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
leaderElection: {{leaderElect: false}}
clientConnection: {{kubeconfig: {kubeconfig}}}
extenders:
- urlPrefix: https://127.0.0.1:{port}
  filterVerb: filter
  prioritizeVerb: prioritize
  preemptVerb: preempt
  bindVerb: bind
  weight: 1000
  nodeCacheCapable: true
  enableHTTPS: true
  tlsConfig:
    certFile: {directory}/client.pem
    keyFile: {directory}/client.key
    caFile: {directory}/ca.pem
"""


def openssl(*arguments):
    subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True)


def make_certificates(directory):
    """An authority, and under it the server's and a client's certificate."""
    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
            "-days", 2, "-subj", "/CN=test authority", "-keyout", directory / "ca.key",
            "-out", directory / "ca.pem")
    for name, subject in (("server", "leadline-scheduler"), ("client", "kube-scheduler")):
        openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                "-subj", f"/CN={subject}", "-addext", "subjectAltName=IP:127.0.0.1",
                "-keyout", directory / f"{name}.key", "-out", directory / f"{name}.csr")
        openssl("x509", "-req", "-in", directory / f"{name}.csr", "-CA", directory / "ca.pem",
                "-CAkey", directory / "ca.key", "-CAcreateserial", "-days", 2,
                "-copy_extensions", "copy", "-out", directory / f"{name}.pem")


class HttpsScheduler(Scheduler):
    """Asks ours over HTTPS, as a client without a certificate unless told otherwise."""

    def __init__(self, plane, directory, **options):
        super().__init__(plane, arguments=[
            "--tls-cert-file", directory / "server.pem",
            "--tls-private-key-file", directory / "server.key",
            "--client-ca-file", directory / "ca.pem"], **options)
        self.url = self.url.replace("http://", "https://")
        self._context = ssl.create_default_context(cafile=directory / "ca.pem")

    def get(self, path):
        return self.send(urllib.request.Request(self.url + path))

    def send(self, request):
        with urllib.request.urlopen(request, timeout=30, context=self._context) as response:
            return response.read().decode()


class ExtenderTest(ControlPlaneTestCase):
    components = ("etcd", "kube-apiserver", "kube-controller-manager", "kwok")

    def test_kube_scheduler_binds_through_us(self):
        directory = self.plane.directory / "certificates"
        directory.mkdir()
        make_certificates(directory)
        ours = HttpsScheduler(self.plane, directory).start()
        with self.assertRaises(urllib.error.HTTPError) as refused:
            ours.send(urllib.request.Request(ours.url + "/bind", data=b"{}", method="POST"))
        self.assertEqual(refused.exception.code, 401)

        kubeconfig = self.plane.kubeconfig("system:kube-scheduler")
        config = self.plane.directory / "kube-scheduler.yaml"
        config.write_text(CONFIGURATION.format(kubeconfig=kubeconfig, port=ours.port,
                                               directory=directory))
        self.plane.run("kube-scheduler", commands.kube_scheduler(
            kubeconfig, self.plane.port["kube-scheduler"], config))
        nodes = self.plane.add_nodes(3)
        for index in range(PODS):
            self.plane.api.create(objects.pod(f"pod-{index}", scheduler="default-scheduler"))
        # Fits nowhere: the extender is not asked to bind it.
        self.plane.api.create(objects.pod("huge", scheduler="default-scheduler", cpu="1000"))

        def bound():
            pods = self.plane.api.list("Pod", "default")
            return [p for p in pods if p["spec"].get("nodeName")]
        pods = wait_for(f"{PODS} Pods on nodes", lambda: len(bound()) == PODS and bound())
        self.assertTrue({p["spec"]["nodeName"] for p in pods} <= set(nodes))
        for verb in ("filter", "prioritize", "bind"):
            # The last call is counted when it is answered, after its Pod has its node.
            served = wait_for(f"{PODS} calls of {verb}", lambda verb=verb: (
                lambda calls: calls if calls >= PODS else None)(
                    ours.metric("leadline_extender_requests_total", verb=verb, result="ok")))
            self.assertEqual(served, PODS, verb)
        self.only_the_refused_call_failed(ours)
        wait_for("the bindings in the audit log", lambda: len(self.plane.bindings()) == PODS)
        self.preempts_through(ours, nodes)

    def preempts_through(self, ours, nodes):
        """C33: whoever kube-scheduler evicts, we were asked about, and the Pod gets the room."""
        api = self.plane.api
        api.create({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass",
                    "metadata": {"name": "urgent"}, "value": 1000})
        victims = {f"victim-{node}" for node in nodes}
        for node in nodes:
            api.create(objects.pod(f"victim-{node}", cpu="5", node_name=node))
        api.create(objects.pod("urgent", scheduler="default-scheduler", cpu="5",
                               priorityClassName="urgent"))
        node = wait_for("the urgent Pod on a node",
                        lambda: api.get("Pod", "urgent", "default")["spec"].get("nodeName"))
        left = {pod["metadata"]["name"] for pod in api.list("Pod", "default")}
        self.assertEqual(victims - left, {f"victim-{node}"})
        preempted = ours.metric("leadline_extender_requests_total", verb="preempt", result="ok")
        self.assertGreaterEqual(preempted, 1)
        self.only_the_refused_call_failed(ours)

    def only_the_refused_call_failed(self, ours):
        for result, calls in (("failed", 0), ("error", 1)):
            self.assertEqual(ours.metric("leadline_extender_requests_total", result=result), calls)


if __name__ == "__main__":
    unittest.main()
