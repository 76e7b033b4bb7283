"""Our scheduler beside the real kube-scheduler, on one API server: ./run bench --cluster.

For each number of nodes and each variant of Pods: the Pods are created, then one scheduler after
another is started and has to place all of them. Told for each are

  Pods/s       from the first binding to the last
  with start   likewise, from the start of the program, its listing of the cluster included
  CPU ms       user and system time of the program for each Pod, the start included
  MiB          its peak resident memory

and the ratios to kube-scheduler when it looks at all nodes, and with its default sampling. All are
throttled by nothing but the API server. Measurements only: nothing here passes or fails.
"""

import argparse
import concurrent.futures
import dataclasses
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "integration"))

from cluster import measure  # noqa: E402
from cluster.contenders import CONTENDERS  # noqa: E402
from cluster.prometheus import FakePrometheus  # noqa: E402
from cluster.variants import NODE_CPU, PRIORITY_CLASS, VARIANTS, pod, residents  # noqa: E402
from leadline_testbed import ControlPlane, objects, wait_for  # noqa: E402

THREADS = 8
ZONES = 3


@dataclasses.dataclass
class Result:
    contender: str
    bound: int
    rate: float
    rate_with_start: float
    cpu_ms: float
    mebibytes: float


class Bench:
    def __init__(self, plane, nodes, pods, seconds):
        self.plane = plane
        self.api = plane.api
        self.nodes = [f"node-{index}" for index in range(nodes)]
        self.pods = pods
        self.seconds = seconds
        self.pool = concurrent.futures.ThreadPoolExecutor(THREADS)
        self.prometheus = FakePrometheus(self.nodes)
        self._all(lambda index: self.api.create(objects.node(
            self.nodes[index], zone=f"zone-{index % ZONES}", cpu=str(NODE_CPU),
            memory="256Gi")), range(nodes))
        self.api.create(PRIORITY_CLASS)

    def close(self):
        self.prometheus.close()
        self.pool.shutdown()
        self.api.delete_all("Node")

    def run(self, variant, contender):
        self._all(self.api.create, residents(variant, self.pods, len(self.nodes)))
        self._all(lambda index: self.api.create(
            pod(variant, index, self.pods, len(self.nodes))), range(self.pods))
        listing = self.api.request("GET", "/api/v1/namespaces/default/pods?limit=1")
        bound = measure.BoundPods(self.plane, listing["metadata"]["resourceVersion"])
        command = CONTENDERS[contender](self.plane, self.prometheus.url)
        started = time.monotonic()
        process = self.plane.run("scheduler", command, directory=self.plane.directory)
        deadline = started + self.seconds
        while len(bound.times) < self.pods and time.monotonic() < deadline:
            process.require_running()
            if bound.failure:
                raise RuntimeError("bindings cannot be counted") from bound.failure
            time.sleep(0.02)
        cpu, memory = measure.cpu_seconds(process.pid), measure.peak_mebibytes(process.pid)
        process.stop()
        bound.close()
        self._remove_pods()
        times = sorted(bound.times.values()) or [deadline]
        count = len(bound.times)
        return Result(contender, count, (count - 1) / max(times[-1] - times[0], 1e-9),
                      count / (times[-1] - started), 1000 * cpu / max(count, 1), memory)

    def _all(self, function, items):
        for _ in self.pool.map(function, items):
            pass

    def _remove_pods(self):
        for kind in ("Pod", "Event"):
            self.api.delete_all(kind)
        wait_for("all Pods to be gone", lambda: not self.api.request(
            "GET", "/api/v1/namespaces/default/pods?limit=1")["items"])


def ratio(value, base):
    return f"{value / base:6.2f}" if base else "     -"


def table(results):
    """One line each; behind the numbers the ratios to kube-scheduler, all nodes / sampling."""
    by_name = {result.contender: result for result in results}
    bases = [by_name.get("kube, all nodes"), by_name.get("kube, sampling")]
    lines = [f"{'':16}{'bound':>6}{'Pods/s':>9}{'':14}{'with start':>11}{'CPU ms':>8}{'':14}"
             f"{'MiB':>7}"]
    for result in results:
        def ratios(field, result=result):
            value = getattr(result, field)
            return "x" + " /".join(ratio(value, getattr(base, field)) if base else "     -"
                                   for base in bases)
        lines.append(f"{result.contender:16}{result.bound:6}{result.rate:9.1f} "
                     f"{ratios('rate'):>14}{result.rate_with_start:10.1f}{result.cpu_ms:8.2f} "
                     f"{ratios('cpu_ms'):>14}{result.mebibytes:6.0f} {ratios('mebibytes')}")
    return "\n".join(lines)


def names(text, known):
    chosen = text.split(",")
    for name in chosen:
        if name not in known:
            raise argparse.ArgumentTypeError(f"{name!r} is none of {', '.join(known)}")
    return chosen


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--nodes", default="100,1000,5000", help="default: %(default)s")
    parser.add_argument("--pods", type=int, default=2000, help="default: %(default)s")
    parser.add_argument("--variants", type=lambda text: names(text, VARIANTS),
                        default=list(VARIANTS), help=f"of {','.join(VARIANTS)}")
    parser.add_argument("--only", choices=CONTENDERS, action="append",
                        help="one contender; may be given several times")
    parser.add_argument("--seconds", type=float, default=900,
                        help="a run that takes longer is cut (default: %(default)s)")
    return parser.parse_args()


def main():
    options = parse()
    for nodes in map(int, options.nodes.split(",")):
        # Without the taint of new Nodes: nobody is here to take it away. No audit log, which
        # would write as much as the schedulers do.
        with ControlPlane(("etcd", "kube-apiserver"), audit_log=False,
                          disabled_admission=("TaintNodesByCondition",)) as plane:
            bench = Bench(plane, nodes, options.pods, options.seconds)
            for variant in options.variants:
                results = []
                print(f"\n{nodes} nodes, {options.pods} Pods, {variant}", flush=True)
                for contender in options.only or CONTENDERS:
                    results.append(bench.run(variant, contender))
                    print(f"  {results[-1]}", file=sys.stderr, flush=True)
                print(table(results), flush=True)
            bench.close()


if __name__ == "__main__":
    main()
