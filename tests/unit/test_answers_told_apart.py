"""Questions back, numbers that no item has, and pasted lines of a log: none of them becomes something else."""

import pytest

from contracts.diagnose.deliverables import AnswerProblemKind, Finding, PhenomenonItem, PhenomenonQuestion, UserQuery
from tests.support.spoken import chinese, english
from tests.unit.test_asking_back import asked
from workers.kinds.diagnose.rules.answers import read_answer
from workers.kinds.diagnose.rules.asking_back import only_asks_back


def _asked(*texts: str) -> PhenomenonQuestion:
    items = [
        PhenomenonItem(number=n, phenomenon_id=f"P{n}", description=text, observation_method="", why="") for n, text in enumerate(texts, 1)
    ]
    return PhenomenonQuestion(turn=1, items=tuple(items))


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("what do you mean?", UserQuery.MEANING),
        ("what does pgs mean?", UserQuery.MEANING),
        ("I don't understand the question", UserQuery.MEANING),
        ("are you a bot?", UserQuery.MEANING),
        ("你是什么意思", UserQuery.MEANING),
        ("pgs是什么意思？", UserQuery.MEANING),
        ("你是机器人吗", UserQuery.MEANING),
        ("what have I told you so far?", UserQuery.PROGRESS),
        ("what did I answer so far", UserQuery.PROGRESS),
        ("我刚才都说了什么", UserQuery.PROGRESS),
        ("刚才我告诉过你什么？", UserQuery.PROGRESS),
        ("where do I see that?", UserQuery.HOW),
        ("怎么查？", UserQuery.HOW),
    ],
)
def test_a_question_back_is_no_observation_and_no_turn(text, query):
    reading = read_answer(text, _asked("14 pgs degraded", "slow requests blocked"))

    assert reading.queries == (query,)
    assert only_asks_back(reading)


def test_what_items_mean_is_told_with_their_tickets_and_the_question_stays():
    first = asked([])

    again = asked([(first, "what do you mean?")])

    assert again.model_copy(update={"notes": first.notes}) == first
    assert english(again.notes[0]).startswith("What is asked, in the words of solved tickets.")
    assert chinese(again.notes[0]).startswith("所问的是已解决工单中的现象")
    assert [
        item.description in english(note) and "seen in T-" in english(note) for item, note in zip(first.items, again.notes[1:], strict=True)
    ]


@pytest.mark.parametrize(("text", "number"), [("how do I check 7?", "7"), ("第7个怎么查", "7"), ("what does item 7 mean?", "7")])
def test_a_question_about_a_number_that_no_item_has_is_told(text, number):
    first = asked([])

    again = asked([(first, text)])

    assert again.items == first.items
    assert [english(note) for note in again.notes] == [f"There is no item {number}; that part was ignored."]


@pytest.mark.parametrize(
    ("text", "findings"),
    [("the first one no, 2 I see that in error.log yes", {"P1": Finding.DENIED}), ("1 没有，2 我在日志里看到了", {"P1": Finding.DENIED})],
)
def test_a_sentence_on_an_item_that_there_is_not_is_said_and_no_observation(text, findings):
    reading = read_answer(text, _asked("upstream timed out"))

    assert (reading.findings, reading.observations) == (findings, ())
    assert [(problem.kind, problem.text) for problem in reading.problems] == [(AnswerProblemKind.OUT_OF_RANGE, "2")]


@pytest.mark.parametrize(
    "line",
    [
        "[2026-11-28 04:12:55,101] WARN [Consumer clientId=c-1, groupId=g] Offset commit failed, rebalancing and retrying",
        "2026-11-28T04:12:55Z ERROR worker: cannot write block; retrying, attempt 2",
        "2026-11-28 04:12:55,101 ERROR [main] 连接失败，重试 3 次",
    ],
)
def test_a_pasted_line_of_a_log_is_one_observation(line):
    asked = _asked("users cannot log in", "the queue is full")

    assert read_answer(line, asked).observations == (line,)
    assert read_answer(f"1 yes\n{line}", asked).observations == (line,)
    assert read_answer(f"the log has: {line}, 1 yes", asked).findings == {"P1": Finding.CONFIRMED}


def test_the_name_of_a_system_is_no_observation():
    question = PhenomenonQuestion(turn=1, items=(), systems=("nginx", "kafka"))

    assert read_answer("nginx of course", question).observations == ()
    assert read_answer("当然是 nginx", question).observations == ()
