"""Corrections of earlier answers: the item that their words mean, what cannot be resolved is said, and they cost no turn."""

import pytest

from contracts.diagnose.deliverables import Finding, PhenomenonItem, PhenomenonQuestion
from tests.support.spoken import chinese, english
from tests.unit.test_asking_back import asked, move
from workers.kinds.diagnose.rules.asking_back import counted_turns
from workers.kinds.diagnose.rules.known import latest_findings, read_all

Turn = tuple[PhenomenonQuestion, str]


def _asked(*texts: str) -> PhenomenonQuestion:
    items = [
        PhenomenonItem(number=n, phenomenon_id=text, description=text, observation_method="", why="") for n, text in enumerate(texts, 1)
    ]
    return PhenomenonQuestion(turn=1, items=tuple(items))


def _findings(turns: list[Turn]) -> dict[str, Finding]:
    return {key: finding for key, (_, finding) in latest_findings(turns, read_all(turns)).items()}


_STATS, _WAITS, _LOG = "优化器统计信息过期", "活动会话在等待锁", "日志盘已满"


@pytest.mark.parametrize(
    ("first", "second", "third", "correction", "meant"),
    [
        (_STATS, _WAITS, _LOG, "刚才1说错了,统计信息是前年更新的", _STATS),
        (_STATS, _WAITS, _LOG, "刚才1说错了", _WAITS),
        ("optimizer statistics are stale", "sessions wait for locks", "the log disk is full", "sorry, 1 was wrong, the statistics are old",
         "optimizer statistics are stale"),
        ("optimizer statistics are stale", "sessions wait for locks", "the log disk is full", "I was wrong about 1",
         "sessions wait for locks"),
    ],
)  # fmt: skip
def test_words_say_which_item_a_correction_means(first, second, third, correction, meant):
    no = "没有" if first == _STATS else "no"
    turns = [(_asked(first), f"1 {no}"), (_asked(second), f"1 {no}"), (_asked(third), correction)]

    assert _findings(turns) == {first: Finding.DENIED, second: Finding.DENIED, third: Finding.UNKNOWN} | {meant: Finding.CONFIRMED}


@pytest.mark.parametrize(("text", "number"), [("sorry, 8 was wrong", "8"), ("抱歉，第8个说错了", "8")])
def test_what_cannot_be_taken_back_is_said_and_costs_no_turn(text, number):
    first = asked([])

    again = asked([(first, text)])

    assert (again.items, again.turn) == (first.items, first.turn)
    assert english(again.notes[0]) == f"There is no item {number} that could be taken back."
    assert chinese(again.notes[0]) == f"没有可以撤回的第 {number} 项回答。"


def test_a_correction_of_nothing_said_is_told():
    again = asked([(asked([]), "forget what I said about the printer")])

    assert "names nothing that was answered" in english(again.notes[0])


def test_an_answer_that_only_corrects_leaves_the_question_open_and_is_kept():
    first = asked([])
    second = asked([(first, "1 no")])

    again = asked([(first, "1 no"), (second, "sorry, 1 was wrong")])
    turns: list[Turn] = [(first, "1 no"), (second, "sorry, 1 was wrong"), (again, "1 no")]

    assert (again.items, again.turn) == (second.items, second.turn)
    assert english(again.notes[0]).endswith("is now confirmed.")
    assert len(counted_turns(turns)) == 2
    assert _findings(list(counted_turns(turns)))[first.items[0].phenomenon_id] is Finding.CONFIRMED
    following = move(turns)
    if isinstance(following, PhenomenonQuestion):
        assert not any("Corrected" in english(note) for note in following.notes)
