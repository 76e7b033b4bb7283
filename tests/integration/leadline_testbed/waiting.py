"""Waiting for conditions, with deadlines generous enough for a busy machine."""

import time

DEFAULT_SECONDS = 90


class Timeout(AssertionError):
    """What was waited for did not come true in time."""


def wait_for(what, condition, seconds=DEFAULT_SECONDS, interval=0.1):
    """Polls condition() until it returns something true, and returns that.

    `what` completes the sentence "waited N s for ...". An OSError counts as "not yet", because a
    component that is starting refuses connections; it is told when the time is up.
    """
    deadline = time.monotonic() + seconds
    last_error = None
    while True:
        try:
            value = condition()
            if value:
                return value
            last_error = None
        except OSError as error:
            last_error = error
        if time.monotonic() > deadline:
            because = f" (last error: {last_error})" if last_error else ""
            raise Timeout(f"waited {seconds} s for {what}{because}")
        time.sleep(interval)
