"""The two who judge: the real kube-scheduler through its extender, and ours through /filter."""

import collections
import dataclasses
import http.server
import json
import threading
import urllib.request

REFUSAL = "refused by the test"

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
    """Where a Pod may go, and the text that explains the rest."""
    feasible: frozenset
    message: str


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
                return Verdict(feasible, condition.get("message", "").rstrip())
        return None


def ask_filter(url, pod, nodes):
    """Our answer to /filter as (feasible names, {node: [reasons]}); ValueError for an Error."""
    body = json.dumps({"Pod": pod, "NodeNames": nodes}).encode()
    request = urllib.request.Request(url + "/filter", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as response:
        answer = {key.lower(): value for key, value in json.load(response).items()}
    if answer.get("error"):
        raise ValueError(answer["error"])
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


def difference(theirs, nodes, ours):
    """What differs between the real verdict and our answer, or None."""
    feasible, reasons = ours
    if feasible | reasons.keys() != set(nodes) or feasible & reasons.keys():
        return "our answer does not name every node once"
    if feasible != theirs.feasible:
        return (f"only kube-scheduler: {sorted(theirs.feasible - feasible)}, "
                f"only ours: {sorted(feasible - theirs.feasible)}")
    texts = messages(nodes, feasible, reasons)
    if theirs.message not in texts:
        return f"reasons differ; ours: {texts[0]}"
    return None
