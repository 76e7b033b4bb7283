"""The same victims as kube-scheduler, for the same Pods, in random worlds of their own.

Each world is built twice in one cluster: for a Pod of kube-scheduler's and for one of ours, which
can go only to its own nodes. LEADLINE_SLOW=1 builds far more worlds, LEADLINE_SEED=N repeats a run.
"""

import datetime
import os
import random
import unittest

from leadline_testbed import ControlPlane, commands, objects, start_scheduler, wait_for

SLOW = os.environ.get("LEADLINE_SLOW") == "1"
SEED = int(os.environ.get("LEADLINE_SEED") or (random.randrange(10**6) if SLOW else 7))
WORLDS = 120 if SLOW else 40
SIDES = {"theirs": "default-scheduler", "ours": "dqn-scheduler"}
PRIORITIES = (-5, 0, 1, 2, 3, 9)
FIRST_START = datetime.datetime(2026, 1, 1)

OURS = """\
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: dqn-scheduler
"""


class Maker:
    """One world as it looks to either side: nodes, Pods on them, budgets, and who wants in."""

    def __init__(self, number):
        self.rng = random.Random(f"{SEED}/{number}")
        self.number = number
        self.started = 0

    def world(self):
        rng = self.rng
        nodes = {f"n{index}": {"cpu": rng.choice(("2", "4")), "pods": rng.choice((3, 110, 110)),
                               "zone": rng.choice("ab"), "cordoned": rng.random() < 0.1,
                               "running": [self.running(port=rng.random() < 0.4 and not place)
                                           for place in range(rng.randint(1, 6))]}
                 for index in range(rng.randint(2, 6))}
        return {"nodes": nodes, "budgets": self.budgets(),
                "wants": self.wants()}

    def running(self, port):
        """At most one of a node has the port: when it is held twice, kube-scheduler frees it with
        the first of them that goes."""
        rng = self.rng
        self.started += 1
        pod = {"priority": rng.choice(PRIORITIES[:-1]), "cpu": rng.choice(("500m", "1", "1500m")),
               "labels": {"app": rng.choice("xyz")}, "port": port, "spec": {}}
        # No two start together, or equal choices would be told apart by chance.
        seconds = rng.randrange(10_000) * 100 + self.started
        pod["start"] = (FIRST_START + datetime.timedelta(seconds=seconds)).isoformat() + "Z"
        if rng.random() < 0.15:
            pod["spec"]["affinity"] = {"podAntiAffinity": self.anti_affinity()}
        return pod

    def anti_affinity(self):
        return {"requiredDuringSchedulingIgnoredDuringExecution": [
            {"labelSelector": {"matchLabels": {"app": self.rng.choice("xyz")}},
             "topologyKey": self.rng.choice(("kubernetes.io/hostname",
                                             "topology.kubernetes.io/zone"))}]}

    def budgets(self):
        """No Pod is under two of them: then kube-scheduler's choice depends on their order, which
        is by chance."""
        rng = self.rng
        selectors = rng.choice(([{"matchLabels": {"app": "x"}}, {"matchLabels": {"app": "y"}}, {}],
                                [{"matchExpressions": [{"key": "app", "operator": "Exists"}]}]))
        return [{"selector": selector, "allowed": rng.randint(0, 3)} for selector in selectors
                if rng.random() < 0.7]

    def wants(self):
        rng = self.rng
        wants = {"priority": rng.choice((2, 3, 9, 9)), "never": rng.random() < 0.05,
                 "cpu": rng.choice(("500m", "1", "1500m", "2", "3")),
                 "labels": {"app": rng.choice("xyz")},
                 "port": rng.random() < 0.2, "spec": {}}
        if rng.random() < 0.25:
            wants["spec"]["affinity"] = {"podAntiAffinity": self.anti_affinity()}
        if rng.random() < 0.3:
            wants["spec"]["topologySpreadConstraints"] = [
                {"maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone",
                 "whenUnsatisfiable": "DoNotSchedule",
                 "labelSelector": {"matchLabels": {"app": wants["labels"]["app"]}}}]
        return wants


class PreemptionTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # Nobody is there to take the taint of a Node that is new off again.
        cls.plane = ControlPlane(("etcd", "kube-apiserver"),
                                 disabled_admission=("TaintNodesByCondition",)).start()
        cls.addClassCleanup(cls.plane.stop)
        cls.api = cls.plane.api
        for side in SIDES:
            cls.api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": side}})
        for priority in PRIORITIES:
            for never in (False, True):
                cls.api.create({
                    "apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass",
                    "metadata": {"name": cls.class_of(priority, never)}, "value": priority,
                    "preemptionPolicy": "Never" if never else "PreemptLowerPriority"})

    def test_same_victims(self):
        worlds = {number: Maker(number).world() for number in range(WORLDS)}
        # The schedulers start when all is there: what they decide depends on nobody's haste.
        for number, world in worlds.items():
            self.build(number, world)
        self.start_schedulers()
        fates = {side: self.fates(side, worlds) for side in SIDES}
        preempting = 0
        for number, world in worlds.items():
            with self.subTest(seed=SEED, world=number):
                ours, theirs = fates["ours"][number], fates["theirs"][number]
                self.assertEqual(ours, theirs, f"{world}")
                preempting += bool(theirs["victims"])
        victims = sum(len(fate["victims"]) for fate in fates["theirs"].values())
        print(f"seed {SEED}: {WORLDS} worlds, {preempting} Pods preempted {victims} others")
        # The generator must not have become toothless.
        self.assertGreater(preempting, WORLDS * 0.3)
        self.assertGreater(victims, preempting * 1.3)
        self.check_words()
        self.check_bound(fates["ours"])

    # -----------------------------------------------------------------------------------------

    @staticmethod
    def class_of(priority, never=False):
        return f"p{priority + 100}" + ("-never" if never else "")

    def pod(self, side, name, wants, **spec):
        pod = objects.pod(name, scheduler=SIDES[side], namespace=side, cpu=wants["cpu"],
                          labels=wants["labels"], **wants["spec"], **spec,
                          priorityClassName=self.class_of(wants["priority"],
                                                          wants.get("never", False)),
                          # Victims are terminating for as long as the test looks at them.
                          terminationGracePeriodSeconds=600)
        if wants["port"]:
            pod["spec"]["containers"][0]["ports"] = [{"containerPort": 80, "hostPort": 80}]
        return pod

    def build(self, number, world):
        for side in SIDES:
            for node, has in world["nodes"].items():
                self.build_node(side, f"{side}-w{number}-{node}", number, has)
            for index, budget in enumerate(world["budgets"]):
                self.build_budget(side, f"w{number}-b{index}", number, budget)
            wants = self.of_world(world["wants"], number)
            self.api.create(self.pod(side, f"w{number}-wants", wants,
                                     nodeSelector={"side": side, "world": str(number)}))

    @staticmethod
    def of_world(wants, number):
        """Labels and selectors of one world say nothing in another."""
        text = {value: f"{value}-{number}" for value in "xyz"}

        def renamed(thing):
            if isinstance(thing, dict):
                return {key: text.get(value, value) if key == "app" else renamed(value)
                        for key, value in thing.items()}
            return [renamed(one) for one in thing] if isinstance(thing, list) else thing
        return renamed(wants)

    def build_node(self, side, name, number, has):
        node = objects.node(name, zone=f"{side}-w{number}-{has['zone']}", cpu=has["cpu"],
                            pods=has["pods"], labels={"side": side, "world": str(number)})
        node["spec"]["unschedulable"] = has["cordoned"]
        self.api.create(node)
        for index, wants in enumerate(has["running"]):
            pod = f"{name.removeprefix(side + '-')}-p{index}"
            self.api.create(self.pod(side, pod, self.of_world(wants, number), node_name=name))
            status = {"phase": "Running", "startTime": wants["start"]}
            self.api.patch("Pod", pod, {"status": status}, side, "status")

    def build_budget(self, side, name, number, budget):
        selector = self.of_world(budget["selector"], number)
        if "matchExpressions" in selector:
            selector = {"matchExpressions": [{"key": "app", "operator": "In", "values": [
                f"{app}-{number}" for app in "xyz"]}]}
        if not selector and number % 2:
            selector = None
        self.api.create({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
                         "metadata": {"name": name, "namespace": side},
                         "spec": {"minAvailable": 1, "selector": selector}})
        self.api.patch("PodDisruptionBudget", name, {"status": {
            "disruptionsAllowed": budget["allowed"], "currentHealthy": 1, "desiredHealthy": 1,
            "expectedPods": 1, "observedGeneration": 1}}, side, "status")

    def start_schedulers(self):
        kubeconfig = self.plane.kubeconfig("system:kube-scheduler")
        self.plane.run("kube-scheduler", commands.kube_scheduler(
            kubeconfig, self.plane.port["kube-scheduler"]))
        config = self.plane.directory / "ours.yaml"
        config.write_text(OURS)
        start_scheduler(self.plane, config=config)

    def fates(self, side, worlds):
        """What became of each world's Pod: what was said of its first attempt, if it was not bound
        at once, and who has to go. Without the sides' names."""
        def judged():
            wants = {pod["metadata"]["name"]: pod for pod in self.api.list("Pod", side)
                     if pod["metadata"]["name"].endswith("-wants")}
            said = self.first_words(side)
            done = [name for name, pod in wants.items()
                    if pod["spec"].get("nodeName") or name in said]
            return said if len(done) == len(worlds) else None
        said = wait_for(f"verdicts on {len(worlds)} Pods of {side}", judged, interval=0.5)
        expected = sum(int(text.split("preempting ")[1].split()[0]) for text in said.values()
                       if "preempting " in text)

        def victims():
            leaving = [pod["metadata"]["name"] for pod in self.api.list("Pod", side)
                       if pod["metadata"].get("deletionTimestamp")]
            return leaving if len(leaving) >= expected else None
        leaving = wait_for(f"{expected} victims of {side} to be leaving", victims, interval=0.5)
        self.check_nominations(side, said)
        return {number: {
            "said": said.get(f"w{number}-wants", "bound at once").replace(f"{side}-w", "w"),
            "victims": sorted(name for name in leaving if name.startswith(f"w{number}-")),
        } for number in worlds}

    def check_nominations(self, side, said):
        """Who preempts is nominated to the node it said, or bound already: a spread does not count
        those who are leaving, so that it may fit elsewhere at its next attempt."""
        def nominated():
            pods = {pod["metadata"]["name"]: pod for pod in self.api.list("Pod", side)}
            return all(pods[name]["spec"].get("nodeName")
                       or pods[name]["status"].get("nominatedNodeName") == self.node_in(text)
                       for name, text in said.items() if "preempting " in text)
        wait_for(f"nominations of {side}", nominated, interval=0.5)

    @staticmethod
    def node_in(text):
        return text.split(" for pod on node ")[1].split(",")[0]

    def first_words(self, side):
        """The note of each Pod's first FailedScheduling Event."""
        first = {}
        for event in sorted(self.api.list("Event", side), key=lambda event: event["eventTime"]):
            if event["reason"] == "FailedScheduling":
                first.setdefault(event["regarding"]["name"], event["note"])
        return first

    def check_words(self):
        """Events and conditions of the victims are worded alike."""
        def told(side):
            uids = {pod["metadata"]["uid"]: pod["metadata"]["name"]
                    for pod in self.api.list("Pod", side)}
            leaving = {pod["metadata"]["name"]: pod for pod in self.api.list("Pod", side)
                       if pod["metadata"].get("deletionTimestamp")}
            events = {}
            for event in self.api.list("Event", side):
                if event["reason"] != "Preempted":
                    continue
                uid = event["note"].split()[3]
                events[event["regarding"]["name"]] = (
                    event["type"], event["action"],
                    event["note"].replace(uid, uids[uid]).replace(f"{side}-", ""))
            if set(events) != set(leaving):
                return None
            conditions = {name: {key: value for key, value in
                                 objects.condition(pod, "DisruptionTarget").items()
                                 if key in ("status", "reason", "message")}
                          for name, pod in leaving.items()}
            text = repr((sorted(events.items()), sorted(conditions.items())))
            return text.replace(SIDES[side], "scheduler")
        words = {side: wait_for(f"Events about the victims of {side}",
                                lambda side=side: told(side)) for side in SIDES}
        self.assertEqual(words["ours"], words["theirs"])

    def check_bound(self, fates):
        """When the victims are gone, whoever waited for them is on the node they left."""
        waiting = {pod["metadata"]["name"]: pod["status"]["nominatedNodeName"]
                   for pod in self.api.list("Pod", "ours", fields="spec.nodeName=")
                   if pod["status"].get("nominatedNodeName")}
        self.assertGreater(len(waiting), WORLDS * 0.2)
        for fate in fates.values():
            for victim in fate["victims"]:
                self.api.delete("Pod", victim, "ours")

        def all_bound():
            nodes = {pod["metadata"]["name"]: pod["spec"].get("nodeName", "")
                     for pod in self.api.list("Pod", "ours")}
            return {name: nodes[name] for name in waiting} == waiting
        wait_for("those who preempted to be bound", all_bound, interval=0.5)


if __name__ == "__main__":
    unittest.main()
