"""Named places where a test may make a process fail: the acceptance tests kill the real fleet there.

`BULLPEN_FAILPOINTS="after_claim=exit:0.1,before_report=sleep5:0.5"`: at `after_claim`, one time in ten, the process
ends at once as if killed; at `before_report`, every other time, it sleeps 5 seconds. Unset, a failpoint costs a
dictionary look-up.
"""

import os
import random
import time

from workers.errors import ConfigurationError

NAMES = frozenset({"after_claim", "before_report", "after_report", "after_advance", "before_publish", "drop_publish", "double_publish"})

_active: dict[str, tuple[str, float]] = {}


def configure_failpoints(text: str) -> None:
    """Read the setting. Raises `ConfigurationError` on an unknown name or action."""
    _active.clear()
    for part in filter(None, (item.strip() for item in text.split(","))):
        name, _, rest = part.partition("=")
        action, _, probability = rest.partition(":")
        known_action = action in ("exit", "error", "on") or (action.startswith("sleep") and action[5:].replace(".", "", 1).isdigit())
        if name not in NAMES or not known_action:
            raise ConfigurationError(
                f"BULLPEN_FAILPOINTS: {part!r} is not NAME=exit|error|on|sleepN[:probability] with NAME one of {', '.join(sorted(NAMES))}."
            )
        _active[name] = (action, float(probability or 1))


def failpoint(name: str) -> bool:
    """Fail here if a test asked for it. True when the action is `on`: the caller does what the point's name says."""
    chosen = _active.get(name)
    if chosen is None or random.random() >= chosen[1]:
        return False
    action = chosen[0]
    if action == "exit":
        os._exit(137)
    if action == "error":
        raise RuntimeError(f"Failpoint {name}.")
    if action.startswith("sleep"):
        time.sleep(float(action[5:]))
        return False
    return True
