"""Notices of changed jobs, told in batches by a thread of their own."""

import threading
from uuid import uuid4

import psycopg
import pytest

from workers.blackboard import notify
from workers.blackboard.engine import Database
from workers.blackboard.notify import CHANNEL, Notifier

A_DAY_S = 86_400.0


def notify_threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "bullpen-notify"]


@pytest.mark.parametrize("pause", ["BATCH_S", "PAUSE_S"])
def test_closing_tells_what_is_left_and_waits_for_no_pause(
    database: Database, database_url: str, monkeypatch: pytest.MonkeyPatch, pause: str
) -> None:
    """A command that has done its work ends at once."""
    monkeypatch.setattr(notify, pause, A_DAY_S)
    others = notify_threads()
    notifier = Notifier(database)
    jobs = [uuid4(), uuid4()]

    with psycopg.connect(database_url, autocommit=True) as listener:
        listener.execute(f"LISTEN {CHANNEL}")
        notifier.changed(jobs[0])
        if pause == "PAUSE_S":
            next(listener.notifies(timeout=120))
        notifier.changed(jobs[1])
        notifier.close()
        told = "".join(notice.payload for notice in listener.notifies(timeout=120, stop_after=1))

    assert str(jobs[1]) in told
    assert [thread for thread in notify_threads() if thread not in others] == []
