"""Ctrl-C that is not lost."""

import os
import signal
import time

import pytest

from workers.cli.interrupts import insistent_interrupts


@insistent_interrupts()
def swallow_once() -> None:
    try:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(60)
    except KeyboardInterrupt:  # as a finaliser would
        time.sleep(60)


@insistent_interrupts()
def interrupted() -> None:
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(60)


def test_an_interrupt_that_was_swallowed_comes_again() -> None:
    with pytest.raises(KeyboardInterrupt):
        swallow_once()


def test_afterwards_the_handlers_are_as_before() -> None:
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGALRM)
    with pytest.raises(KeyboardInterrupt):
        interrupted()

    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGALRM)) == before
