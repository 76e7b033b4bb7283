"""Where things are: the checkout, the cache outside it, and the programs in both."""

import hashlib
import os
import pathlib
import shutil

SOURCE = pathlib.Path(__file__).resolve().parents[3]

# Each group of Go programs has its own go.mod, because their requirements disagree.
TOOL_GROUPS = {
    "etcd": ["etcd"],
    "kubernetes": ["kube-scheduler", "kube-apiserver", "kube-controller-manager", "kubectl"],
    "kwok": ["kwok"],
    "helm": ["helm"],
}

# What `setup-envtest` and friends put into KUBEBUILDER_ASSETS.
_ASSETS = ("etcd", "kube-apiserver", "kubectl")


def cache():
    """The directory for what outlives a checkout: programs built once, compiler caches."""
    default = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return pathlib.Path(os.environ.get("LEADLINE_CACHE") or os.path.join(default, "leadline"))


def tools():
    """The directory of the built Go programs; its name changes with the pinned versions."""
    digest = hashlib.sha256()
    for group in sorted(TOOL_GROUPS):
        for name in ("go.mod", "go.sum"):
            digest.update((SOURCE / "tests" / "tools" / group / name).read_bytes())
    return cache() / "tools" / digest.hexdigest()[:16] / "bin"


def asset(name):
    """The program out of KUBEBUILDER_ASSETS, or None where that does not give it."""
    directory = os.environ.get("KUBEBUILDER_ASSETS")
    if directory and name in _ASSETS:
        candidate = pathlib.Path(directory) / name
        if candidate.exists():
            return candidate
    return None


def tool(name):
    """The path of a control plane program, whoever built it."""
    for candidate in (asset(name), tools() / name):
        if candidate and candidate.exists():
            return candidate
    on_path = shutil.which(name)
    if name in ("prometheus", "promtool") and on_path:
        return pathlib.Path(on_path)
    raise FileNotFoundError(f"{name} is missing: `./run build` builds or installs it")


def build_directory():
    """The CMake build tree under test; ctest says which, and ./run build makes the default."""
    return pathlib.Path(os.environ.get("LEADLINE_BINARY_DIR") or SOURCE / "build")


def program(name):
    """The path of one of our own programs."""
    path = build_directory() / "bin" / name
    if not path.exists():
        raise FileNotFoundError(f"{path} is missing: `./run build` builds it")
    return path
