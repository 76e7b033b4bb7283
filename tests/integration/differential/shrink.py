"""Makes a world smaller while it still shows a difference."""

import dataclasses
import json
import time

PARTS = ("storage", "placed", "nodes")


def shrink(world, differs, seconds):
    """The smallest world found in that time for which differs(world) still holds.

    The marker node, which is the last, stays.
    """
    deadline = time.monotonic() + seconds
    changed = True
    while changed:
        changed = False
        for part in PARTS:
            size = len(getattr(world, part))
            while size:
                smaller = _without_some(world, part, size, differs, deadline)
                changed |= smaller is not world
                world, size = smaller, size // 2
        if time.monotonic() > deadline:
            break
    return world


def _without_some(world, part, size, differs, deadline):
    """Tries each run of `size` things of one part."""
    start = 0
    while start < len(getattr(world, part)) and time.monotonic() < deadline:
        things = getattr(world, part)
        left = things[:start] + things[start + size:]
        if part == "nodes" and things[-1] not in left:
            left.append(things[-1])
        candidate = dataclasses.replace(world, **{part: left})
        if len(left) < len(things) and differs(candidate):
            world = candidate
        else:
            start += size
    return world


def text(world):
    """The world as JSON lines, ready to be read or applied; what happens to each in front."""
    lines = []
    for part in ("nodes", "storage", "placed", "pending"):
        for thing in getattr(world, part):
            notes = [part]
            if thing.leaving:
                notes.append("deleted, kept by a finalizer")
            if thing.status:
                notes.append(f"status {json.dumps(thing.status)}")
            lines.append(f"# {'; '.join(notes)}\n{json.dumps(thing.object)}")
            lines += [f"# owned by it\n{json.dumps(claim.object)}" for claim in thing.owned]
    return "\n".join(lines)

