"""Named places where a test may make a process fail. The acceptance tests use them to kill parts of a real fleet.

With `BULLPEN_FAILPOINTS="after_claim=exit:0.1,before_report=sleep5:0.5"`, the process ends at `after_claim` with
probability 0.1, as if killed, and sleeps 5 seconds at `before_report` with probability 0.5. A failpoint that is not set
costs a dictionary look-up.
"""

import os
import random
import time

from workers.errors import ConfigurationError

NAMES = frozenset(
    {
        "after_claim",
        "before_report",
        "after_report",
        "after_advance",
        "before_publish",
        "drop_publish",
        "double_publish",
        "triple_publish",
        "between_statements",
        "after_source_commit",
    }
)

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
    """Fail here if a test requests it. True if the action is `on`: then the caller does what the failpoint's name says."""
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
