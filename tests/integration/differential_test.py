"""The same feasible nodes and the same reasons as kube-scheduler, on random worlds.

LEADLINE_SLOW=1 judges far more Pods. LEADLINE_SEED=N repeats a run, LEADLINE_WORLD=N begins with
that world of it, LEADLINE_FAMILIES=claims,disks limits what the worlds hold (see world.FAMILIES).
"""

import concurrent.futures
import dataclasses
import os
import random
import threading
import time
import unittest

from differential import judges, shrink
from differential.board import DISABLED_ADMISSION, Board
from differential.coverage import Coverage
from differential.world import make_world
from leadline_testbed import ControlPlane, start_scheduler

SLOW = os.environ.get("LEADLINE_SLOW") == "1"
SEED = int(os.environ.get("LEADLINE_SEED") or (random.randrange(10**6) if SLOW else 3))
FIRST_WORLD = int(os.environ.get("LEADLINE_WORLD", 0))
PODS = 100_000 if SLOW else 3_000
THREADS = 8  # that create objects
SHRINK_SECONDS = 120
# What ours judges like kube-scheduler; the rest it refuses with a text of its own.
SUPPORTED = ("claims", "declared", "disks")
FAMILIES = tuple(filter(None, os.environ.get("LEADLINE_FAMILIES", ",".join(SUPPORTED)).split(",")))

# Each of these, switched off, must be noticed within so many Pods. (Nobody can notice NodeName: a
# Pod that names its node never reaches a scheduler.)
PLUGINS = ("NodeUnschedulable", "TaintToleration", "NodeAffinity", "NodePorts", "NodeResourcesFit",
           "VolumeRestrictions", "NodeVolumeLimits", "VolumeBinding", "VolumeZone",
           "PodTopologySpread", "InterPodAffinity", "NodeDeclaredFeatures")
PODS_TO_NOTICE = 1_000
# The least share of Pods that each plugin has to refuse a node, so that the generator never
# becomes toothless.
LEAST_SHARE = 0.005

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
        cls.plane = ControlPlane(("etcd", "kube-apiserver"),
                                 disabled_admission=DISABLED_ADMISSION).start()
        cls.addClassCleanup(cls.plane.stop)
        cls.pool = concurrent.futures.ThreadPoolExecutor(THREADS)
        cls.addClassCleanup(cls.close_pool)
        cls.board = Board(cls.plane.api, cls.pool)
        cls.theirs = judges.RealScheduler(cls.plane)
        cls.addClassCleanup(cls.theirs.close)
        cls.ours = start_scheduler(cls.plane)

    def test_same_verdicts(self):
        started = time.monotonic()
        coverage, feasible, number, found = Coverage(), 0, FIRST_WORLD, []
        while coverage.pods < PODS and not found:
            world = make_world(SEED, number, FAMILIES)
            with self.subTest(seed=SEED, world=number):
                for pod, theirs, difference in self.compare(world):
                    coverage.add(theirs, len(world.nodes))
                    feasible += bool(theirs.feasible)
                    if difference:
                        found.append((world, pod, theirs, difference))
            number += 1
        print(f"seed {SEED}: {coverage.pods} Pods in {number - FIRST_WORLD} worlds in "
              f"{time.monotonic() - started:.0f} s, {feasible} fitted somewhere, "
              f"{self.board.refused} refused by the API server\n{coverage.table()}", flush=True)
        for each in found[:3]:
            self.report(number - 1, *each[1:])
        if found:
            self.report_smaller(*found[0][:2])
        self.assertEqual(len(found), 0, "Pods were judged otherwise than by kube-scheduler")
        self.assertGreaterEqual(coverage.pods, PODS)
        self.assertEqual(coverage.unknown, set())
        # The generator must not have become toothless.
        self.assertLess(self.board.refused, coverage.pods * 0.05)
        self.assertGreater(feasible, coverage.pods * 0.2)
        self.assertLess(feasible, coverage.pods * 0.9)
        for plugin in PLUGINS:
            self.assertGreater(coverage.touched[plugin], coverage.pods * LEAST_SHARE, plugin)

    @unittest.skipUnless(SLOW, "LEADLINE_SLOW=1 runs it")
    def test_every_missing_plugin_is_noticed(self):
        crippled = {plugin: self.start_without(plugin).url for plugin in PLUGINS}
        unnoticed = set(PLUGINS)
        judged, number = 0, 100_000
        while unnoticed and judged < PODS_TO_NOTICE:
            world = make_world(SEED, number, FAMILIES)
            self.put(world, {crippled[plugin]: plugin for plugin in unnoticed})
            for pod, theirs in self.theirs.verdicts(self.board, world):
                judged += 1
                for plugin in sorted(unnoticed):
                    answer = judges.ask_filter(crippled[plugin], pod, world.node_names)
                    if judges.difference(theirs, world.node_names, answer):
                        unnoticed.remove(plugin)
                        print(f"{plugin} is missed by Pod {judged}", flush=True)
            self.board.clear()
            number += 1
        self.assertEqual(unnoticed, set())

    # -----------------------------------------------------------------------------------------

    @classmethod
    def close_pool(cls):
        """Each thread has a connection of its own to close."""
        barrier = threading.Barrier(THREADS)

        def close(_):
            barrier.wait()  # so that no thread takes two of these
            cls.plane.api.close()
        list(cls.pool.map(close, range(THREADS)))
        cls.pool.shutdown()

    def start_without(self, plugin):
        config = self.plane.directory / f"without-{plugin}.yaml"
        config.write_text(WITHOUT_PLUGIN.format(plugin=plugin))
        scheduler = start_scheduler(self.plane, config=config, name=f"without-{plugin}")
        self.addCleanup(scheduler.stop)
        return scheduler

    def put(self, world, urls):
        """Until all see the world; `urls` of our schedulers, each with the plugin it lacks."""
        self.board.put(world)
        self.theirs.wait_until_seen(self.board, world)
        for url, plugin in urls.items():
            judges.wait_until_ours_sees(url, self.board, world, without=plugin)

    def compare(self, world):
        """[(Pod, kube-scheduler's verdict, difference or None)] of one world, then gone."""
        self.put(world, {self.ours.url: None})
        found = []
        for pod, theirs in self.theirs.verdicts(self.board, world):
            answer = judges.ask_filter(self.ours.url, pod, world.node_names)
            found.append((pod, theirs, judges.difference(theirs, world.node_names, answer)))
        self.board.clear()
        return found

    @staticmethod
    def report(number, pod, theirs, difference):
        """Says what differs, and how to see it again."""
        print(f"LEADLINE_SEED={SEED} LEADLINE_WORLD={number} LEADLINE_FAMILIES="
              f"{','.join(FAMILIES)}: {pod['metadata']['name']}: {difference}\n"
              f"kube-scheduler: {theirs.message}", flush=True)

    def report_smaller(self, world, pod):
        """Prints the smallest world found that shows a difference for this Pod."""
        name = pod["metadata"]["name"]
        world = dataclasses.replace(world, pending=[p for p in world.pending if p.name == name])
        world = shrink.shrink(world, lambda smaller: any(
            found for _, _, found in self.compare(smaller)), SHRINK_SECONDS)
        for _, verdict, found in self.compare(world):
            print(f"in a smaller world: {found}\nkube-scheduler: {verdict.message}")
        print(shrink.text(world), flush=True)


if __name__ == "__main__":
    unittest.main()
