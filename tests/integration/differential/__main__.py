"""What the worlds make kube-scheduler say, without ours: python3 -m differential SEED PODS."""

import concurrent.futures
import sys
import time

from leadline_testbed import ControlPlane

from . import judges
from .board import DISABLED_ADMISSION, Board
from .coverage import Coverage
from .world import FAMILIES, make_world


def main(seed, pods):
    coverage, feasible, number, started = Coverage(), 0, 0, time.monotonic()
    with (ControlPlane(("etcd", "kube-apiserver"), disabled_admission=DISABLED_ADMISSION) as plane,
          concurrent.futures.ThreadPoolExecutor(8) as pool):
        board, theirs = Board(plane.api, pool), judges.RealScheduler(plane)
        while coverage.pods < pods:
            world = make_world(seed, number, FAMILIES)
            board.put(world)
            theirs.wait_until_seen(board, world)
            for _, verdict in theirs.verdicts(board, world):
                coverage.add(verdict, len(world.nodes))
                feasible += bool(verdict.feasible)
            board.clear()
            number += 1
        theirs.close()
    print(f"{coverage.pods} Pods in {number} worlds in {time.monotonic() - started:.0f} s, "
          f"{feasible} fitted somewhere, {board.refused} refused by the API server, "
          f"unknown reasons: {sorted(coverage.unknown)}\n{coverage.table()}")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
