"""Programs that never outlive the process that started them, not even its kill -9."""

import atexit
import ctypes
import os
import signal
import subprocess
import sys
import time

_running = []
_libc = ctypes.CDLL(None)
_PR_SET_PDEATHSIG = 1


def _end_with(parent):
    """Runs in the child before exec, so there is no moment in which it could be left behind."""
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


class Process:
    """One program with its log file; can be paused, killed and started again.

    Start it from the main thread: the kernel ends the program when the *thread* that started it
    ends. `prefix` is put before the command, such as `ip netns exec NAME`.
    """

    def __init__(self, name, command, log, environment=None, prefix=(), directory=None):
        self.name = name
        self.log = log
        self._command = [*prefix, *map(str, command)]
        self._environment = environment
        self._directory = directory
        self._popen = None

    def start(self):
        parent = os.getpid()
        with open(self.log, "ab") as output:
            self._popen = subprocess.Popen(
                self._command, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                start_new_session=True, env=self._environment, cwd=self._directory,
                preexec_fn=lambda: _end_with(parent))
        _running.append(self)
        return self

    @property
    def pid(self):
        return self._popen.pid

    def running(self):
        return self._popen is not None and self._popen.poll() is None

    def signal(self, number):
        """Sends a signal to the program and whatever it started."""
        if self.running():
            os.killpg(self._popen.pid, number)

    def pause(self):
        self.signal(signal.SIGSTOP)

    def resume(self):
        self.signal(signal.SIGCONT)

    def kill(self):
        """kill -9, and waits until it is gone."""
        self.signal(signal.SIGKILL)
        return self.wait()

    def stop(self, seconds=10):
        """Asks it to stop, and insists after `seconds`. Returns the exit code."""
        self.signal(signal.SIGTERM)
        self.resume()
        try:
            return self.wait(seconds)
        except subprocess.TimeoutExpired:
            return self.kill()

    def wait(self, seconds=None):
        code = self._popen.wait(seconds)
        if self in _running:
            _running.remove(self)
        return code

    def log_text(self):
        return self.log.read_text(errors="replace") if self.log.exists() else ""

    def require_running(self):
        if not self.running():
            raise RuntimeError(f"{self.name} ended with {self._popen.returncode}:\n"
                               + "\n".join(self.log_text().splitlines()[-30:]))


def kill_all():
    """Ends everything that this process started, newest first."""
    for process in reversed(list(_running)):
        process.signal(signal.SIGKILL)
    deadline = time.monotonic() + 10
    for process in list(_running):
        try:
            process.wait(max(0.1, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            print(f"{process.name} (pid {process.pid}) does not end", file=sys.stderr)


def _ended_by_signal(number, _frame):
    sys.exit(128 + number)  # runs the clean-up below, and every `finally`


def end_with_this_process():
    """Turns the signals that end a process into an orderly exit. Call from the main thread."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _ended_by_signal)


atexit.register(kill_all)
