"""A yes or no at the beginning of a reply decides; what does not work in the details behind it is a symptom and denies nothing."""

import pytest

from contracts.diagnose.deliverables import Finding, PhenomenonItem, PhenomenonQuestion
from workers.kinds.diagnose.rules.answers import read_answer


def _asked(*texts: str) -> PhenomenonQuestion:
    items = [
        PhenomenonItem(number=n, phenomenon_id=f"P{n}", description=text, observation_method="", why="") for n, text in enumerate(texts, 1)
    ]
    return PhenomenonQuestion(turn=1, items=tuple(items))


_DEAD = "batch node b-07: JVM dead since the OOM kill"
_DEAD_ZH = "跑批节点被 OOM 杀掉后 JVM 没有响应"
_OLD_ZH = "统计信息过期"


@pytest.mark.parametrize(
    ("item", "text"),
    [
        (_DEAD, "yes, node b-11 does not answer on 9090, free -m shows 0.1 GB free"),
        (_DEAD, "yes, the node is dead, java does not respond"),
        (_DEAD, "yes - no response from the node"),
        (_DEAD, "yes, it does not respond"),
        (_DEAD, "yes, can't connect to it"),
        (_DEAD, "yes no process left"),
        (_DEAD, "the node does not respond"),
        (_DEAD, "the jvm is gone"),
        (_DEAD_ZH, "是,10.9.7.3 节点没有响应,free 只剩 0.2G"),
        (_DEAD_ZH, "有，节点连不上"),
        (_DEAD_ZH, "对,java 进程不在了"),
        (_OLD_ZH, "对,统计信息半年没更新了"),
        ("consumer offset does not move", "yes, it doesn't move"),
    ],
)
def test_a_yes_with_details_is_a_yes(item, text):
    reading = read_answer(text, _asked(item))

    assert reading.findings == {"P1": Finding.CONFIRMED}
    assert not {"yes", "是", "有", "对"} & set(reading.observations)


@pytest.mark.parametrize(
    ("item", "text"),
    [
        (_DEAD, "no, the node answers fine"),
        (_DEAD, "the node is not dead"),
        (_DEAD, "no jvm was killed"),
        (_DEAD, "the OOM kills are gone"),
        ("connection refused errors in the log", "there are no connection refused errors"),
        ("pod crashes and restarts", "the pod did not restart"),
        (_DEAD_ZH, "没有,节点响应正常"),
        ("节点宕机", "节点没有宕机"),
        (_OLD_ZH, "没有,统计信息昨天刚更新过"),
    ],
)
def test_a_no_with_details_is_a_no(item, text):
    reading = read_answer(text, _asked(item))

    assert reading.findings == {"P1": Finding.DENIED}
    assert not {"no", "没有"} & set(reading.observations)


def test_a_yes_belongs_to_the_item_whose_words_follow():
    asked = _asked("disk sda nearly full", _DEAD)

    assert read_answer("yes, the node is dead, java does not respond", asked).findings == {"P2": Finding.CONFIRMED}
    assert read_answer("是,节点没有响应", _asked("磁盘快满", _DEAD_ZH)).findings == {"P2": Finding.CONFIRMED}


@pytest.mark.parametrize(("text", "finding"), [("yes, no", Finding.UNKNOWN), ("yes not sure", Finding.UNKNOWN),
                                               ("no, the heap is at 95 %", Finding.CONFIRMED)])  # fmt: skip
def test_an_answer_in_the_details_counts_as_one(text, finding):
    assert read_answer(text, _asked("heap above 90 %")).findings == {"P1": finding}
