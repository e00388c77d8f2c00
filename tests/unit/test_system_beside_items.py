"""Items and the system in one question: an answer may have both in any order, and what it leaves out is not lost."""

import pytest

from contracts.diagnose.deliverables import Finding, PhenomenonItem, PhenomenonQuestion
from contracts.diagnose.request import DiagnoseRequest, DiagnosisMethod
from contracts.tickets import Anomaly, CauseCard, PhenomenonCard, Ticket, TicketCard, TicketEvidence
from tests.support.evidence import evidence_of
from workers.kinds.diagnose.rules.differential.incident_system import IncidentSystem
from workers.kinds.diagnose.rules.families import families
from workers.kinds.diagnose.rules.figures import threshold_of
from workers.kinds.diagnose.rules.known import gather, read_all
from workers.kinds.diagnose.rules.methods import move
from workers.kinds.diagnose.rules.profiles import DIFFERENTIAL
from workers.kinds.diagnose.rules.replies import is_closed, read_answer

SIGNS = ("lag grows", "the disk is full", "sessions wait for a lock")


def asked(items: int = 3) -> PhenomenonQuestion:
    made = (
        PhenomenonItem(number=at, phenomenon_id=f"P-{at}", description=sign, observation_method="", why="")
        for at, sign in enumerate(SIGNS[:items], start=1)
    )
    return PhenomenonQuestion(
        turn=1, items=tuple(made), systems=("MySQL", "billing", "PostgreSQL 14.2"), system_names=((), ("invoices",), ())
    )


@pytest.mark.parametrize(
    ("answer", "system", "found", "observed"),
    [
        ("MySQL, 3 yes", "MySQL", {"P-3": "confirmed"}, ()),
        ("MySQL\n3 yes", "MySQL", {"P-3": "confirmed"}, ()),
        ("MySQL，3 有", "MySQL", {"P-3": "confirmed"}, ()),
        ("MySQL: 1 yes 2 no", "MySQL", {"P-1": "confirmed", "P-2": "denied"}, ()),
        ("invoices; none", "billing", {"P-1": "denied", "P-2": "denied", "P-3": "denied"}, ()),
        ("PostgreSQL 14.2, 3 yes", "PostgreSQL 14.2", {"P-3": "confirmed"}, ()),
        ("Redis, 2 no", "Redis", {"P-2": "denied"}, ()),
        ("mysql.", "MySQL", {}, ()),
        ("MySQL, since noon", "MySQL", {}, ("since noon",)),
        ("MySQL, also the disk smells", "MySQL", {}, ("the disk smells",)),
        ("1 yes, 2 no\nAlso\nbilling", "billing", {"P-1": "confirmed", "P-2": "denied"}, ()),
        ("1 yes, also MySQL.", "MySQL", {"P-1": "confirmed"}, ()),
        ("1 yes, also MySQL is slow", "", {"P-1": "confirmed"}, ("MySQL is slow",)),
    ],
)
def test_a_systems_name_before_or_behind_the_items_is_read_with_them(
    answer: str, system: str, found: dict[str, str], observed: tuple[str, ...]
):
    reading = read_answer(answer, asked())

    assert (reading.system, reading.findings, reading.observations, reading.unread) == (system, found, observed, False)


@pytest.mark.parametrize(
    "answer",
    [
        "system: MySQL, 1 yes but only sometimes", "also 2 maybe", "MySQL, 1 yes 3 maybe", "MySQL, yes but only sometimes",
        "MySQL, none as far as I see", "MySQL, billing", "MySQL, billing is slow", "MySQL, system: billing", "2", "#1", "MySQL?",
    ],
)  # fmt: skip
def test_an_answer_whose_findings_the_grammar_does_not_read_is_left_to_a_model(answer: str):
    """The name before it makes no remark of a finding."""
    assert not is_closed(answer, asked())


@pytest.mark.parametrize(("answer", "finding"), [("yes, mysql", Finding.CONFIRMED), ("no; MySQL", Finding.DENIED)])
def test_the_bare_name_behind_a_yes_is_the_system(answer: str, finding: Finding):
    reading = read_answer(answer, asked(1))

    assert (reading.system, reading.findings, reading.observations) == ("MySQL", {"P-1": finding}, ())
    plain = read_answer(answer, asked(1).model_copy(update={"systems": (), "system_names": ()}))
    assert (plain.system, len(plain.observations)) == ("", 1), "nobody asked for the system"


def history() -> TicketEvidence:
    """Two systems, each with a ticket of two signs."""
    signs = {"P-1": "lag grows", "P-2": "the disk is full", "P-3": "sessions wait for a lock", "P-4": "invoices are printed twice"}
    shown = {"1": ("MySQL", ("P-1", "P-3")), "2": ("billing", ("P-2", "P-4"))}
    return TicketEvidence(
        causes=tuple(
            CauseCard(cause_id=f"C-{key}", description=f"cause {key}", solution="x", ticket_count=1, ticket_ids=(f"T-{key}",))
            for key in shown
        ),
        phenomena=tuple(
            PhenomenonCard(
                phenomenon_id=key,
                description=text,
                observation_method="",
                similarity=0.1,
                cause_tickets={f"C-{of}": 1 for of, (_, own) in shown.items() if key in own},
                cause_count=1,
            )
            for key, text in signs.items()
        ),
        tickets=tuple(
            TicketCard(
                ticket_id=f"T-{key}", description="all is slow", cause_id=f"C-{key}", similarity=0.4, phenomenon_ids=own, systems=(system,)
            )
            for key, (system, own) in shown.items()
        ),
        total_tickets=60,
        total_causes=2,
    )


def asked_ids(*dialogue: tuple[PhenomenonQuestion, str]) -> frozenset[str]:
    found = history()
    return gather(found, families(found, DIFFERENTIAL), dialogue, read_all(dialogue), ["all is slow"], DIFFERENTIAL).asked.ids


def test_items_beside_which_only_the_system_was_answered_come_once_more_only():
    question = asked()
    again = question.model_copy(update={"turn": 2, "systems": (), "system_names": ()})

    assert asked_ids((question, "MySQL")) == frozenset()
    assert asked_ids((question, "MySQL, 3 yes")) == {"P-1", "P-2", "P-3"}
    assert asked_ids((question, "don't know")) == {"P-1", "P-2", "P-3"}
    assert asked_ids((question, "MySQL"), (again, "MySQL")) == {"P-1", "P-2", "P-3"}


def test_a_dialogue_asks_the_items_again_after_the_system_alone_and_ends():
    request, found = DiagnoseRequest(description="all is slow"), history()
    first = asked().model_copy(update={"systems": ("MySQL", "billing"), "system_names": ()})
    dialogue = [(first, "MySQL")]

    seen: list[str] = []
    while isinstance(made := move(request, found, dialogue, method=DiagnosisMethod.DIFFERENTIAL), PhenomenonQuestion):
        assert not made.systems
        seen += [item.phenomenon_id for item in made.items]
        dialogue.append((made, "system: MySQL"))

    assert set(seen) & {"P-1", "P-3"}
    assert len(seen) == len(set(seen))


@pytest.mark.parametrize(
    ("text", "is_said"),
    [
        ("since monday the web page of billing is slow, mysql is fine", False),
        ("since monday mysql is slow", True),
        ("since monday all is slow", False),
    ],
)
def test_an_opening_with_the_names_of_two_systems_does_not_say_which_it_is(text: str, is_said: bool):
    system = IncidentSystem(history(), (), (text,))

    assert system.is_said is is_said


@pytest.mark.parametrize(
    ("sentence", "subject"),
    [
        ("Replication lag exceeds 300 s, does not fall at night.", "Replication lag exceeds (~300 s), does not fall at night."),
        ("Replication lag is above 300 s, does not fall at night.", "The replica of the shop is late."),
    ],
)
def test_the_sentence_that_says_what_an_item_is_about_brings_no_limit(sentence: str, subject: str):
    """A figure of an answer would be held against the limit of another incident: `1: 500 s` is no yes to "does not fall"."""
    own = Ticket(
        ticket_id="T-1",
        description=f"{sentence} The replica of the shop is late.",
        root_cause="a purge runs at night",
        solution="x",
        anomalies=(Anomaly(description="does not fall at night"),),
    )
    others = [
        Ticket(ticket_id=f"T-{at}", description=f"part {at} is out of order", root_cause=f"fault {at}", solution="x") for at in range(2, 9)
    ]
    text = "replication lag of the shop, the replica is late"
    made = move(DiagnoseRequest(description=text), evidence_of([own, *others], text), [], method=DiagnosisMethod.DIFFERENTIAL)

    assert isinstance(made, PhenomenonQuestion)
    assert [item.description for item in made.items] == [f"does not fall at night ({subject})"]
    assert threshold_of(made.items[0].description) is None
    assert read_answer("1: 500 s", made).findings == {}
