"""Reads the Prometheus text format, as far as tests need it."""

import re

_SAMPLE = re.compile(r"^([a-zA-Z_:][\w:]*)(?:\{(.*)\})?\s+(\S+)(?:\s+-?\d+)?\s*(?:#.*)?$")
_LABEL = re.compile(r'([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"')


def samples(text):
    """All samples as (name, labels, value); a line of another form is an error."""
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        match = _SAMPLE.match(line)
        if not match:
            raise ValueError(f"line {number} is no sample: {line!r}")
        name, labels, value = match.groups()
        found.append((name, dict(_LABEL.findall(labels or "")), float(value)))
    return found


def total(text, name, **labels):
    """The sum of a family's samples that carry these labels; 0 where there is none."""
    return sum(value for found, have, value in samples(text)
               if found == name and labels.items() <= have.items())


def histogram_quantile(text, name, quantile, **labels):
    """The quantile of a histogram, by linear interpolation inside its bucket; None when empty."""
    buckets = {}
    for found, have, value in samples(text):
        if found == f"{name}_bucket" and labels.items() <= have.items():
            bound = float(have["le"])
            buckets[bound] = buckets.get(bound, 0) + value
    bounds = sorted(buckets)
    if not bounds or buckets[bounds[-1]] == 0:
        return None
    rank, below, lower = quantile * buckets[bounds[-1]], 0, 0.0
    for bound in bounds:
        if buckets[bound] >= rank:
            if bound == float("inf"):
                return lower
            inside = buckets[bound] - below
            return lower + (bound - lower) * ((rank - below) / inside if inside else 1)
        below, lower = buckets[bound], bound
    return lower
