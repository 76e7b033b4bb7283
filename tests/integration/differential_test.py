"""The same feasible nodes and the same reasons as kube-scheduler, on random worlds.

LEADLINE_SLOW=1 judges ten times as many Pods. LEADLINE_SEED=N repeats a run.
"""

import collections
import concurrent.futures
import json
import os
import random
import threading
import time
import unittest

from differential import judges
from differential.world import NAMESPACES, World
from leadline_testbed import ControlPlane, commands, start_scheduler, wait_for

SLOW = os.environ.get("LEADLINE_SLOW") == "1"
SEED = int(os.environ.get("LEADLINE_SEED") or (random.randrange(10**6) if SLOW else 3))
PODS = 20_000 if SLOW else 2_000
PODS_A_WORLD = 100
THREADS = 8  # that create objects

# Each of these, switched off, must be noticed within so many Pods. (Nobody can notice NodeName: a
# Pod that names its node never reaches a scheduler.)
PLUGINS = ("NodeUnschedulable", "TaintToleration", "NodeAffinity", "NodePorts", "NodeResourcesFit",
           "PodTopologySpread", "InterPodAffinity")
PODS_TO_NOTICE = 500

WITHOUT_PLUGIN = """\
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: dqn-scheduler
  plugins:
    multiPoint: {{disabled: [{{name: {plugin}}}]}}
"""


class DifferentialTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.plane = ControlPlane(("etcd", "kube-apiserver")).start()
        cls.addClassCleanup(cls.plane.stop)
        cls.api = cls.plane.api
        cls.pool = concurrent.futures.ThreadPoolExecutor(THREADS)
        cls.addClassCleanup(cls.close_pool)
        World.prepare(cls.api)
        cls.extender = judges.RefusingExtender()
        cls.addClassCleanup(cls.extender.close)
        kubeconfig = cls.plane.kubeconfig("system:kube-scheduler")
        config = cls.plane.directory / "kube-scheduler.yaml"
        config.write_text(judges.CONFIGURATION.format(
            kubeconfig=kubeconfig, port=cls.extender.port))
        cls.plane.run("kube-scheduler", commands.kube_scheduler(
            kubeconfig, cls.plane.port["kube-scheduler"], config))
        cls.ours = start_scheduler(cls.plane)

    def test_same_verdicts(self):
        started = time.monotonic()
        judged = refused = feasible = number = 0
        differences = []
        coverage = collections.Counter()
        while judged < PODS and not differences:
            with self.subTest(seed=SEED, world=number):
                world, verdicts = self.judge_world(number, [self.ours.url])
                refused += world.refused
                for pod, theirs in verdicts:
                    judged += 1
                    feasible += bool(theirs.feasible)
                    answer = self.ask(self.ours.url, pod, world)
                    coverage.update({text for texts in answer[1].values() for text in texts})
                    found = judges.difference(theirs, world.nodes, answer)
                    if found:
                        differences.append(self.describe(number, pod, theirs, found))
                world.tear_down()
            number += 1
        seconds = time.monotonic() - started
        print(f"seed {SEED}: {judged} Pods in {number} worlds in {seconds:.0f} s, "
              f"{feasible} fitted somewhere, {refused} refused by the API server", flush=True)
        for reason, pods in coverage.most_common():
            print(f"  {pods / max(judged, 1):6.1%} of Pods: {reason}")
        self.assertEqual(differences, [], "\n".join(differences[:3]))
        self.assertGreaterEqual(judged, PODS)
        # The generator must not have become toothless.
        self.assertLess(refused, judged * 0.05)
        self.assertGreater(feasible, judged * 0.2)
        self.assertLess(feasible, judged * 0.9)

    @unittest.skipUnless(SLOW, "LEADLINE_SLOW=1 runs it")
    def test_every_missing_plugin_is_noticed(self):
        crippled = {plugin: self.start_without(plugin).url for plugin in PLUGINS}
        unnoticed = set(PLUGINS)
        judged, number = 0, 100_000
        while unnoticed and judged < PODS_TO_NOTICE:
            world, verdicts = self.judge_world(number, crippled.values())
            for pod, theirs in verdicts:
                judged += 1
                for plugin in sorted(unnoticed):
                    answer = self.ask(crippled[plugin], pod, world)
                    if judges.difference(theirs, world.nodes, answer):
                        unnoticed.remove(plugin)
                        print(f"{plugin} is missed by Pod {judged}", flush=True)
            world.tear_down()
            number += 1
        self.assertEqual(unnoticed, set())

    # -----------------------------------------------------------------------------------------

    @classmethod
    def close_pool(cls):
        """Each thread has a connection of its own to close."""
        barrier = threading.Barrier(THREADS)

        def close(_):
            barrier.wait()  # so that no thread takes two of these
            cls.api.close()
        list(cls.pool.map(close, range(THREADS)))
        cls.pool.shutdown()

    def start_without(self, plugin):
        config = self.plane.directory / f"without-{plugin}.yaml"
        config.write_text(WITHOUT_PLUGIN.format(plugin=plugin))
        scheduler = start_scheduler(self.plane, config=config, name=f"without-{plugin}")
        self.addCleanup(scheduler.stop)
        return scheduler

    def judge_world(self, number, urls):
        """Builds a world and lets kube-scheduler judge Pods in it: (world, [(Pod, verdict)])."""
        world = World(self.api, self.pool, SEED, number)
        world.build()
        self.wait_until_seen(world, urls)
        count = world.create_pending(PODS_A_WORLD)

        def all_judged():
            verdicts = [(pod, self.extender.verdict(pod)) for pod in self.pending(world)]
            return verdicts if len(verdicts) == count and all(v for _, v in verdicts) else None
        return world, wait_for(f"verdicts on {count} Pods", all_judged, interval=0.2)

    def pending(self, world):
        return [pod for namespace in NAMESPACES
                for pod in self.api.list("Pod", namespace, fields="spec.nodeName=")
                if pod["metadata"]["name"].startswith(f"{world.name}-p")]

    def wait_until_seen(self, world, urls):
        """Until every judge knows the world's last node and last Pod."""
        attempts = iter(range(10**6))
        selector = "node(s) didn't match Pod's node affinity/selector"
        ports = "node(s) didn't have free ports for the requested pod ports"
        reasons = {name: [selector] for name in world.nodes} | {world.marker_node: [ports]}
        expected = judges.Verdict(frozenset(), judges.messages(world.nodes, (), reasons)[0])

        def kube_scheduler_sees():
            name = self.api.create(world.port_barrier(next(attempts)))["metadata"]["name"]
            verdict = wait_for("a verdict on the barrier Pod", interval=0.02, condition=lambda:
                               self.extender.verdict(self.api.get("Pod", name)))
            self.api.delete("Pod", name)
            return verdict == expected

        def ours_sees(url):
            """By either barrier: a plugin that is switched off makes one of them useless."""
            if self.ask(url, world.port_barrier(), world) == (frozenset(), reasons):
                return True
            return ([self.ask(url, world.resource_barrier(amount), world)[0] for amount in (1, 2)]
                    == [{world.marker_node}, set()])
        wait_for("kube-scheduler to see the world", kube_scheduler_sees)
        for url in urls:
            wait_for("our scheduler to see the world", lambda url=url: ours_sees(url))

    @staticmethod
    def ask(url, pod, world):
        return judges.ask_filter(url, pod, world.nodes)

    def describe(self, number, pod, theirs, found):
        return (f"LEADLINE_SEED={SEED}, world {number}: {found}\nkube-scheduler: {theirs.message}\n"
                f"{json.dumps(pod['spec'])}")


if __name__ == "__main__":
    unittest.main()
