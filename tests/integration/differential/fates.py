"""What has happened to a Pod that stands on a node."""

from .generator import CPU, MEMORY
from .thing import Thing


class Fates:
    def __init__(self, rng):
        self.rng = rng

    def chance(self, probability):
        return self.rng.random() < probability

    def befall(self, pod):
        """The Pod with the status that it has come to."""
        fate = self.rng.choice(("stays", "stays", "stays", "resized", "resized", "finished",
                                "leaving"))
        if fate == "resized":
            return Thing(pod, status=self.resize(pod))
        if fate == "finished":
            # kube-scheduler frees a port that two Pods hold as soon as one of them ends.
            for container in (*pod["spec"]["containers"], *pod["spec"].get("initContainers", ())):
                container.pop("ports", None)
            return Thing(pod, status={"phase": self.rng.choice(("Succeeded", "Failed"))})
        return Thing(pod, leaving=fate == "leaving")

    def resize(self, pod):
        """A status as a kubelet leaves it before, during or after a resize in place."""
        status = {"phase": "Running"}
        spec = pod["spec"]
        status["containerStatuses"] = self.container_statuses(spec["containers"])
        if "initContainers" in spec:
            status["initContainerStatuses"] = self.container_statuses(spec["initContainers"])
        if self.chance(0.6):
            status["conditions"] = [{"type": "PodResizePending", "status": "True",
                                     "reason": self.rng.choice(("Infeasible", "Deferred"))}]
        if self.chance(0.3):
            status["allocatedResources"] = self.amounts()
        if self.chance(0.3):
            status["resources"] = {"requests": self.amounts()} if self.chance(0.7) else {}
        return status

    def container_statuses(self, containers):
        statuses = []
        for container in containers:
            if self.chance(0.15):
                continue
            status = {"name": container["name"], "image": "any", "imageID": "", "ready": True,
                      "restartCount": 0, "state": {"running": {}}}
            if self.chance(0.6):
                status["allocatedResources"] = self.amounts()
            if self.chance(0.6):
                status["resources"] = {"requests": self.amounts()}
            statuses.append(status)
        return statuses

    def amounts(self):
        amounts = {"cpu": self.rng.choice(CPU)}
        if self.chance(0.6):
            amounts["memory"] = self.rng.choice(MEMORY)
        return amounts
