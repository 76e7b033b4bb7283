#!/usr/bin/env python3
"""Builds the Go programs pinned in tests/tools into the cache, once.

    go_tools.py --missing      exit status 0 where something is to be built
    go_tools.py GO             builds the control plane with that go program
    go_tools.py --oldest GO    builds the oldest API server we support; prints its directory
"""

import contextlib
import fcntl
import os
import pathlib
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests" / "integration"))
from leadline_testbed import paths  # noqa: E402

PACKAGES = {
    "etcd": "go.etcd.io/etcd/server/v3",
    "kwok": "sigs.k8s.io/kwok/cmd/kwok",
    "helm": "helm.sh/helm/v4/cmd/helm",
}


# The module that each group is about: its version is the programs' version.
MODULES = {
    "kubernetes": "k8s.io/kubernetes",
    "kubernetes-oldest": "k8s.io/kubernetes",
    "etcd": "go.etcd.io/etcd/server/v3",
    "kwok": "sigs.k8s.io/kwok",
    "helm": "helm.sh/helm/v4",
}

OLDEST = "kubernetes-oldest"


def package(name):
    return PACKAGES.get(name, f"k8s.io/kubernetes/cmd/{name}")


def pinned_version(group):
    """The version of the group's module, as its go.mod requires it."""
    for line in (paths.SOURCE / "tests/tools" / group / "go.mod").read_text().splitlines():
        words = line.removeprefix("require").split()
        if words[:1] == [MODULES[group]] and len(words) > 1:
            return words[1]
    raise SystemExit(f"tests/tools/{group}/go.mod does not require {MODULES[group]}")


def linker_flags(group):
    """Without these the programs call themselves v0.0.0, and clients refuse to talk to them."""
    version = pinned_version(group)
    values = {}
    if MODULES[group] == "k8s.io/kubernetes":
        major, minor = version.removeprefix("v").split(".")[:2]
        for place in ("k8s.io/component-base/version", "k8s.io/client-go/pkg/version"):
            values.update({f"{place}.gitVersion": version, f"{place}.gitMajor": major,
                           f"{place}.gitMinor": minor, f"{place}.gitTreeState": "clean"})
    elif group == "kwok":
        values["sigs.k8s.io/kwok/pkg/consts.Version"] = version
    elif group == "helm":
        values["helm.sh/helm/v4/internal/version.version"] = version
    return " ".join(["-s", "-w"] + [f"-X {key}={value}" for key, value in values.items()])


def show_progress(name, process):
    """`go build -v` names each package it compiles: count them, on one line or now and then."""
    terminal, started, said, count = sys.stderr.isatty(), time.monotonic(), 0.0, 0
    messages = []
    for line in process.stderr:
        if " " in line.strip():
            messages.append(line)
            continue
        count += 1
        now = time.monotonic()
        if now - said > (0.5 if terminal else 20):
            said = now
            text = f"   {name}: {count} packages compiled, {now - started:.0f} s"
            print(f"\r{text:<70}" if terminal else text, end="" if terminal else "\n",
                  file=sys.stderr, flush=True)
    if terminal:
        print("\r" + " " * 70 + "\r", end="", file=sys.stderr)
    return messages, time.monotonic() - started


def build(go, group, name, directory):
    target = directory / name
    partial = target.with_suffix(".partial")
    print(f"-- building {name} {pinned_version(group)}", file=sys.stderr, flush=True)
    environment = dict(os.environ, CGO_ENABLED="0", GOFLAGS="-mod=readonly -buildvcs=false",
                       GOTOOLCHAIN="local", GOWORK="off")
    process = subprocess.Popen(
        ["nice", "-n", "5", go, "build", "-v", "-trimpath", "-ldflags", linker_flags(group),
         "-o", str(partial), package(name)],
        cwd=paths.SOURCE / "tests" / "tools" / group, env=environment,
        stderr=subprocess.PIPE, text=True)
    messages, seconds = show_progress(name, process)
    if process.wait() != 0:
        sys.stderr.writelines(messages)
        raise SystemExit(f"building {name} failed")
    partial.rename(target)
    print(f"   {name} built in {seconds:.0f} s", file=sys.stderr, flush=True)


def missing():
    return [(group, name) for group, names in paths.TOOL_GROUPS.items() for name in names
            if not paths.asset(name) and not (paths.tools() / name).exists()]


@contextlib.contextmanager
def only_one(directory):
    """Makes the directory, and lets one run at a time build into it."""
    directory.mkdir(parents=True, exist_ok=True)
    with open(directory.parent / "lock", "w", encoding="ascii") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("-- another run is building the control plane; waiting", file=sys.stderr)
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def build_control_plane(go):
    if not missing():
        return
    directory = paths.tools()
    with only_one(directory):
        todo = missing()
        if todo:
            print(f"-- control plane: {len(todo)} Go programs to build, about ten minutes on two "
                  f"cores, once; they go to {directory}", file=sys.stderr)
        for group, name in todo:
            build(go, group, name, directory)


def build_oldest(go):
    directory = paths.cache() / "tools" / f"kube-apiserver-{pinned_version(OLDEST)}"
    with only_one(directory):
        if not (directory / "kube-apiserver").exists():
            build(go, OLDEST, "kube-apiserver", directory)
    return directory


def main():
    match sys.argv[1:]:
        case ["--missing"]:
            sys.exit(0 if missing() else 1)
        case ["--oldest", go]:
            print(build_oldest(go))
        case [go]:
            build_control_plane(go)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
