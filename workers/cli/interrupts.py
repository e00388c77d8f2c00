"""Ctrl-C that is not lost."""

import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager

AGAIN_S = 1.0
"""Seconds after which an interrupt that had no effect is raised again."""


@contextmanager
def insistent_interrupts() -> Generator[None]:
    """Ctrl-C ends the block, even when it comes while Python drops exceptions, such as in a finaliser or a callback: it is raised again
    until it has left the block."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    armed = False

    def interrupt(*_: object) -> None:
        nonlocal armed
        armed = True
        signal.setitimer(signal.ITIMER_REAL, AGAIN_S)
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, interrupt), signal.signal(signal.SIGALRM, interrupt)
    try:
        yield
    finally:
        if armed:
            signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGINT, before[0])
        signal.signal(signal.SIGALRM, before[1])
