"""What a person reads back of an answer: what was read, corrected, about another system, or not understood; and how items are checked."""

import pytest

from contracts.diagnose.deliverables import Diagnosis, Finding, HeardTurn, PhenomenonQuestion, ReadFinding
from contracts.diagnose.request import DiagnoseRequest, DiagnosisMethod
from tests.support.spoken import chinese, english
from tests.unit.test_asking_back import EVIDENCE, INCIDENT
from workers.kinds.diagnose.rules.also import lacks_also
from workers.kinds.diagnose.rules.asking_back import counted_turns
from workers.kinds.diagnose.rules.closed import read_closed
from workers.kinds.diagnose.rules.known import heard_so_far, read_all, with_heard
from workers.kinds.diagnose.rules.methods import move
from workers.kinds.diagnose.rules.replies import read_answer
from workers.kinds.diagnose.rules.search_terms import search_terms, systems_named


def after(*turns: tuple[PhenomenonQuestion, str]) -> PhenomenonQuestion:
    request = DiagnoseRequest(description=INCIDENT)
    found: Diagnosis | PhenomenonQuestion = move(request, EVIDENCE, list(turns), method=DiagnosisMethod.GAR)
    assert isinstance(found, PhenomenonQuestion)
    return found


def notes(question: PhenomenonQuestion) -> str:
    return "\n".join(english(note) for note in question.notes)


def test_how_an_item_is_checked_is_answered_without_a_turn() -> None:
    """D16: for the item that is named, with its check."""
    first = after()

    again = after((first, "how do I check 2?"))

    assert (again.turn, again.items) == (first.turn, first.items)
    assert f"2. “{first.items[1].description}”: SELECT 1" in notes(again)
    assert f"1. “{first.items[0].description}”" not in notes(again)


def test_an_answer_and_a_question_in_one_are_both_heard() -> None:
    first = after()

    found = after((first, "1 no, how do I check 2?"))

    assert found.turn == 2
    assert f"Understood: 1 “{first.items[0].description}”: denied" in notes(found)
    assert "SELECT 1" in notes(found)


@pytest.mark.parametrize("reply", ["9 yes", "…", "好的"])
def test_what_cannot_be_read_costs_no_turn_and_is_said(reply: str) -> None:
    """D16."""
    first = after()

    again = after((first, reply))

    assert (again.turn, again.items) == (1, first.items)
    assert "uses no turn" in notes(again)
    assert counted_turns([(first, reply)]) == []
    assert "不计入轮次" in chinese(again.notes[0])


@pytest.mark.parametrize(
    ("reply", "rest"),
    [
        ("1 yes, 2 ?, the log has no errors since noon", "the log has no errors since noon"),
        ("1 是，2 不知道。日志权限没有，明天再看", "日志权限没有，明天再看"),
        ("不是，坐席用的是软电话不是浏览器", "坐席用的是软电话不是浏览器"),
        ("1 yes, 2 is odd", ""),
        ("well, it blinks", ""),
    ],
)
def test_where_only_the_word_also_is_missing_its_place_is_named(reply: str, rest: str) -> None:
    """Both sides of it are then read; without it nothing is."""
    items = ["the pool is exhausted", "lag above 600 s"][: 1 if reply.startswith("不") else 2]

    assert read_closed(reply, items) is None
    assert lacks_also(reply, items) == rest
    if rest:
        also = read_closed(reply.replace(rest, f"另外{rest}"), items)
        assert also is not None
        assert (also.remark, bool(also.findings)) == (rest, True)


def test_a_reply_that_lacks_also_is_quoted_with_its_place() -> None:
    first = after()

    again = after((first, "1 yes, the disk is not full"))

    assert "If “the disk is not full” is what else you see, answer again with “also” before it" in notes(again)
    assert "若「the disk is not full」是您另外看到的，请在它前面写上“另外”" in chinese(again.notes[0])


def test_a_question_is_repeated_once_for_what_cannot_be_read_and_then_left_open() -> None:
    first = after()

    then = after((first, "well..."), (first, "dunno, it blinks"))

    assert then.turn == 2
    assert not {item.phenomenon_id for item in first.items} & {item.phenomenon_id for item in then.items}
    assert "Not read: “dunno, it blinks”. The question before this one stays open" in notes(then)
    assert counted_turns([(first, "well..."), (first, "dunno, it blinks")]) == [(first, "dunno, it blinks")]
    assert after((first, "well..."), (first, "dunno, it blinks"), (then, "…")).turn == 2


def heard(question: PhenomenonQuestion, answer: str, **what: object) -> HeardTurn:
    return HeardTurn.model_validate({"turn": question.turn, "answer": answer, **what})


def by_model(item: str, finding: str, quote: str) -> ReadFinding:
    return ReadFinding(phenomenon_id=item, finding=Finding(finding), quote=quote)


def test_a_correction_that_a_model_heard_is_read_back_and_costs_no_turn() -> None:
    """D16, D27: it holds for the answer that it corrects, and "unknown" takes one back."""
    first = after()
    second = after((first, "1 yes 2 no"))
    (one, two), text = (first.items[:2]), "hold on, I mixed up the first two earlier"
    fixes = (
        by_model(two.phenomenon_id, "confirmed", "mixed up the first two"),
        by_model(one.phenomenon_id, "unknown", "mixed up the first two"),
    )

    dialogue = with_heard([(first, "1 yes 2 no"), (second, text)], (heard(second, text, corrections=fixes),))
    third = after(*dialogue)

    assert (third.turn, third.items) == (second.turn, second.items)
    assert f"Corrected: “{two.description}” is now confirmed." in notes(third)
    assert counted_turns(dialogue) == dialogue[:1]
    assert read_all(dialogue)[0].findings == {one.phenomenon_id: Finding.UNKNOWN, two.phenomenon_id: Finding.CONFIRMED}
    kept = third.model_copy(update={"heard": heard_so_far(dialogue)})
    later = with_heard([(first, "1 yes 2 no"), (second, text), (kept, "1 no")])
    assert read_all(later)[0].findings == read_all(dialogue)[0].findings


def test_what_a_model_heard_is_said_back_with_the_words_that_say_it() -> None:
    first = after()
    text = "the first one for sure; by the way, the tape robot squeaks"
    turn = heard(
        first,
        text,
        findings=(by_model(first.items[0].phenomenon_id, "confirmed", "the first one for sure"),),
        remarks=("the tape robot squeaks",),
    )

    found = after(*with_heard([(first, text)], (turn,)))

    assert f"1 “{first.items[0].description}”: confirmed, as the model reads “the first one for sure”" in notes(found)
    assert "also noted: “the tape robot squeaks”" in notes(found)
    assert found.turn == 2


@pytest.mark.parametrize(("reply", "system"), [("system: MySQL", "MySQL"), ("系统：Kafka", "Kafka"), ("1 no, system: Redis", "Redis")])
def test_the_system_can_be_named_at_any_time(reply: str, system: str) -> None:
    first = after()

    assert read_answer(reply, first).system == system
    assert search_terms([(first, reply)])[0] == []
    assert systems_named([(first, reply)]) == [system]


def test_what_only_mentions_a_system_names_none() -> None:
    assert read_answer("we use MySQL 8, 1 yes", after()).unread
