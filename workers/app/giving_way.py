"""Workers that give way to the gateway and the servers of their machine: people wait for those, and a step can wait a little."""

import contextlib
import os
from pathlib import Path

_GROUP = Path("/proc/self/autogroup")
"""Where Linux schedules sessions as groups, niceness counts only within a session; the group has one of its own."""


def give_way(nice: int) -> None:
    """Lower the priority of this process. Call it before there are threads: each has a priority of its own."""
    if nice <= 0:
        return
    os.nice(nice)
    if os.getsid(0) == os.getpid():  # else the group is that of a terminal, with other programs in it
        with contextlib.suppress(OSError):
            _GROUP.write_text(str(nice), "ascii")
