"""What Flower takes in has nothing of what a user wrote."""

from typing import Any

import pytest

from workers.cli.flower_tasks import COLUMNS, SHOWN, clean_answer, clean_event, of_label

JOB = "0192f0c8-7d43-7a10-9f6e-3d9f0c1b2a3d"
WRITTEN = "checkout is slow; answer to https://example.com/hook"


@pytest.mark.parametrize(
    "event",
    [
        {"type": "task-sent", "args": f"({{'job': '{WRITTEN}'}},)", "kwargs": f"{{'reply_to': '{WRITTEN}'}}"},
        {"type": "task-received", "args": f"job={JOB} stage=x {WRITTEN}"},
        {"type": "task-received", "args": [WRITTEN]},
        {"type": "task-succeeded", "result": f"'{WRITTEN}'"},
        {
            "type": "task-failed",
            "exception": f"KeyError('{WRITTEN}')",
            "traceback": f'Traceback\n  File "/a.py", line 3, in f\nKeyError: {WRITTEN}',
        },
        {"type": "task-retried", "exception": f"Transient: {WRITTEN}", "traceback": f'  File "/a.py", line 3, in f  {WRITTEN}'},
    ],
)
def test_an_event_keeps_nothing_of_a_user(event: dict[str, Any]) -> None:
    assert WRITTEN not in str(clean_event({**event, "uuid": "u"}))


def test_an_event_keeps_what_an_operator_looks_for() -> None:
    label = f"job={JOB} stage=plan/2 attempt=3"
    failed = {"exception": "KeyError('x')", "traceback": 'Traceback:\n  File "/a.py", line 3, in f\n    x[1]\nKeyError: x'}

    kept = clean_event({"type": "task-failed", "uuid": "u", "args": label, "result": "'put back'", **failed})

    assert [of_label(kept["args"], part) for part in COLUMNS] == [JOB, "plan/2", "3"]
    assert (kept["uuid"], kept["result"], kept["exception"]) == ("u", "'put back'", "KeyError")
    assert kept["traceback"] == '  File "/a.py", line 3, in f'


def test_a_message_that_only_names_a_job_has_no_stage() -> None:
    assert [of_label(f"job={JOB}", part) for part in COLUMNS] == [JOB, None, None]
    assert of_label(None, "job") is None


@pytest.mark.parametrize("method", ["active", "reserved", "scheduled"])
def test_a_worker_lists_its_tasks_without_their_arguments(method: str) -> None:
    task = {"id": "u", "name": "bullpen.submit", "args": [{"job": WRITTEN}], "kwargs": {"reply_to": WRITTEN}}

    cleaned = clean_answer(method, [task, {"eta": 1, "request": task}])

    assert WRITTEN not in str(cleaned)
    assert cleaned[0]["name"] == "bullpen.submit"
    assert clean_answer("conf", {"a": 1}) == {"a": 1}


def test_the_task_list_has_a_column_for_each() -> None:
    assert set(COLUMNS) <= set(SHOWN.split(","))
