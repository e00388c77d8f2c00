"""Processes that cannot outlive the test that starts them."""

import ctypes
import signal
import sys

_libc = ctypes.CDLL(None)  # bound before any fork


def die_with_the_test() -> None:
    """For `preexec_fn`, or in a forked process: it ends with the thread that started it, however that ends."""
    if sys.platform == "linux":
        _libc.prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
