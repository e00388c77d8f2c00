"""Processes that tests watch: whether one lives, and waiting until something is so."""

import time
from collections.abc import Callable

import psutil


def lives(pid: int) -> bool:
    """Whether there is a process of this number that is more than a zombie."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def wait_until(true: Callable[[], object], limit_s: float = 60.0) -> None:
    """Looks again until it is true. Fails after `limit_s`."""
    give_up_at = time.monotonic() + limit_s
    while not true():
        assert time.monotonic() < give_up_at, "it did not come true"
        time.sleep(0.02)
