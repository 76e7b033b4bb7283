"""Free TCP ports that stay ours, so that tests can run beside each other."""

import fcntl
import os
import pathlib
import random
import socket
import tempfile

# Below the range from which the kernel takes ports for outgoing connections.
_FIRST, _LAST = 20000, 32000


def _locked(port):
    directory = pathlib.Path(tempfile.gettempdir()) / f"leadline-ports-{os.getuid()}"
    directory.mkdir(exist_ok=True)
    lock = os.open(directory / str(port), os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        return False
    return True  # held until this process ends, however it ends


def free_port():
    """A port on which nothing listens, reserved among test processes while this one lives."""
    for _ in range(1000):
        port = random.randint(_FIRST, _LAST)
        with socket.socket() as probe:
            try:
                probe.bind(("0.0.0.0", port))
            except OSError:
                continue
        if _locked(port):
            return port
    raise RuntimeError(f"no free port between {_FIRST} and {_LAST}")
