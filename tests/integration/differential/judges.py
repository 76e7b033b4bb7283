"""The two who judge: the real kube-scheduler through its extender, and ours through /filter."""

import collections
import dataclasses
import http.server
import itertools
import json
import re
import threading
import urllib.request

from leadline_testbed import commands, wait_for

from .barriers import SELECTOR

REFUSAL = "refused by the test"
MISSING_DRIVER = re.compile(r"(\d+) \S+ (CSI driver is not installed on the node)")

CONFIGURATION = """\
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
leaderElection: {{leaderElect: false}}
clientConnection: {{kubeconfig: {kubeconfig}, qps: 1000, burst: 2000}}
percentageOfNodesToScore: 100
profiles:
- schedulerName: default-scheduler
  plugins:
    postFilter: {{disabled: [{{name: "*"}}]}}
extenders:
- urlPrefix: http://127.0.0.1:{port}
  filterVerb: filter
  nodeCacheCapable: true
  httpTimeout: 60s
"""


@dataclasses.dataclass(frozen=True)
class Verdict:
    """Where a Pod may go, and the text that explains the rest; or that its cycle failed."""
    feasible: frozenset
    message: str
    error: bool = False

    REFUSAL = REFUSAL


class RefusingExtender:
    """Serves the extender that refuses every node, and remembers for which it was asked."""

    def __init__(self):
        self.asked = {}  # Pod UID: names of the nodes that passed the filters
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):  # the name that the library calls
                body = self.rfile.read(int(self.headers["Content-Length"]))
                arguments = {key.lower(): value for key, value in json.loads(body).items()}
                names = arguments["nodenames"]
                outer.asked[arguments["pod"]["metadata"]["uid"]] = frozenset(names)
                answer = json.dumps({"NodeNames": [],
                                     "FailedNodes": {name: REFUSAL for name in names}}).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()

    def verdict(self, pod):
        """The real scheduler's verdict on a Pod, or None while there is none."""
        for condition in pod.get("status", {}).get("conditions", ()):
            if condition["type"] == "PodScheduled" and condition.get("reason") != "SchedulingGated":
                feasible = self.asked.get(pod["metadata"]["uid"], frozenset())
                return Verdict(feasible, condition.get("message", "").rstrip(),
                               condition.get("reason") == "SchedulerError")
        return None


class RealScheduler:
    """The real kube-scheduler with that extender, as one who judges worlds on a board."""

    def __init__(self, plane):
        self._api = plane.api
        self._extender = RefusingExtender()
        kubeconfig = plane.kubeconfig("system:kube-scheduler")
        config = plane.directory / "kube-scheduler.yaml"
        config.write_text(CONFIGURATION.format(kubeconfig=kubeconfig, port=self._extender.port))
        plane.run("kube-scheduler", commands.kube_scheduler(
            kubeconfig, plane.port["kube-scheduler"], config))

    def close(self):
        self._extender.close()

    def wait_until_seen(self, board, world):
        for barrier in board.barriers(world):
            said = []

            def passed(barrier=barrier, said=said):
                said[:] = [self._judge_one(barrier.pod, world)]
                return barrier.passed(said[0])
            wait_for(f"kube-scheduler to pass the barrier {barrier}; it says {said}", passed)

    def _judge_one(self, pod, world):
        """The reasons against one Pod; on nodes other than the marker node, the selector's."""
        name = self._api.create(pod)["metadata"]["name"]
        verdict = wait_for("a verdict on a barrier Pod", interval=0.02, condition=lambda:
                           self._extender.verdict(self._api.get("Pod", name)))
        self._api.delete("Pod", name)
        others = f"{len(world.nodes) - 1} {SELECTOR}" if world.nodes[1:] else ""
        return verdict.message.replace(others, "") if others in verdict.message else SELECTOR

    def verdicts(self, board, world):
        """[(Pod, verdict)] on the Pods that wait in a world; call it once."""
        count = board.create_pending(world)

        def all_judged():
            found = [(pod, self._extender.verdict(pod)) for pod in board.pending(world)]
            return found if len(found) == count and all(each for _, each in found) else None
        return wait_for(f"verdicts on {count} Pods", all_judged, interval=0.2) if count else []


def wait_until_ours_sees(url, board, world, without=None):
    """Asks for the marker node only: a plugin that is switched off would change the others."""
    for barrier in board.barriers(world):
        if without == barrier.needs:
            continue

        def seen(barrier=barrier):
            answer = ask_filter(url, barrier.pod, [world.marker_node])
            if answer is None:
                return False
            return barrier.passed(", ".join(itertools.chain(*answer[1].values())))
        wait_for(f"our scheduler to pass the barrier {barrier}", seen)


def ask_filter(url, pod, nodes):
    """Our answer to /filter as (feasible names, {node: [reasons]}); None for an Error."""
    body = json.dumps({"Pod": pod, "NodeNames": nodes}).encode()
    request = urllib.request.Request(url + "/filter", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as response:
        answer = {key.lower(): value for key, value in json.load(response).items()}
    if answer.get("error"):
        return None
    failed = {**(answer.get("failednodes") or {}),
              **(answer.get("failedandunresolvablenodes") or {})}
    return frozenset(answer.get("nodenames") or ()), {
        name: text.split(", ") for name, text in failed.items()}


def messages(nodes, feasible, reasons):
    """The texts that kube-scheduler may give for these reasons.

    Usually one: counts and reasons, sorted as strings. A reason that all nodes share may also be
    one of PreFilter's, which comes without a count.
    """
    counts = collections.Counter(reason for texts in reasons.values() for reason in texts)
    if feasible:
        counts[REFUSAL] += len(feasible)
    start = f"0/{len(nodes)} nodes are available: "
    texts = [start + ", ".join(sorted(f"{count} {text}" for text, count in counts.items())) + "."]
    if not feasible and len({tuple(each) for each in reasons.values()}) == 1:
        texts.append(start + ", ".join(next(iter(reasons.values()))) + ".")
    return texts


def any_driver(message):
    """A message without the names of missing drivers.

    Of several that a node lacks kube-scheduler names any: it goes over a map of volumes.
    """
    head, _, tail = message.partition(": ")
    counts = collections.Counter()
    for part in tail.removesuffix(".").split(", "):
        match = MISSING_DRIVER.fullmatch(part)
        counts[match[2] if match else part] += int(match[1]) if match else 0
    return head, frozenset(counts.items())


def difference(theirs, nodes, ours):
    """What differs between the real verdict and our answer, or None. Errors need not read alike."""
    if theirs.error or ours is None:
        return None if theirs.error and ours is None else "only one of the two ended in an error"
    feasible, reasons = ours
    if feasible | reasons.keys() != set(nodes) or feasible & reasons.keys():
        return "our answer does not name every node once"
    if feasible != theirs.feasible:
        return (f"only kube-scheduler: {sorted(theirs.feasible - feasible)}, "
                f"only ours: {sorted(feasible - theirs.feasible)}")
    texts = messages(nodes, feasible, reasons)
    if any_driver(theirs.message) not in map(any_driver, texts):
        return f"reasons differ; ours: {texts[0]}"
    return None
