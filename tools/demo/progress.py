"""Tells what goes on: one line that changes on a terminal, a line now and then elsewhere."""

import sys
import time

_WIDTH = 100


class Progress:
    def __init__(self, stream=sys.stderr):
        self._stream = stream
        self._terminal = stream.isatty()
        self._started = time.monotonic()
        self._last = 0.0
        self._open = False

    def step(self, text):
        """A new step, on a line of its own."""
        self._close()
        print(f"[{time.monotonic() - self._started:5.1f} s] {text}", file=self._stream, flush=True)
        self._last = time.monotonic()

    def update(self, text):
        """How far the step is; may be called as often as one likes."""
        now = time.monotonic()
        if self._terminal:
            if now - self._last > 0.1:
                print("\r" + f"          {text}"[:_WIDTH].ljust(_WIDTH), end="",
                      file=self._stream, flush=True)
                self._open, self._last = True, now
        elif now - self._last > 5:
            print(f"          {text}", file=self._stream, flush=True)
            self._last = now

    def _close(self):
        if self._open:
            print("\r" + " " * _WIDTH + "\r", end="", file=self._stream)
            self._open = False
