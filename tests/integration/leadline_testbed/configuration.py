"""The shipped configuration, pointed at a testbed."""

import re
import shutil

from . import paths


def copy(plane, name="config", edits=()):
    """Copies config/ below the control plane's directory and returns its scheduler.yaml.

    Prometheus's address becomes the testbed's, whose short scrape interval allows a short window,
    and the decision logs go to DIRECTORY/decisions.
    `edits` holds (file, text, replacement) for whatever else a test changes.
    """
    directory = plane.directory / name
    shutil.rmtree(directory, ignore_errors=True)
    shutil.copytree(paths.SOURCE / "config", directory)
    logs = plane.directory / "decisions"
    _edit(directory / "scheduler.yaml", r'directory: ""', f"directory: {logs}")
    _edit(directory / "metrics.yaml", r"http://[\w.-]+:9090\b", plane.prometheus.url)
    _edit(directory / "metrics.yaml", r"(?m)^# interval: \S+", "interval: 1s")
    _edit(directory / "metrics.yaml", r"(?m)^# rate_window: \S+", "rate_window: 10s")
    for file, text, replacement in edits:
        _edit(directory / file, re.escape(text), replacement)
    return directory / "scheduler.yaml"


def _edit(path, pattern, replacement):
    text, count = re.subn(pattern, lambda _: str(replacement), path.read_text())
    if not count:
        raise ValueError(f"{path.name}: nothing matches {pattern}")
    path.write_text(text)
