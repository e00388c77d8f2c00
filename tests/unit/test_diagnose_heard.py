"""What a model hears in an answer counts as far as the answer bears it; where the grammar read the opposite, the person is asked."""

import pytest

from contracts.diagnose.deliverables import Finding, HeardAnswer, HeardItem, PhenomenonItem, PhenomenonQuestion
from tests.support.spoken import english
from workers.kinds.diagnose.rules.differential.heard import NOTHING_HEARD, Heard, asked_which, checked_answer, hear_latest

LAG, POOL, ISR = "replication lag above 600 s", "the connection pool is exhausted", "brokers drop out of the ISR"


def question(*texts: str) -> PhenomenonQuestion:
    items = tuple(
        PhenomenonItem(number=number, phenomenon_id=f"P-{text}", description=text, observation_method="", why="")
        for number, text in enumerate(texts, start=1)
    )
    return PhenomenonQuestion(turn=1, items=items)


ASKED = question(LAG, POOL, ISR)


def heard(*items: tuple[int, Finding, str]) -> HeardAnswer:
    return HeardAnswer(items=tuple(HeardItem(number=number, finding=finding, quote=quote) for number, finding, quote in items))


def checked(answer: str, *items: tuple[int, Finding, str]) -> Heard:
    return checked_answer(heard(*items), ASKED, answer)


def findings(found: Heard) -> list[tuple[str, Finding]]:
    return [(each.phenomenon_id, each.finding) for each in found.turn.findings] if found.turn else []


def test_what_the_grammar_does_not_read_is_heard_with_the_words_that_say_it():
    """D27."""
    found = checked("every caller waits until somebody hands one back", (2, Finding.CONFIRMED, "waits until somebody hands one back"))

    assert findings(found) == [(f"P-{POOL}", Finding.CONFIRMED)]
    assert found.disputed == ()


@pytest.mark.parametrize(
    ("answer", "item"),
    [
        ("every caller waits", (2, Finding.CONFIRMED, "everybody waits")),
        ("every caller waits", (2, Finding.CONFIRMED, "")),
        ("every caller waits", (7, Finding.CONFIRMED, "every caller waits")),
        ("the pool is not exhausted at all", (2, Finding.CONFIRMED, "the pool is not exhausted")),
        ("our replica shows 20 seconds there", (1, Finding.CONFIRMED, "shows 20 seconds")),
        ("our replica shows 20 minutes there", (1, Finding.DENIED, "shows 20 minutes")),
        ("the connection pool is exhausted on every node", (2, Finding.DENIED, "the connection pool is exhausted")),
    ],
    ids=[
        "not their words",
        "no words",
        "no such item",
        "the opposite",
        "a figure on the other side",
        "a figure beyond the limit",
        "the same",
    ],
)
def test_what_the_answer_does_not_bear_is_not_heard(answer: str, item: tuple[int, Finding, str]):
    """D27: quotes, words and figures are checked."""
    found = checked(answer, item)
    assert findings(found) == []
    assert not found.disputed


def test_a_denial_is_heard_where_its_clause_denies():
    text = "nobody says that the connection pool is exhausted, not even once it is not exhausted"
    found = checked(text, (2, Finding.DENIED, "it is not exhausted"))

    assert findings(found) == [(f"P-{POOL}", Finding.DENIED)]


def test_a_clause_that_the_model_contradicts_is_asked_once():
    """The polarity of a closed clause is not the model's to turn round."""
    text = "3 yes, they all stay, as far as I see"
    again = checked(text, (3, Finding.DENIED, "they all stay, as far as I see"))

    assert [each.phenomenon_id for each in again.disputed] == [f"P-{ISR}"]
    asked = asked_which(ASKED, again)
    assert [(item.number, item.description) for item in asked.items] == [(1, ISR)]
    assert english(asked.notes[0]) == "“they all stay, as far as I see” can be read as a yes and as a no to 1. Which is it?"
    assert not checked_answer(heard((3, Finding.DENIED, "they all stay")), ASKED, text, before={f"P-{ISR}"}).disputed


def test_remarks_a_system_and_corrections_need_the_persons_words():
    """D27."""
    earlier = [(ASKED.items[0], Finding.CONFIRMED), (ASKED.items[1], Finding.DENIED)]
    text = "this is Kafka; the disk of the broker is full; scratch what I told you about the pool"
    said = HeardAnswer(
        items=(),
        earlier=(
            HeardItem(number=2, finding=Finding.UNKNOWN, quote="scratch what I told you about the pool"),
            HeardItem(number=1, finding=Finding.DENIED, quote="never said"),
        ),
        remarks=("the disk of the broker is full", "the network is down"),
        system="Kafka",
    )

    found = checked_answer(said, ASKED, text, earlier)

    assert found.turn is not None
    assert (found.turn.system, found.turn.remarks) == ("Kafka", ("the disk of the broker is full",))
    assert [(each.phenomenon_id, each.finding) for each in found.turn.corrections] == [(f"P-{POOL}", Finding.UNKNOWN)]
    assert checked_answer(said.model_copy(update={"system": "Redis"}), ASKED, text).turn.system == ""  # pyright: ignore[reportOptionalMemberAccess]


@pytest.mark.parametrize("answer", ["1 yes 2 no", "all but 2", "都没有", "1有 2没有", "how do I check 2?", "stop", "1 yes, also x"])
def test_a_closed_answer_and_a_question_back_are_shown_to_no_model(answer: str):
    def never(_question: PhenomenonQuestion, text: str, _earlier: object) -> HeardAnswer:
        raise AssertionError(text)

    assert hear_latest([(ASKED, answer)], never) is NOTHING_HEARD


def test_the_model_sees_what_was_answered_earlier():
    seen: list[object] = []

    def hear(_question: PhenomenonQuestion, _text: str, earlier: object) -> HeardAnswer:
        seen.append(earlier)
        return HeardAnswer(items=())

    hear_latest([(question(LAG), "1 yes"), (question(POOL), "hm, I mixed something up before")], hear)

    assert [(item.description, finding) for item, finding in seen[0]] == [(LAG, Finding.CONFIRMED)]  # pyright: ignore


def test_a_question_of_the_model_is_answered_by_words_that_deny_nothing():
    """`Is there ... or not?` was taken for a denial, so that a yes was read as its opposite and left out."""
    asked = question("现在有没有备份、抽数之类的大任务正在跑?", "数据库数据盘的写延迟是多少毫秒?", "有没有控制器、电池或写缓存的告警?")
    answer = "1 有吧，rman还在跑，昨晚拖到现在 2 不清楚 3 没有。别烦我"

    found = checked_answer(heard((1, Finding.CONFIRMED, "有吧，rman还在跑"), (3, Finding.DENIED, "没有")), asked, answer)

    assert [each for _, each in findings(found)] == [Finding.CONFIRMED, Finding.DENIED]
