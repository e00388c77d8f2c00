"""How a diagnosis shows what helped then: plainly, or under "if it is this", with dangerous steps marked; a person's words are theirs."""

from uuid import uuid4

import pytest

from contracts.diagnose.deliverables import Diagnosis, Fix, Noted, Verdict
from tests.support.spoken import chinese, english
from workers.kinds.base import Handing, ShowOptions
from workers.kinds.diagnose.handover import hand_over
from workers.kinds.diagnose.rules.dangers import dangerous_words
from workers.kinds.diagnose.view import show_result
from workers.saying.document import Document, Heading, Items, Paragraph

RISKY = "delete the old archives, then alter database open"


def found(verdict: Verdict, solution: str = RISKY) -> Diagnosis:
    return Diagnosis(
        verdict=verdict, root_cause="archive disk full", cause_id="C-1", confidence=0.44, solution=solution, cited_tickets=("T-1",),
        explanation="it may be", turns=2,
    )  # fmt: skip


def said(document: Document | None, speak: object = english) -> list[str]:
    assert document is not None
    blocks = [block for block in document.blocks if isinstance(block, Heading | Paragraph)]
    return [speak(block.text) for block in blocks]  # type: ignore[operator]


def test_a_guess_shows_what_helped_only_under_if_it_is_this():
    texts = said(show_result(found(Verdict.UNCERTAIN).to_json(), ShowOptions()))

    at = texts.index("If it is this: what helped then")
    assert texts[at + 1] == "Not what to do now: “archive disk full” is a guess of 44%. Confirm it first."
    assert texts[at + 2] == RISKY
    assert "What helped then" not in texts


def test_a_diagnosis_shows_it_plainly_and_marks_steps_that_cannot_be_undone():
    texts = said(show_result(found(Verdict.DIAGNOSED).to_json(), ShowOptions()))

    at = texts.index("What helped then")
    assert texts[at + 2] == "Careful: it has steps that cannot be undone or that end what runs (“delete”). Check each before you do it."
    assert texts[at + 3].startswith("From tickets T-1:")
    assert any("无法撤销" in text for text in said(show_result(found(Verdict.DIAGNOSED).to_json(), ShowOptions()), chinese))


@pytest.mark.parametrize(
    ("solution", "words"),
    [
        ("ANALYZE for all tables of the import schema", ()),
        ("Terminated the session with pg_terminate_backend(42), then reset the password", ("reset", "Terminated")),
        ("SELECT pg_terminate_backend(42); DELETED the rest", ("DELETED", "pg_terminate_backend")),
        ("强制重启后重新初始化实例", ("强制", "重新初始化")),
        ("more information, an enforced limit", ()),
    ],
)
def test_words_of_dangerous_steps_are_found(solution: str, words: tuple[str, ...]):
    assert dangerous_words(solution) == words


def test_what_a_person_edited_is_marked_as_theirs_in_the_report_and_the_handover():
    """It is not "from tickets"."""
    content = found(Verdict.DIAGNOSED, "switch it off and on").to_json()
    handing = Handing(
        job_id=uuid4(),
        request={"kind": "diagnose", "description": "x"},
        answered=(),
        open=None,
        result=content,
        stage=lambda stage: None,
        by_person=True,
    )

    for texts in (said(show_result(content, ShowOptions(by_person=True))), said(hand_over(handing))):
        assert "Written by a person, not taken from the tickets." in texts
        assert not any(text.startswith("From tickets") for text in texts)


def test_each_fix_stands_beside_the_ticket_that_it_is_of():
    fixes = (Fix(solution="switch the pool off", tickets=("T-1", "T-3")), Fix(solution=RISKY, tickets=("T-2",)))
    shown = show_result(found(Verdict.DIAGNOSED).model_copy(update={"fixes": fixes}).to_json(), ShowOptions())
    assert shown is not None

    listed = [english(item.text) for block in shown.blocks if isinstance(block, Items) for item in block.items]
    assert listed[-2:] == ["T-1, T-3: switch the pool off", f"T-2: {RISKY}"]
    assert any("“delete”" in text for text in said(shown))


def test_what_the_user_said_besides_and_what_was_ruled_out_are_in_the_report():
    said_besides = (
        Noted(text="the disk is full"),
        Noted(text="No space left", like="no space left", is_seen=True),
        Noted(text="archive is stuck", like="the archiver waits"),
    )
    made = found(Verdict.DIAGNOSED).model_copy(update={"noted": said_besides, "ruled_out": ("bad plan",)})
    shown = show_result(made.to_json(), ShowOptions())
    assert shown is not None

    listed = [english(item.text) for block in shown.blocks if isinstance(block, Items) for item in block.items]
    assert listed[-4].startswith("“the disk is full”: searched for")
    assert listed[-3].startswith("“No space left”: a phenomenon of the tickets")
    assert listed[-2] == "“archive is stuck”: taken for “the archiver waits”; it ranks causes and confirms nothing"
    assert listed[-1] == "Ruled out by a person: “bad plan”. It was left out, with its tickets."
