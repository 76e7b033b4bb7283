"""Our scheduler under test: build/bin/leadline-scheduler against a ControlPlane."""

import os
import urllib.error
import urllib.request

from . import paths
from .exposition import samples, total
from .ports import free_port
from .waiting import wait_for


class Scheduler:
    """Starts it, asks it, kills it, and starts it again on the same port."""

    def __init__(self, plane, config=None, arguments=(), user="system:kube-scheduler",
                 name="leadline-scheduler", environment=None, port=None, elect=False,
                 kubeconfig=None):
        """Runs in the control plane's directory, where the logs of decisions go by default.

        Unless told to `elect`, it is the only replica: one that was killed may come back at once.
        """
        self.plane = plane
        self.name = name
        self.port = port or free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._environment = {**os.environ, **(environment or {})}
        self._command = [paths.program("leadline-scheduler"),
                         "--kubeconfig", kubeconfig or plane.kubeconfig(user),
                         "--http-address", f"127.0.0.1:{self.port}",
                         *(["--config", config] if config else []),
                         *([] if elect else ["--leader-elect=false"]), *arguments]
        self.process = None

    def start(self, wait=True):
        """Starts it; with `wait`, returns once it is ready."""
        self.process = self.plane.run(self.name, self._command, self._environment,
                                      directory=self.plane.directory)
        if wait:
            self.wait_ready()
        return self

    def wait_ready(self):
        def ready():
            self.process.require_running()
            try:
                return bool(self.get("/readyz"))
            except urllib.error.HTTPError:
                return False
        wait_for(f"{self.name} to be ready", ready)

    def get(self, path):
        """The text of one page of its HTTP server."""
        with urllib.request.urlopen(self.url + path, timeout=30) as response:
            return response.read().decode()

    def metric(self, name, **labels):
        """The sum of the samples of one family that carry these labels."""
        return total(self.get("/metrics"), name, **labels)

    def metrics(self):
        return samples(self.get("/metrics"))

    def kill(self):
        return self.process.kill()

    def stop(self):
        return self.process.stop()


def start_scheduler(plane, **options):
    """Starts our scheduler and waits until it is ready; see Scheduler for the options."""
    return Scheduler(plane, **options).start()
