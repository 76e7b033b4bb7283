"""Starts real Kubernetes control planes on this machine, for tests and for the demo.

    from leadline_testbed import ControlPlane, objects, start_scheduler, wait_for

    with ControlPlane(("etcd", "kube-apiserver", "kwok")) as plane:
        plane.add_nodes(3)
        plane.api.create(objects.pod("web"))

Tests are unittest files named *_test.py beside this directory; ctest runs each as one test.
"""

from . import agents, configuration, exposition, objects, paths
from .api import ApiClient, ApiError
from .control_plane import ALL, ControlPlane
from .ports import free_port
from .processes import Process
from .proxy import ApiProxy
from .scheduler import Scheduler, start_scheduler
from .testing import ControlPlaneTestCase
from .waiting import Timeout, wait_for

__all__ = ["ALL", "ApiClient", "ApiError", "ApiProxy", "ControlPlane", "ControlPlaneTestCase",
           "Process", "Scheduler", "Timeout", "agents", "configuration", "exposition", "free_port",
           "objects", "paths", "start_scheduler", "wait_for"]
