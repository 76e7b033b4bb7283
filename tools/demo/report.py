"""One table from what was measured."""

import math
import statistics


def quantile(values, share):
    """By nearest rank; None for no values."""
    ordered = sorted(values)
    if not ordered:
        return None
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def milliseconds(seconds):
    return "-" if seconds is None else f"{seconds * 1000:.1f} ms"


def percent(ratio):
    return "-" if ratio is None else f"{ratio * 100:.1f} %"


def spread(by_node):
    """The standard deviation over the nodes; None without any."""
    return statistics.pstdev(by_node.values()) if by_node else None


def mean_latency(bindings, latency):
    """Mean over the Pods of their node's measured mean round trip, in seconds."""
    values = [latency[node] for _, node in bindings.values() if node in latency]
    return statistics.mean(values) if values else None


def rows(total, result):
    """The lines of one scheduler's column, as (what, value)."""
    times = [seconds for seconds, _ in result.bindings.values()]
    return [
        ("Pods bound", f"{len(result.bindings)} of {total}"),
        ("time to bind, p50", milliseconds(quantile(times, 0.50))),
        ("time to bind, p99", milliseconds(quantile(times, 0.99))),
        ("mean round trip of chosen nodes", milliseconds(
            mean_latency(result.bindings, result.latency))),
        ("CPU balance (std. dev. over nodes)", percent(spread(result.cpu))),
        ("memory balance (std. dev. over nodes)", percent(spread(result.memory))),
        ("rejections", result.rejections),
        ("fallbacks", result.fallbacks),
    ]


def table(total, results):
    """The text of the table; one column for each of `results`."""
    columns = [rows(total, result) for result in results]
    head = ["", *(result.scheduler for result in results)]
    lines = [head] + [[columns[0][i][0], *(column[i][1] for column in columns)]
                      for i in range(len(columns[0]))]
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    text = []
    for number, line in enumerate(lines):
        text.append("  ".join([line[0].ljust(widths[0]),
                               *(cell.rjust(width) for cell, width in zip(line[1:], widths[1:]))]))
        if number == 0:
            text.append("  ".join("-" * width for width in widths))
    return "\n".join(text)
