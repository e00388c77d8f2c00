"""What a person had looked up is evidence of the item that it was run for, once, regardless of the number that the item has later."""

from datetime import UTC, datetime

from contracts.checks import CheckOutcome, Gathered, MethodRun
from contracts.diagnose.deliverables import Finding, HeardTurn, PhenomenonItem, PhenomenonQuestion, ReadFinding
from workers.kinds.diagnose.looked_up import with_runs
from workers.kinds.diagnose.rules.known import latest_findings, read_all, with_heard

LOCKS = PhenomenonItem(number=1, phenomenon_id="P-locks", description="sessions wait for locks", observation_method="SELECT 1", why="")
DISK = PhenomenonItem(number=2, phenomenon_id="P-disk", description="the disk is full", observation_method="SELECT 2", why="")
ASKED = PhenomenonQuestion(turn=1, items=(LOCKS, DISK))
AGAIN = PhenomenonQuestion(turn=1, items=(DISK.model_copy(update={"number": 1}),))
RUN = MethodRun(
    item=1, language="sql", query="SELECT locks", system="s", asked_by="ann", at=datetime.now(UTC), columns=("n",), rows=((42,),), count=1
)


def seen(*dialogue: tuple[PhenomenonQuestion, str], heard: tuple[HeardTurn, ...] = ()) -> list[tuple[str, CheckOutcome]]:
    counted = with_heard(dialogue, heard)
    found = with_runs(Gathered(system="s", ms=1), {"P-locks": RUN}, latest_findings(counted, read_all(counted)))
    return [(str(each.says), each.outcome) for each in found.findings]


def test_rows_are_of_the_item_that_they_were_run_for_and_of_no_other() -> None:
    assert seen((ASKED, "1 yes, why 2"), (AGAIN, "1 no")) == [("sessions wait for locks", CheckOutcome.CONFIRMED)]


def test_a_question_that_was_put_again_has_its_rows_once() -> None:
    assert seen((ASKED, "hm, maybe something"), (ASKED, "1 yes 2 no")) == [("sessions wait for locks", CheckOutcome.CONFIRMED)]


def test_what_a_model_heard_counts_as_what_the_person_said_of_the_rows() -> None:
    text = "they queue up behind one another"
    turn = HeardTurn(turn=1, answer=text, findings=(ReadFinding(phenomenon_id="P-locks", finding=Finding.CONFIRMED, quote=text),))

    assert seen((ASKED, text), heard=(turn,)) == [("sessions wait for locks", CheckOutcome.CONFIRMED)]
