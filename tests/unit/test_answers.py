"""The grammar of answers: what a user types, and what it says of the items asked."""

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.diagnose.deliverables import AnswerProblemKind, Finding, PhenomenonItem, PhenomenonQuestion
from workers.kinds.diagnose.rules.answers import read_answer

YES, NO, UNKNOWN = Finding.CONFIRMED, Finding.DENIED, Finding.UNKNOWN
SIGNS = {"+": YES, "-": NO, "?": UNKNOWN}
EVAL_DATA = Path(os.environ.get("BULLPEN_EVAL_DATA", "../shared/data"))


def question(size: int) -> PhenomenonQuestion:
    """A question with items P1, P2, ..."""
    items = tuple(
        PhenomenonItem(number=n, phenomenon_id=f"P{n}", description=f"sign {n}", observation_method="", why="") for n in range(1, size + 1)
    )
    return PhenomenonQuestion(turn=1, items=items)


def said(signs: str) -> dict[str, Finding]:
    """`"1+ 2-"` as findings."""
    return {f"P{sign[:-1]}": SIGNS[sign[-1]] for sign in signs.split()}


@pytest.mark.parametrize(
    ("text", "signs"),
    [
        ("1 yes 2 no", "1+ 2-"),
        ("1确认 2否定 3确认", "1+ 2- 3+"),
        ("1: y; 2: n; 3: don't know", "1+ 2- 3?"),
        ("1 确认；2 否定；3 不知道", "1+ 2- 3?"),
        ("１确认　２否定", "1+ 2-"),
        ("1y2n3y", "1+ 2- 3+"),
        ("1. yes\n2. no\n3. yes", "1+ 2- 3+"),
        ("1、确认 2、否定", "1+ 2-"),
        ("1 yes 2 no. 3 yes", "1+ 2- 3+"),
        ("第一个是，第二个不是", "1+ 2-"),
        ("the first yes, second no", "1+ 2-"),
        ("1-3 yes", "1+ 2+ 3+"),
        ("1,2 no", "1- 2-"),
        ("1、2否定", "1- 2-"),
        ("1和3是,2不是", "1+ 2- 3+"),
        ("yes to 1 and 3, no to 2", "1+ 2- 3+"),
        ("确认1和3，否定2", "1+ 2- 3+"),
        ("yes: 1, 3. no: 2", "1+ 2- 3+"),
        ("I see 1 and 3 but not 2", "1+ 2- 3+"),
        ("I don't see 2", "2-"),
        ("yes no yes", "1+ 2- 3+"),
        ("1 yes, the rest no", "1+ 2- 3-"),
        ("only 1 and 3", "1+ 2- 3+"),
        ("只有1", "1+ 2- 3-"),
        ("no, 2 yes", "1- 2+ 3-"),
        ("1?", "1?"),
        ("1 not sure because no access", "1?"),
        ("1不是很确定", "1?"),
        ("1无法查看", "1?"),
    ],
)
def test_answers_by_number(text, signs):
    """D16: the feedback grammar, English and Chinese."""
    reading = read_answer(text, question(3))

    assert reading.findings == said(signs)
    assert reading.observations == ()


@pytest.mark.parametrize(
    ("text", "signs"),
    [
        ("yes to all", "1+ 2+ 3+"),
        ("all", "1+ 2+ 3+"),
        ("确认", "1+ 2+ 3+"),
        ("是", "1+ 2+ 3+"),
        ("全部确认", "1+ 2+ 3+"),
        ("all no", "1- 2- 3-"),
        ("none", "1- 2- 3-"),
        ("none of them", "1- 2- 3-"),
        ("都不是", "1- 2- 3-"),
        ("全否定", "1- 2- 3-"),
        ("一个都没有", "1- 2- 3-"),
        ("都正常", "1- 2- 3-"),
        ("不清楚", "1? 2? 3?"),
        ("?", "1? 2? 3?"),
        ("not sure", "1? 2? 3?"),
        ("except 2", "1+ 2- 3+"),
        ("all except 2", "1+ 2- 3+"),
        ("all yes but 2", "1+ 2- 3+"),
        ("none except 2", "1- 2+ 3-"),
        ("除了2都是", "1+ 2- 3+"),
        ("除了2其他都没有", "1- 2+ 3-"),
        ("1-3 yes except 2", "1+ 2- 3+"),
    ],
)
def test_answers_to_all_items(text, signs):
    """D16: one word for all, and exceptions from it."""
    assert read_answer(text, question(3)).findings == said(signs)


@pytest.mark.parametrize("text", ["不是", "不是的", "否定", "没有", "no", "nope", "not there", "正常", "没问题"])
def test_a_denial_that_contains_a_yes_is_a_denial(text):
    """Defect 1.3.2: "不是" contains 是 and once confirmed everything."""
    assert read_answer(text, question(2)).findings == said("1- 2-")


def test_normal_denies_and_abnormal_confirms():
    """Defect 1.3.2: "1正常" says that the phenomenon is not there, "1异常" that it is."""
    assert read_answer("1正常 2异常", question(2)).findings == said("1- 2+")
    assert read_answer("1 normal, 2 abnormal", question(2)).findings == said("1- 2+")
    assert read_answer("1 ok 2 not ok", question(2)).findings == said("1- 2+")


@pytest.mark.parametrize("text", ["死锁", "有死锁", "没有死锁", "no space left on device", "IO高", "OOM", "disk full"])
def test_a_short_symptom_is_an_observation_and_no_answer(text):
    """Defect 1.3.1: length is no criterion; "死锁" is a symptom of two characters."""
    reading = read_answer(text, question(3))

    assert (reading.findings, reading.observations) == ({}, (text,))


@pytest.mark.parametrize("text", ["有", "对", "1"])
def test_a_short_answer_is_an_answer(text):
    """Defect 1.3.1, its other half."""
    assert read_answer(text, question(1)).findings == said("1+")


@pytest.mark.parametrize(
    "text",
    [
        "disk is 95 % full",
        "95 % cpu",
        "2 replicas",
        "2 replicas are down",
        "2x slower",
        "1.5 s latency",
        "10.0.0.1 is down",
        "1,200 sessions are waiting",
        "at 12:30 it began",
        "in 2024 we upgraded",
        "no deadlocks, but latency is high",
        "normal users are blocked",
        "none of the replicas is lagging",
        "全表扫描很多",
        "无法连接数据库",
        "1正常值是10",
    ],
)
def test_figures_and_answer_words_in_prose_are_prose(text):
    """D16: only what stands as an answer is one."""
    reading = read_answer(text, question(3))

    assert (reading.findings, reading.observations, reading.problems) == ({}, (text,), ())


@pytest.mark.parametrize(
    ("text", "signs", "observations"),
    [
        ("1 yes 2 no, also the disk is full", "1+ 2-", ("the disk is full",)),
        ("also there are 2 replicas", "", ("there are 2 replicas",)),
        ("disk is 95% full, 1 yes", "1+", ("disk is 95% full",)),
        ("1 确认；另外，磁盘满了", "1+", ("磁盘满了",)),
        ("是的，死锁很多", "1+ 2+ 3+", ("死锁很多",)),
        ("no, the disk is full", "1- 2- 3-", ("the disk is full",)),
        ("1 no errors at all", "1-", ("no errors at all",)),
        ("1没有死锁,2有大量慢查询", "1- 2+", ("没有死锁", "有大量慢查询")),
        ("1 yes\nalso lots of waits; replicas lag", "1+", ("lots of waits", "replicas lag")),
    ],
)
def test_what_is_told_beside_an_answer_is_kept(text, signs, observations):
    """D7: new observations of the user, in their own words."""
    reading = read_answer(text, question(3))

    assert (reading.findings, reading.observations) == (said(signs), observations)


@pytest.mark.parametrize(
    ("text", "signs", "kind", "what"),
    [
        ("5 no", "", AnswerProblemKind.OUT_OF_RANGE, "5"),
        ("1-9 yes", "1+ 2+ 3+", AnswerProblemKind.OUT_OF_RANGE, "4-9"),
        ("1-999999999 yes", "1+ 2+ 3+", AnswerProblemKind.OUT_OF_RANGE, "4-999999999"),
        ("0 yes", "", AnswerProblemKind.OUT_OF_RANGE, "0"),
        ("1 yes 1 no", "1?", AnswerProblemKind.CONTRADICTION, "1"),
        ("yes, no", "1? 2? 3?", AnswerProblemKind.AMBIGUOUS, "confirmed/denied"),
        ("ok", "", AnswerProblemKind.AMBIGUOUS, "ok"),
        ("not all", "", AnswerProblemKind.AMBIGUOUS, "not all"),
        ("不全是", "", AnswerProblemKind.AMBIGUOUS, "不全是"),
        ("1 3", "1+ 3+", AnswerProblemKind.ASSUMED, "1, 3"),
    ],
)
def test_what_cannot_be_read_is_said(text, signs, kind, what):
    """D16: nothing is swallowed and nothing is guessed silently."""
    reading = read_answer(text, question(3))

    assert reading.findings == said(signs)
    assert [(problem.kind, problem.text) for problem in reading.problems] == [(kind, what)]


@pytest.mark.parametrize(("item", "finding"), [("the connection pool is exhausted", None), ("lag above 600 s", Finding.DENIED),
                                               ("80 connections are open", Finding.DENIED)])  # fmt: skip
def test_a_single_digit_to_a_single_item_is_a_value_only_where_the_item_has_figures(item, finding):
    items = (PhenomenonItem(number=1, phenomenon_id="P1", description=item, observation_method="", why=""),)
    read = read_answer("2", PhenomenonQuestion(turn=1, items=items))

    assert read.findings.get("P1") == finding
    assert bool(finding) == (AnswerProblemKind.OUT_OF_RANGE not in {problem.kind for problem in read.problems})


def test_a_question_without_items_takes_free_text():
    """D22: the answer to "which key symptom?" is an observation, however short; "don't know" is none."""
    assert read_answer("死锁; 慢", question(0)).observations == ("死锁", "慢")
    assert read_answer("3 no space left errors", question(0)).observations == ("3 no space left errors",)
    assert read_answer("不知道", question(0)).observations == ()


def test_a_long_answer_is_read_to_its_end():
    """D7: what follows the part that is parsed is kept as told."""
    tail = "ERROR: out of shared memory " * 400

    reading = read_answer(f"1 yes\n{tail}", question(1))

    assert reading.findings == said("1+")
    assert sum(len(text) for text in reading.observations) >= len(tail.strip()) - 10


WORDS = st.sampled_from(
    """yes no not none all both except but only the rest don't know ? 是 不是 否定 确认 都 全 除了 其他 有 没有 正常 异常 和 and
    1 2 3 9 1-3 , ， ; . : 95% disk 死锁 第一个""".split()  # noqa: SIM905 a list of words reads best as words
)


@given(st.one_of(st.text(), st.lists(WORDS, max_size=12).map(" ".join), st.lists(WORDS, max_size=12).map("".join)), st.integers(0, 4))
def test_any_text_is_read(text, size):
    """D29: no text makes the reader fail or name a phenomenon that was not asked."""
    asked = question(size)

    reading = read_answer(text, asked)

    assert set(reading.findings) <= {item.phenomenon_id for item in asked.items}
    assert all(observation.strip() for observation in reading.observations)


@given(
    st.lists(st.sampled_from("+-?"), min_size=1, max_size=5), st.sampled_from(["en", "zh"]), st.sampled_from([" ", ", ", "; ", "\n", "，"])
)
def test_a_numbered_answer_is_read_back(signs, lang, separator):
    """D16: every numbered answer, in either language and with any separator."""
    words = {"en": {"+": " yes", "-": " no", "?": " don't know"}, "zh": {"+": "确认", "-": "否定", "?": "不清楚"}}[lang]
    text = separator.join(f"{number}{words[sign]}" for number, sign in enumerate(signs, start=1))

    reading = read_answer(text, question(len(signs)))

    assert reading.findings == said(" ".join(f"{number}{sign}" for number, sign in enumerate(signs, start=1)))
    assert (reading.observations, reading.problems) == ((), ())


def test_hostile_texts_are_read():
    """D29: strings that break programs."""
    path = EVAL_DATA / "hostile" / "naughty_strings.json"
    if not path.exists():
        pytest.skip(f"no evaluation data at {path}: set BULLPEN_EVAL_DATA")

    for text in json.loads(path.read_text(encoding="utf-8")):
        reading = read_answer(text, question(3))
        assert set(reading.findings) <= {"P1", "P2", "P3"}


@pytest.mark.parametrize("unit", ["1 ", "1,", "1 yes ", "yes ", "no x ", "1 yes a 1 ", "all but ", "都", "(", "\n", "1 yes, no 2 x, ",
                                  "2 i ", "1 was wrong ", "2026-11-28 04:12:55 ERROR a, ", "yes, does not "])  # fmt: skip
@pytest.mark.parametrize("size", [1, 3])
def test_a_repeated_pattern_is_read_in_linear_time(unit, size):
    """D29: no answer keeps a worker busy (the suite's timeout would)."""
    read_answer(unit * (20_000 // len(unit)), question(size))
