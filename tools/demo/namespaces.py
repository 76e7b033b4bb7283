"""Network namespaces, each with a way in for Prometheus; gone with the demo, or with the next."""

import atexit
import os
import pathlib
import subprocess

# The range that RFC 2544 keeps for tests: not in use on real networks.
_WAY_IN = "198.18.77"


class Missing(Exception):
    """Why namespaces cannot be had here; the text says what is missing."""


def _ip(*arguments, check=True):
    return subprocess.run(["ip", *arguments], check=check, capture_output=True, text=True)


def _sweep():
    """Removes what demos that were killed left behind; their names hold their process id."""
    for line in _ip("netns", "list").stdout.splitlines():
        name = line.split()[0]
        owner = name.removeprefix("leadline-").partition("-")[0]
        if name.startswith("leadline-") and owner.isdigit() and not os.path.exists(
                f"/proc/{owner}"):
            _ip("netns", "delete", name, check=False)


class Namespace:
    def __init__(self, index):
        self.name = f"leadline-{os.getpid()}-{index}"
        self.prefix = ("ip", "netns", "exec", self.name)
        # A point-to-point pair each: undelayed, for scraping alone.
        self._outside = f"{_WAY_IN}.{4 * index + 1}"
        self.address = f"{_WAY_IN}.{4 * index + 2}"
        self._link = f"ll{os.getpid() % 10**6}h{index}"

    def create(self):
        _ip("netns", "add", self.name)
        _ip("link", "add", self._link, "type", "veth", "peer", "name", "way-in",
            "netns", self.name)
        _ip("address", "add", f"{self._outside}/30", "dev", self._link)
        _ip("link", "set", self._link, "up")
        inside = ("-netns", self.name)
        _ip(*inside, "link", "set", "lo", "up")
        _ip(*inside, "address", "add", f"{self.address}/30", "dev", "way-in")
        _ip(*inside, "link", "set", "way-in", "up")

    def delete(self):
        _ip("netns", "delete", self.name, check=False)


def create(count):
    """Makes the namespaces; raises Missing with the reason where this machine does not let us."""
    if os.geteuid() != 0:
        raise Missing("network namespaces and TUN links need root")
    if not pathlib.Path("/dev/net/tun").exists():
        raise Missing("/dev/net/tun does not exist")
    made = []
    atexit.register(lambda: [namespace.delete() for namespace in made])
    try:
        _sweep()
        for index in range(count):
            made.append(Namespace(index))
            made[-1].create()
    except subprocess.CalledProcessError as error:
        raise Missing(f"`{' '.join(error.cmd)}`: {error.stderr.strip()}") from error
    return made
