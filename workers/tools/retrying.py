"""Transport errors of tools: a timeout, a lost connection, a server that is busy. They are tried again, a few times, with jitter."""

import random
import time
from collections.abc import Callable
from typing import TypeVar

from workers.errors import BullpenError
from workers.loggers import get_logger

log = get_logger(__name__)

TRIES = 3
"""Tries of a call before its step is returned to the queue."""
BASE_S = 0.5
"""Pause before the second try; it doubles."""
_SLICE_S = 0.25
"""Interval in which a pause checks whether the step was cancelled."""

T = TypeVar("T")


def is_transport(error: BaseException) -> bool:
    """Whether trying again may help."""
    return isinstance(error, ConnectionError | TimeoutError) or (isinstance(error, BullpenError) and error.retryable)


def with_retries(call: Callable[[], T], check_stopped: Callable[[], None], tries: int | None = None) -> T:
    """The value of the first try that succeeds. Raises the last transport error, and any other error at once."""
    tries = TRIES if tries is None else tries
    for tried in range(1, tries + 1):
        check_stopped()
        try:
            return call()
        except Exception as error:
            if not is_transport(error) or tried == tries:
                raise
            pause_s = BASE_S * 2 ** (tried - 1) * random.uniform(0.5, 1.0)
            log.warning("tool_tried_again", error=type(error).__name__, tried=tried, pause_s=round(pause_s, 2))
        _wait(pause_s, check_stopped)
    raise AssertionError  # the last try returned or raised


def _wait(pause_s: float, check_stopped: Callable[[], None]) -> None:
    end = time.monotonic() + pause_s
    while (rest := end - time.monotonic()) > 0:
        check_stopped()
        time.sleep(min(rest, _SLICE_S))
