"""One scheduler's turn: the same Pods arrive, and what came of them is measured."""

import dataclasses
import time

import arrivals
import workload
import world

# Between two arrivals, and until the use of the last Pods shows in the rates.
INTERVAL_SECONDS, SETTLE_SECONDS = 0.25, 13


@dataclasses.dataclass
class Result:
    scheduler: str
    bindings: dict  # Pod -> (seconds to bind, node)
    latency: dict  # node -> measured mean round trip, seconds
    cpu: dict  # node -> used share
    memory: dict
    rejections: str
    fallbacks: str


def take_turn(plane, network, name, progress, counters=lambda: ("-", "-")):
    """Lets the Pods arrive for the scheduler `name`.

    `counters` returns what that scheduler has counted so far: (rejections, fallbacks) as numbers,
    or dashes where it has no such thing.
    """
    before = counters()
    progress.step(f"{name}: {workload.NGINX} nginx and {workload.SPARK} Spark drivers arrive")
    bindings = arrivals.arrive(plane, workload.pods(name), INTERVAL_SECONDS, progress.update)
    for remaining in range(SETTLE_SECONDS, 0, -1):
        progress.update(f"{len(bindings)} bound; measuring for {remaining} s")
        time.sleep(1)
    cpu, memory = world.usage(plane)
    counted = [f"{now - then:.0f}" if then != "-" else "-" for now, then in zip(counters(), before)]
    return Result(name, bindings, network.latency(plane), cpu, memory, *counted)
