"""A profile without DQNScore scores as kube-scheduler does, plugin by plugin, to the unit.

kube-scheduler tells its scores at verbosity 10. It binds nothing: its extender's bind fails, so
that all Pods are scored in one unchanging world. LEADLINE_SLOW=1 scores far more Pods.
"""

import collections
import http.server
import json
import os
import random
import re
import threading
import time
import unittest
import urllib.request

from leadline_testbed import ControlPlaneTestCase, commands, objects, start_scheduler, wait_for

SLOW = os.environ.get("LEADLINE_SLOW") == "1"
SEED = int(os.environ.get("LEADLINE_SEED") or (random.randrange(10**6) if SLOW else 5))
WORLDS, PODS = (20, 60) if SLOW else (3, 40)
NODES = 8

THEIRS = """\
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
leaderElection: {{leaderElect: false}}
clientConnection: {{kubeconfig: {kubeconfig}, qps: 1000, burst: 2000}}
percentageOfNodesToScore: 100
podInitialBackoffSeconds: 3600
podMaxBackoffSeconds: 3600
profiles:
- schedulerName: default-scheduler
  plugins: {{postFilter: {{disabled: [{{name: "*"}}]}}}}
extenders:
- {{urlPrefix: "http://127.0.0.1:{port}", bindVerb: bind, nodeCacheCapable: true}}
"""

OURS = """\
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: dqn-scheduler
"""

LINE = re.compile(r'"Plugin scored node for pod" pod="([^"]+)" plugin="([^"]+)" node="([^"]+)" '
                  r'score=(-?\d+)')
OUR_LINE = re.compile(r"score of (\S+) by (\S+) on (\S+): (-?\d+)")


class NoBinder:
    """An extender whose bind always fails."""

    def __init__(self):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):  # the name that the library calls
                self.rfile.read(int(self.headers["Content-Length"]))
                answer = json.dumps({"Error": "refused by the test"}).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_):
                pass
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Maker:
    """Random nodes and Pods whose every wish is a preference."""

    def __init__(self, rng):
        self.rng = rng

    def some(self, values, probability=0.7):
        return {key: self.rng.choice(choices) for key, choices in values.items()
                if self.rng.random() < probability}

    def node(self, name):
        rng = self.rng
        labels = self.some({"topology.kubernetes.io/zone": "abc", "disk": ("ssd", "hdd")})
        labels["kubernetes.io/hostname"] = name
        images = [{"names": [f"img-{index}:latest", f"img-{index}:v1"],
                   "sizeBytes": (index + 1) * 150 * 2**20}
                  for index in range(4) if rng.random() < 0.5]
        amounts = {"cpu": rng.choice("48"), "memory": rng.choice(("8Gi", "16G", "12345678k")),
                   "ephemeral-storage": "50Gi", "pods": "110"}
        taints = [{"key": key, "effect": "PreferNoSchedule"} for key in "abc"
                  if rng.random() < 0.25]
        return ({"apiVersion": "v1", "kind": "Node",
                 "metadata": {"name": name, "labels": labels}},
                {"capacity": amounts, "allocatable": amounts, "images": images}, taints)

    def pod(self, name, scheduler="default-scheduler"):
        rng = self.rng
        requests = self.some({"cpu": ("100m", "250m", "1", "0"),
                              "memory": ("64Mi", "1Gi", "500M", "0")})
        spec = {"schedulerName": scheduler, "terminationGracePeriodSeconds": 0, "containers": [
            {"name": f"c{index}", "image": f"img-{rng.randrange(5)}{rng.choice(('', ':v1'))}",
             "resources": {"requests": requests}} for index in range(rng.choice((1, 1, 2)))]}
        if rng.random() < 0.4:
            spec["tolerations"] = [{"key": rng.choice("abc"), "operator": "Exists"}]
        affinity = {}
        if rng.random() < 0.4:
            affinity["nodeAffinity"] = {"preferredDuringSchedulingIgnoredDuringExecution": [
                {"weight": rng.randint(1, 100), "preference": {"matchExpressions": [
                    {"key": "disk", "operator": rng.choice(("In", "NotIn")), "values": ["ssd"]}]}}
                for _ in range(rng.choice((1, 2)))]}
        for kind in ("podAffinity", "podAntiAffinity"):
            if rng.random() < 0.35:
                affinity[kind] = {"preferredDuringSchedulingIgnoredDuringExecution": [
                    {"weight": rng.randint(1, 100), "podAffinityTerm": self.term()}]}
        if rng.random() < 0.1:
            affinity.setdefault("podAffinity", {})[
                "requiredDuringSchedulingIgnoredDuringExecution"] = [
                    {**self.term(), "labelSelector": {}}]
        if affinity:
            spec["affinity"] = affinity
        if rng.random() < 0.4:
            spec["topologySpreadConstraints"] = [
                {"maxSkew": rng.randint(1, 3), "whenUnsatisfiable": "ScheduleAnyway",
                 "topologyKey": key, "labelSelector": {"matchLabels": {"app": rng.choice("xyz")}}}
                for key in rng.sample(("topology.kubernetes.io/zone", "kubernetes.io/hostname",
                                       "disk"), rng.randint(1, 2))]
        return {"apiVersion": "v1", "kind": "Pod", "spec": spec,
                "metadata": {"name": name, "namespace": "default",
                             "labels": self.some({"app": "xyz", "tier": "fb"}, 0.8)}}

    def term(self):
        return {"topologyKey": self.rng.choice(("topology.kubernetes.io/zone",
                                                "kubernetes.io/hostname", "disk")),
                "labelSelector": {"matchLabels": {"app": self.rng.choice("xyz")}}}


class ScoresTest(ControlPlaneTestCase):
    components = ("etcd", "kube-apiserver")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.binder = NoBinder()
        cls.addClassCleanup(cls.binder.close)
        kubeconfig = cls.plane.kubeconfig("system:kube-scheduler")
        config = cls.plane.directory / "kube-scheduler.yaml"
        config.write_text(THEIRS.format(kubeconfig=kubeconfig, port=cls.binder.port))
        command = commands.kube_scheduler(kubeconfig, cls.plane.port["kube-scheduler"], config)
        cls.theirs = cls.plane.run("kube-scheduler", [*command, "--v", "10"])
        ours = cls.plane.directory / "ours.yaml"
        ours.write_text(OURS)
        cls.ours = start_scheduler(cls.plane, config=ours, arguments=["--log-level", "trace"])
        cls.plane.api.create({"apiVersion": "v1", "kind": "Service",
                              "metadata": {"name": "x", "namespace": "default"},
                              "spec": {"selector": {"app": "x"}, "ports": [{"port": 80}]}})

    def test_equal_to_the_unit(self):
        plugins = collections.Counter()
        scored = 0
        for number in range(WORLDS):
            maker = Maker(random.Random(f"{SEED}/{number}"))
            names = self.build(maker, number)
            for index in range(PODS):
                pod = maker.pod(f"w{number}-p{index}")
                created = self.plane.api.create(pod)
                key = f"default/{created['metadata']['name']}"
                theirs = self.wait_scores(self.theirs, LINE, key, wait=True)
                ours = self.ask(created, names, key)
                self.plane.api.delete("Pod", created["metadata"]["name"])
                scored += bool(theirs)
                for plugin, values in theirs.items():
                    plugins[plugin] += len(set(values.values())) > 1
                with self.subTest(seed=SEED, pod=key):
                    self.assertEqual(self.meaningful(ours), self.meaningful(theirs),
                                     json.dumps(created["spec"]))
            self.plane.api.delete_all("Pod", "default")
            self.plane.api.request("DELETE", "/api/v1/nodes")
        print(f"seed {SEED}: {scored} Pods scored alike; Pods whose nodes a plugin told apart: "
              f"{dict(plugins)}", flush=True)
        self.assertGreater(scored, WORLDS * PODS * 0.8)
        for plugin in ("TaintToleration", "NodeAffinity", "NodeResourcesFit", "PodTopologySpread",
                       "InterPodAffinity", "NodeResourcesBalancedAllocation", "ImageLocality"):
            self.assertGreater(plugins[plugin], 5, plugin)

    def build(self, maker, number):
        names = [f"w{number}-n{index}" for index in range(NODES)]
        for name in names:
            node, status, taints = maker.node(name)
            self.plane.api.create(node)
            self.plane.api.patch("Node", name, {"status": status}, subresource="status")
            self.plane.api.patch("Node", name, {"spec": {"taints": taints}})
        for index in range(3 * NODES):
            pod = maker.pod(f"w{number}-b{index}", "nobody")
            pod["spec"]["nodeName"] = maker.rng.choice(names)
            self.plane.api.create(pod)
        # Both have seen the world when a Pod that came last holds room in their eyes.
        time.sleep(1.5)
        return names

    @staticmethod
    def meaningful(scores):
        """Of a plugin that tells no nodes apart it does not matter whether it was asked."""
        return {plugin: values for plugin, values in scores.items()
                if len(set(values.values())) > 1}

    def wait_scores(self, process, line, key, wait):
        def found():
            scores = collections.defaultdict(dict)
            for pod, plugin, node, score in line.findall(process.log_text()):
                if pod == key:
                    scores[plugin][node] = int(score)
            return scores

        def judged():
            condition = objects.condition(self.plane.api.get("Pod", key.split("/")[1]),
                                          "PodScheduled")
            return condition.get("status") == "False"
        if wait:
            wait_for(f"kube-scheduler to judge {key}", judged, interval=0.05)
        return found()

    def ask(self, pod, names, key):
        body = json.dumps({"Pod": pod, "NodeNames": names}).encode()
        request = urllib.request.Request(self.ours.url + "/prioritize", body,
                                         {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as response:
            response.read()
        return self.wait_scores(self.ours.process, OUR_LINE, key, wait=False)


if __name__ == "__main__":
    unittest.main()
