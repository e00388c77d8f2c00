"""One observation is asked once, whatever each ticket calls it: how that is counted, and how it is kept."""

import json
from pathlib import Path

import pytest

from contracts.diagnose.deliverables import Diagnosis, PhenomenonItem, PhenomenonQuestion
from contracts.diagnose.request import DiagnosisMethod
from contracts.statements import say
from tests.unit.test_differential import after, evidence, phenomenon, ticket
from workers.kinds.diagnose.evaluation.incidents import FactsUser, read_incidents
from workers.kinds.diagnose.rules.differential.concepts import concepts_of
from workers.kinds.diagnose.rules.differential.merged import merged
from workers.kinds.diagnose.rules.profiles import DIFFERENTIAL

OBSERVATIONS = {
    "pool": {"system": "Airflow", "text": "pool", "wordings": ["default_pool 128/128 running", "the pool is full"]},
    "heap": {"system": "Spark", "text": "heap", "wordings": ["the driver runs out of heap"]},
}


def question(*texts: str) -> PhenomenonQuestion:
    items = tuple(
        PhenomenonItem(number=at, phenomenon_id=f"P-{at}", description=text, observation_method="", why=say("diagnose.reply.why"))
        for at, text in enumerate(texts, start=1)
    )
    return PhenomenonQuestion(turn=1, items=items, hypotheses=(), method=DiagnosisMethod.DIFFERENTIAL)


def test_an_observation_that_is_asked_in_another_tickets_words_is_counted(tmp_path: Path) -> None:
    """D3: the labels of the history say which texts are one observation."""
    incident = {"id": "i1", "system": "Airflow", "opening": "nothing starts", "cause": None, "facts": {"pool": True}}
    (tmp_path / "incidents.jsonl").write_text(json.dumps(incident), "utf-8")
    (tmp_path / "observations.json").write_text(json.dumps(OBSERVATIONS), "utf-8")
    (tmp_path / "causes.json").write_text("{}", "utf-8")
    user: FactsUser = read_incidents(tmp_path, ()).users()["i1"]

    user.answer(question("the pool is full", "the driver runs out of heap"))
    user.answer(question("default_pool 128/128 running"))

    assert [(seen.about, seen.again) for seen in user.seen] == [("pool", False), ("heap", False), ("pool", True)]
    assert user.repeated == 1


TOLD_TWICE = evidence(
    [
        ticket("1", "tasks do not start", "pool is too small", 0.4, "full", "queued"),
        ticket("2", "tasks wait", "pool is too small", 0.4, "running"),
        ticket("3", "tasks do not start", "scheduler died", 0.35, "beat"),
    ],
    [
        phenomenon("full", "the pool is full", "pool is too small", 0.2, perhaps={"P-running": 0.15}),
        phenomenon("running", "default_pool 128/128 running", "pool is too small", 0.2, perhaps={"P-full": 0.15}),
        phenomenon("queued", "hundreds of tasks are queued since noon", "pool is too small", 0.2),
        phenomenon("beat", "the last heartbeat of the scheduler is an hour old", "scheduler died", 0.2),
    ],
)


@pytest.mark.parametrize("answer", ["yes", "no", "don't know"])
def test_what_another_ticket_tells_in_its_particulars_is_not_asked_again(answer: str) -> None:
    """D3, D14: not after it was confirmed, denied or not checked."""
    asked: list[str] = []
    answers: list[str] = []
    for _ in range(5):
        made = after(TOLD_TWICE, *answers, text="nothing is started")
        if isinstance(made, Diagnosis):
            break
        asked += [item.description for item in made.items]
        answers.append(" ".join(f"{item.number} {answer}" for item in made.items) or "don't know")

    assert len({"the pool is full", "default_pool 128/128 running"} & set(asked)) == 1


def test_it_counts_for_the_ticket_that_tells_it_so() -> None:
    """D2: in part, for nobody can be sure; and never two phenomena of one ticket."""
    _, groups, same = merged(TOLD_TWICE, DIFFERENTIAL, "en")

    assert same["P-full"]["P-running"] == pytest.approx(0.55)
    assert "P-queued" not in same["P-full"]
    assert all("P-beat" not in row for row in same.values())
    assert {family.key: family.shown for family in groups}["P-full"] == {"C-pool is too small": 1}


def test_two_tickets_of_two_wordings_of_a_cause_tell_one_thing() -> None:
    """D2: by the concepts of both and of their causes, in two languages; the last thing that is left on either side may be one too."""
    found = evidence(
        [
            ticket("1", "one task never ends", "skewed message key", 0.4, "hot", "note"),
            ticket("2", "最后一个任务跑不完", "消息 key 倾斜", 0.4, "zh", "zh note"),
        ],
        [
            phenomenon("hot", "most messages have the same key", "skewed message key"),
            phenomenon("zh", "消息的 key 都相同", "消息 key 倾斜"),
            phenomenon("note", "tenant acme doubled last week", "skewed message key"),
            phenomenon("zh note", "上周大客户翻倍", "消息 key 倾斜"),
        ],
    )

    _, _, same = merged(found, DIFFERENTIAL, "en")

    assert same["P-hot"]["P-zh"] >= 0.5
    assert same["P-note"]["P-zh note"] >= 0.45
    assert "P-note" not in same["P-hot"]


def test_near_equal_texts_that_name_two_things_are_two() -> None:
    """D2: "wait event tuple" is another observation than "wait event transactionid", however alike the two look."""
    found = evidence(
        [ticket("1", "slow", "row lock held", 0.4, "tuple"), ticket("2", "slow", "row lock of a writer", 0.4, "xid")],
        [
            phenomenon("tuple", "sessions show wait event tuple", "row lock held"),
            phenomenon("xid", "sessions show wait event syncrep", "row lock of a writer"),
        ],
    )

    assert merged(found, DIFFERENTIAL, "en")[2] == {}


@pytest.mark.parametrize(
    ("text", "concept"),
    [
        ("all requests end up on one server", "skew"),
        ("a single machine does everything while the others idle", "skew"),
        ("it does let nobody in", "password"),
        ("the pages won't let my colleagues in", "password"),
        ("其他机器闲着", "skew"),
    ],
)
def test_a_term_may_have_a_gap(text: str, concept: str) -> None:
    found = concepts_of(text)

    assert (concept in found) is (text != "it does let nobody in")
