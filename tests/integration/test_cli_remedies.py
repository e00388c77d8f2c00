"""What a person reads of trouble: what helped before, what it cost, and each note to its end."""

from uuid import UUID

import pytest

from tests.support.commands import Commands
from workers.blackboard import quarantine

DONE_AGAIN = """
INSERT INTO steps (id, job_id, stage, role, task, status, outcome, made_from, params, may_ask, need_ids, request_ids, ancestors,
                   priority, attempt, max_attempts, timeout_s, dispatch_rev, ended_rev, finished_at)
SELECT %(id)s, job_id, stage, role, task, 'succeeded', 'completed', 'again', params, may_ask, need_ids, request_ids, ancestors,
       priority, 1, max_attempts, timeout_s, dispatch_rev, ended_rev, now()
  FROM steps WHERE job_id = %(job)s AND status = 'failed'
"""
"""A stage that failed has been done again since, and succeeded."""


def words(text: str) -> str:
    """On one line, however wide the terminal is."""
    return " ".join(text.split())


def test_why_says_what_helped_with_faults_like_this_one(bullpen: Commands) -> None:
    for _ in range(3):
        solved = bullpen.ran("--set", "plan.s2.break=1")
        bullpen.db.statement(DONE_AGAIN, {"id": quarantine.new_id(), "job": solved})
    job = bullpen.ran("--set", "plan.s2.break=1")

    found = bullpen.json("why", job)
    english, chinese = (words(bullpen.out("why", job, "--language", language)) for language in ("en", "zh"))

    assert [fix["kind"] for advice in found["advice"] for fix in advice["fixes"]] == ["again"]
    assert "EngineError of s2 was solved before" in english
    assert "What helped: " in english
    assert "s2 的 EngineError 以前解决过" in chinese


def test_why_advises_nothing_where_nothing_like_it_was_solved(bullpen: Commands) -> None:
    job = bullpen.ran("--set", "plan.s2.break=1")

    assert bullpen.json("why", job)["advice"] == []
    assert "helped" not in bullpen.out("why", job)


def held(bullpen: Commands, message: str) -> UUID:
    """A message that is set aside."""
    return quarantine.put(bullpen.db, source="bullpen.retriever", cause="StoreUnavailable", message=message, body=b"1")


def test_advice_on_an_entry_of_the_quarantine_names_what_helped_and_how_often(bullpen: Commands) -> None:
    for number in range(2):
        entry = quarantine.put(
            bullpen.db, source="bullpen.retriever", cause="StoreUnavailable", message=f"s3://logs/{number} is away", body=b"1"
        )
        quarantine.settle(bullpen.db, entry, "given_up", note="Renewed the certificate of the store")
    new = held(bullpen, "s3://logs/77 is away")

    said = words(bullpen.out("quarantine", "advise", new))
    found = bullpen.json("quarantine", "advise", new)

    assert "StoreUnavailable of bullpen.retriever: s3://logs/77 is away" in said
    assert "2 solved ones" in said
    assert "2 times" in said
    assert "Renewed the certificate of the store" in said
    assert (found["faults"], found["fixes"][0]["note"]) == (2, "Renewed the certificate of the store")


@pytest.mark.parametrize(("priced", "says"), [(2, "$0.00"), (0, "no price is set (BULLPEN_MODEL_PRICES)")])
def test_a_cost_of_nothing_is_no_missing_price(bullpen: Commands, priced: int, says: str) -> None:
    job = bullpen.ran()
    bullpen.db.statement(
        "UPDATE steps SET usage = jsonb_build_object('model_calls', 2, 'input_tokens', 10, 'output_tokens', 5, 'cost_usd', 0, "
        "'priced_calls', %(priced)s::int) WHERE job_id = %(job)s AND stage = 's1'",
        {"job": job, "priced": priced},
    )

    shown = words(bullpen.out("show", job))

    assert says in shown
    assert ("no price" in shown) is (priced == 0)


@pytest.mark.parametrize("width", ["80", "200"])
def test_a_note_is_shown_to_its_end(bullpen: Commands, width: str) -> None:
    """It was cut before its reason."""
    bullpen.setenv(COLUMNS=width)
    reason = "the certificate of the proxy is not trusted; " * 22
    note = f"Model far failed, and the rules answered instead: {reason}its name is other.example."
    job = bullpen.ran()
    bullpen.db.statement(
        "UPDATE steps SET notes = to_jsonb(ARRAY[%(note)s::text]) WHERE job_id = %(job)s AND stage = 's1'", {"job": job, "note": note}
    )

    assert note in words(bullpen.out("show", job))
