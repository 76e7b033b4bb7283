"""The API server's own record of who changed what: proof of what was, and was not, written."""

import json

_POLICY = """apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived, ResponseStarted]
rules:
- level: Metadata
  verbs: [create, update, patch, delete, deletecollection]
- level: None
"""


def flags(directory):
    """What the API server needs to be told to keep the record of every write."""
    policy = directory / "audit-policy.yaml"
    policy.write_text(_POLICY)
    return ["--audit-policy-file", policy, "--audit-log-path", directory / "audit.log",
            "--audit-log-mode", "blocking"]


def writes(directory, user=None):
    """All write requests so far (by that user) as the API server's audit events."""
    log = directory / "audit.log"
    if not log.exists():
        return []
    events = []
    for line in log.read_text().splitlines():
        try:
            event = json.loads(line)
        except ValueError:
            continue  # cut short by a kill -9 of the API server
        if user is None or event["user"]["username"] == user:
            events.append(event)
    return events


def bindings(directory):
    """{(namespace, pod): how many of its bindings the API server accepted}.

    One whose client died meanwhile is recorded as a time-out, though it may have been carried out:
    it counts where no other was accepted, which a Pod that has its node would have refused.
    """
    counts, unanswered = {}, set()
    for event in writes(directory):
        reference = event.get("objectRef", {})
        if reference.get("subresource") != "binding":
            continue
        key = (reference["namespace"], reference["name"])
        code = event.get("responseStatus", {}).get("code", 0)
        if code < 300:
            counts[key] = counts.get(key, 0) + 1
        elif code == 504:
            unanswered.add(key)
    return {**dict.fromkeys(unanswered, 1), **counts}
