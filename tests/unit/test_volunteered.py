"""What the user told of their own accord, and what they left out."""

import pytest

from contracts.diagnose.deliverables import Diagnosis, Finding, PhenomenonQuestion, Verdict
from contracts.diagnose.request import DiagnoseRequest
from contracts.tickets import Ticket
from tests.support.evidence import evidence_of
from tests.support.spoken import english
from workers.kinds.diagnose.rules.conclude import next_move
from workers.kinds.diagnose.rules.families import cards_by_id, families
from workers.kinds.diagnose.rules.profiles import OURS
from workers.kinds.diagnose.rules.rar import rar_move
from workers.kinds.diagnose.rules.volunteered import Fact, unsaid, volunteered


def ticket(number: int, cause: str, *anomalies: str) -> Ticket:
    return Ticket(
        ticket_id=f"T-{number}",
        description=". ".join(anomalies),
        root_cause=cause,
        anomalies=tuple({"description": text} for text in anomalies),  # pyright: ignore[reportArgumentType] validated by pydantic
    )


HISTORY = [ticket(n, "backup", "High disk writes", "High network traffic") for n in range(3)]
HISTORY += [ticket(n, "load peak", "High disk writes", "High network traffic", "High thread count") for n in range(3, 6)]


def facts_of(description: str) -> dict[str, Fact]:
    evidence = evidence_of(HISTORY, description)
    groups = families(evidence, OURS)
    found = volunteered(evidence, cards_by_id(groups), [description], OURS)
    return found | {fact.family.key: fact for fact in unsaid(groups, found.keys(), description, OURS)}


def test_a_sentence_in_the_known_wording_says_its_phenomenon():
    """D6: what the description says need not be asked."""
    found = facts_of("high DISK writes. Users complain")

    assert [(fact.card.description, fact.finding, fact.source) for fact in found.values()] == [
        ("High disk writes", Finding.CONFIRMED, "described")
    ]


def test_prose_says_nothing_by_what_it_leaves_out():
    """D29: silence of a person is no evidence."""
    assert facts_of("The shop is slow since noon") == {}


@pytest.mark.parametrize(
    ("closing", "strength"),
    [
        ("All other metrics are normal.", 1.0),
        ("其他指标均正常。", 1.0),
        ("Everything else looks normal.", OURS.silence),
        ("其他都正常", OURS.silence),
    ],
)
def test_who_says_that_the_rest_is_normal_denies_the_rest(closing: str, strength: float):
    """D6: a monitoring has looked at everything, a person at some of it."""
    found = facts_of(f"High disk writes. {closing}")

    denied = {fact.card.description: fact for fact in found.values() if fact.finding is Finding.DENIED}
    assert denied.keys() == {"High network traffic", "High thread count"}
    assert {(fact.source, fact.strength) for fact in denied.values()} == {("unsaid", strength)}


def test_an_alarm_tells_causes_apart_by_what_it_does_not_report():
    """D3: the same two metrics are a backup when the third is normal; the report says that it was not mentioned."""
    alarm = "High disk writes. High network traffic. All other metrics are normal."

    found = next_move(DiagnoseRequest(description=alarm), evidence_of(HISTORY, alarm), [])

    assert isinstance(found, Diagnosis)
    assert (found.verdict, found.root_cause) == (Verdict.DIAGNOSED, "backup")
    assert next((one.description, one.source) for one in found.evidence_for) == ("High thread count", "unsaid")
    assert "“High thread count” (not mentioned)" in english(found.explanation)


def test_rar_too_says_what_was_not_mentioned_and_not_that_it_was_denied():
    alarm = "High disk writes. High network traffic. All other metrics are normal."

    found = rar_move(DiagnoseRequest(description=alarm, max_turns=1), evidence_of(HISTORY, alarm), [], may_ask=False)

    assert isinstance(found, Diagnosis)
    assert ("High thread count", "unsaid") in {(one.description, one.source) for one in found.evidence_for}
    assert "“High thread count” (not mentioned)" in english(found.explanation)


def test_a_denial_by_a_person_is_told_from_what_was_not_mentioned():
    """D3, D36: both speak for a cause by not being there; only one of them is somebody's word."""
    told = "High disk writes. High network traffic. The shop is slow since noon, and orders hang."
    question = next_move(DiagnoseRequest(description=told), evidence_of(HISTORY, told), [])
    assert isinstance(question, PhenomenonQuestion)

    found = next_move(DiagnoseRequest(description=told), evidence_of(HISTORY, told), [(question, "1 no")])

    assert isinstance(found, Diagnosis)
    assert "“High thread count” (denied)" in english(found.explanation)
