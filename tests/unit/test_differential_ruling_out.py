"""What only rules other causes out bears none; what does not say what it is about is asked with its ticket's words; a check that shows two
things in two languages makes them one only where something else does."""

import pytest

from contracts.diagnose.deliverables import Diagnosis, PhenomenonQuestion, Verdict
from contracts.diagnose.request import DiagnoseRequest, DiagnosisMethod
from contracts.tickets import Anomaly, Ticket
from tests.support.evidence import evidence_of
from workers.kinds.diagnose.rules.differential.merged import merged
from workers.kinds.diagnose.rules.differential.ruling_out import ruling_out
from workers.kinds.diagnose.rules.families import families
from workers.kinds.diagnose.rules.likeness import wording
from workers.kinds.diagnose.rules.methods import move
from workers.kinds.diagnose.rules.profiles import DIFFERENTIAL


def ticket(number: int, cause: str, description: str, *signs: str, check: str = "") -> Ticket:
    seen = tuple(Anomaly(description=sign, observation_method=check) for sign in signs)
    return Ticket(ticket_id=f"T-{number}", description=description, root_cause=cause, solution="x", anomalies=seen)


HISTORY = [
    ticket(1, "the provider has blocked our sender signature", "notices are not received", "no backlog in the queue",
           "receipts say signature rejected"),
    ticket(2, "the table has no primary key", "the replica is late after a purge", "the purged table has no primary key", "lag grows"),
    ticket(3, "gateway timeouts block the senders", "notices come late", "messages pile up in the queue", "sender log has timeouts"),
]  # fmt: skip


def test_a_denial_that_names_what_other_causes_are_about_rules_out_and_one_of_its_own_does_not():
    found = evidence_of(HISTORY, "notices are not received")
    groups = families(found, DIFFERENTIAL)
    ids = ruling_out(groups, found)

    assert {card.description for card in found.phenomena if card.phenomenon_id in ids} == {"no backlog in the queue"}


def test_what_rules_out_is_not_asked_and_makes_no_cause_the_diagnosis():
    """An incident of a new cause has no backlog either."""
    request = DiagnoseRequest(description="notices are not received. no backlog in the queue")
    found, dialogue = evidence_of(HISTORY, request.description, ["no backlog in the queue"]), list[tuple[PhenomenonQuestion, str]]()

    while isinstance(made := move(request, found, dialogue, method=DiagnosisMethod.DIFFERENTIAL), PhenomenonQuestion):
        assert "no backlog in the queue" not in {item.description for item in made.items}
        dialogue.append((made, ", ".join(f"{item.number} no" for item in made.items) or "don't know"))

    assert isinstance(made, Diagnosis)
    assert made.verdict is not Verdict.DIAGNOSED


@pytest.mark.parametrize(
    ("text", "lacks"),
    [
        ("does not fall", True), ("Is not released after the job", True), ("不会下降", True), ("没有释放", True),
        ("no space left on the volume", False), ("memory does not fall", False), ("内存不会下降", False), ("the table has no key", False),
        ("Cannot assign requested address", False),
    ],
)  # fmt: skip
def test_what_begins_with_a_denied_verb_does_not_say_what_it_is_about(text: str, lacks: bool):
    assert wording(text).lacks_subject is lacks


def test_what_does_not_say_what_it_is_about_is_asked_with_the_sentence_of_its_ticket():
    history = [
        ticket(
            1,
            "a cache is kept at night",
            "Heap of the indexer climbs after noon, does not fall at night. Searches fail.",
            "does not fall at night",
        ),
        *(ticket(number, f"fault {number}", f"part {number} is out of order") for number in range(2, 9)),
    ]
    text = "the heap of the indexer climbs after noon, searches fail"
    asked = move(DiagnoseRequest(description=text), evidence_of(history, text), [], method=DiagnosisMethod.DIFFERENTIAL)

    assert isinstance(asked, PhenomenonQuestion)
    whole = "does not fall at night (Heap of the indexer climbs after noon, does not fall at night.)"
    assert [item.description for item in asked.items] == [whole]


def test_one_check_in_two_languages_shows_one_thing_only_where_the_cause_is_one_or_they_share_a_name():
    view = "pg_replication_slots"
    found = evidence_of(
        [
            ticket(1, "a standby was removed and its slot stayed", "the log directory grows", "physical slot inactive", check=view),
            ticket(2, "归档失败", "日志目录一直涨", "复制槽全部正常，延迟很小", check=view),
        ],
        "the log directory grows",
    )

    groups, _, _ = (families(found, DIFFERENTIAL), *merged(found, DIFFERENTIAL, "en")[1:])
    assert len(groups) == 2
