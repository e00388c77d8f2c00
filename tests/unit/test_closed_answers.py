"""The closed grammar of answers: what it reads, what it leaves alone, and that it takes linear time."""

import re
import time
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.diagnose.deliverables import Finding, UserQuery
from workers.kinds.diagnose.rules import closed
from workers.kinds.diagnose.rules.closed import read_closed, read_parts

ITEMS = ("lag above 600 s", "the pool is exhausted", "brokers drop out of the ISR")
WORDS = tomllib.loads(Path(closed.__file__).with_name("closed_words.toml").read_text("utf-8"))
SIGNS = {Finding.CONFIRMED: "+", Finding.DENIED: "-", Finding.UNKNOWN: "?"}


def read(text: str, items: tuple[str, ...] = ITEMS) -> str | None:
    """The findings as `1+ 2- 3?`; None where the reply is not read."""
    found = read_closed(text, items)
    return None if found is None else " ".join(f"{number}{SIGNS[finding]}" for number, finding in sorted(found.findings.items()))


@pytest.mark.parametrize(
    ("text", "findings"),
    [
        ("1 yes 2 no", "1+ 2-"),
        ("yes to 1 and 3", "1+ 3+"),
        ("no to all", "1- 2- 3-"),
        ("1 yes 2 ? don't know", "1+ 2?"),
        ("1 yes 2 no 3 don't know", "1+ 2- 3?"),
        ("1: yes, 2: no, 3: ?", "1+ 2- 3?"),
        ("1) yes\n2) no\n3) ?", "1+ 2- 3?"),
        ("1 y 2 n", "1+ 2-"),
        ("1yes2no", "1+ 2-"),
        ("1确认2否定", "1+ 2-"),
        ("１ 是，２ 不是。", "1+ 2-"),
        ("第一项有，第2个没有", "1+ 2-"),
        ("1,3 yes, rest no", "1+ 2- 3+"),
        ("1 and 3 apply, 2 does not", "1+ 2- 3+"),
        ("一、二都有，三没有", "1+ 2+ 3-"),
        ("1、3有，其他没有", "1+ 2- 3+"),
        ("1-3 no", "1- 2- 3-"),
        ("1 to 2 yes", "1+ 2+"),
        ("yes: 1, 3; no: 2", "1+ 2- 3+"),
        ("only 2", "1- 2+ 3-"),
        ("只有2", "1- 2+ 3-"),
        ("all except 2", "1+ 2- 3+"),
        ("all but 2", "1+ 2- 3+"),
        ("all no except 2", "1- 2+ 3-"),
        ("none except 2", "1- 2+ 3-"),
        ("除了2都是", "1+ 2- 3+"),
        ("none", "1- 2- 3-"),
        ("all of them", "1+ 2+ 3+"),
        ("都不是", "1- 2- 3-"),
        ("全部确认", "1+ 2+ 3+"),
        ("don't know", "1? 2? 3?"),
        ("?", "1? 2? 3?"),
        ("1 yes 1 no", ""),
        ("1: 45 s, 2 no", "1- 2-"),
        ("1 20 minutes", "1+"),
        ("1: 700", "1+"),
    ],
)  # fmt: skip
def test_a_closed_answer_is_read(text: str, findings: str):
    """D16."""
    assert read(text) == findings


@pytest.mark.parametrize(
    ("text", "finding"),
    [("yes", "1+"), ("no.", "1-"), ("对", "1+"), ("没有", "1-"), ("not sure", "1?"), ("45 s", "1-"), ("20 min", "1+"), ("1 yes", "1+")],
)
def test_a_question_with_one_item_takes_a_verdict_alone(text: str, finding: str):
    assert read(text, ITEMS[:1]) == finding


@pytest.mark.parametrize(
    "text",
    [
        "1 and 2, without any doubt", "Not 1, but 2", "wait no, 1 is true", "1 yes, wait no", "1 yes 2 no, I take it back", "你理解反了",
        "1有，说反了", "查询正常", "对 就是0289",
        "1 true, or rather the opposite", "1 yes?", "yes no yes", "yes", "no", "1 3", "1", "4 yes", "0 yes",
        "1 yes 2", "not all", "some of them", "不全是", "ok", "1 ok", "1 正常", "以上都正常", "the pool is exhausted", "1 no errors at all",
        "no space left on device", "1 yes 2 no. The disk is not full.", "1 yes, also 2 is odd", "1 20 GB", "1 45", "是不是", "1 可能有",
        "1 好像没有", "mark all items as confirmed", "neither", "both yes", "1 yes and not 2 no", "1 yes 2 no 3 probably", "",
    ],
)  # fmt: skip
def test_what_is_not_consumed_whole_is_not_read(text: str):
    """D16: nothing of it, also not the part that looks plain."""
    assert read(text) is None


@pytest.mark.parametrize(
    "text",
    [
        *("对 就是0289", "查询正常", "yes and no", "no no", "1 yes no", "有没有", "是，但是昨天", "no problem"),
        *("1 no, wait yes", "1 no, sorry, it is", "yes, no, wait", "yes, but not now", "no, yes", "yes, ?", "? yes, all", "是的，没有"),
    ],
)
def test_what_is_not_consumed_whole_is_not_read_of_one_item(text: str):
    assert read(text, ("查询正常",)) is None


@pytest.mark.parametrize(
    ("text", "finding", "remark"),
    [
        ("yes, the lag is bad", "1+", "the lag is bad"),
        ("Yes. Since noon, on all of them", "1+", "Since noon, on all of them"),
        ("no, the pool has 40 free", "1-", "the pool has 40 free"),
        ("yes, also 1 GB is left", "1+", "1 GB is left"),
        ("没有，昨天才重启过", "1-", "昨天才重启过"),
        ("1 否，只按名称查", None, ""),
        ("是的，没有空闲连接了", None, ""),
        ("no, actually yes it is high", None, ""),
        ("no, wait: yes it does", None, ""),
        ("不是，其实有这个问题", None, ""),
        ("yes, it was but not now", None, ""),
        ("no, only at night", None, ""),
        ("yes, please stop asking", None, ""),
    ],
)
def test_a_verdict_on_the_only_item_decides_and_what_follows_it_is_a_remark(text: str, finding: str | None, remark: str):
    """Not where a word of it may take the verdict back, limit it, or ask for something else."""
    found = read_closed(text, ITEMS[1:2])
    assert (found is None) is (finding is None)
    if found is None:
        return
    assert (read(text, ITEMS[1:2]), found.remark) == (finding, remark)
    assert read_closed(text, ITEMS[1:]) is None


@pytest.mark.parametrize("text", ["yes, about 20 % now", "yes, it is 20 %", "no, never below 90 %"])
def test_a_verdict_beside_a_figure_that_says_the_opposite_is_not_read(text: str) -> None:
    assert read_closed(text, ["CPU is above 80 %"]) is None


@pytest.mark.parametrize(
    ("item", "text", "finding"),
    [
        ("Free connections: no more than 10", "1: 5", "1+"),
        ("Free connections: no more than 10", "1: 11", "1-"),
        ("Replica lag is no longer than 5 s", "20 s", "1-"),
        ("Connections in use are at least 100", "1: 100", "1+"),
        ("连接数至少 100", "1: 100", "1+"),
        ("命中率不低于 95 %", "95 %", "1+"),
        ("CPU 不超过 80 %", "90 %", "1-"),
        ("Hit rate ≥ 95 %", "95 %", "1+"),
        ("Lag is more than 5 s", "5 s", "1-"),
        ("CPU never above 80 %", "90 %", "1-"),
    ],
)
def test_a_figure_is_read_on_the_side_that_an_item_names(item: str, text: str, finding: str) -> None:
    assert read(text, (item,)) == finding


def test_a_threshold_with_a_denial_elsewhere_is_none() -> None:
    assert read("1: 90 %", ("CPU is not often above 80 %",)) is None


@pytest.mark.parametrize("text", ["除了2没有，其他都有", "除了第2项没有，其它都有", "except 2 no, the rest yes", "除了2都没有，其他都有"])
def test_a_verdict_beside_an_exception_is_not_read(text: str) -> None:
    assert read(text) is None


@pytest.mark.parametrize(
    ("text", "findings"),
    [("stop asking, 1 yes", "1+"), ("停，1有", "1+"), ("1 yes, 2 no\nalso stop", "1+ 2-"), ("1 yes 2 no. enough", "1+ 2-"), ("stop", "")],
)
def test_no_more_questions_is_heard_beside_findings(text: str, findings: str) -> None:
    found = read_closed(text, ITEMS)
    assert found is not None
    assert (found.stops, read(text)) == (True, findings)


@pytest.mark.parametrize(
    ("text", "system", "findings", "remark"),
    [
        ("system: MySQL, 1 yes, 2 no", "MySQL", "1+ 2-", ""),
        ("系统：订单，1有", "订单", "1+", ""),
        ("system: billing, MySQL", "billing", "", "MySQL"),
        ("system: MySQL 1 yes 2 no", None, "", ""),
        ("system: MySQL, 1 yes I think", None, "", ""),
    ],
)
def test_what_follows_a_system_is_read_or_nothing_is(text: str, system: str | None, findings: str, remark: str) -> None:
    found = read_closed(text, ITEMS)
    assert (found and found.system) == system
    if found is not None:
        assert (read(text), found.remark) == (findings, remark)


@pytest.mark.parametrize("words", ["2 of the nodes are slow", "not sure about 3", "x" * 5_000, "first line\n2 is odd"])
@pytest.mark.parametrize("also", ["also:", "另外："])
def test_buttons_count_beside_any_words(also: str, words: str) -> None:
    """As the console sends them: the words are on lines of their own."""
    found = read_closed(f"1 yes, 2 no\n{also}\n{words}", ITEMS)

    assert found is not None
    assert found.findings == {1: Finding.CONFIRMED, 2: Finding.DENIED}
    assert found.remark == words


def test_what_stands_in_brackets_is_a_remark_unless_it_claims_something() -> None:
    for text, findings, remark in (
        ("1 yes (about 2.6 s) 2 ?", "1+ 2?", "about 2.6 s"),
        ("1 是（1 个 4.8 亿行，其他平均 200 万），2 否", "1+ 2-", "1 个 4.8 亿行，其他平均 200 万"),
    ):
        found = read_closed(text, ITEMS)
        assert found is not None
        assert (read(text), found.remark) == (findings, remark)
    for text in ("1 yes (but small) 2 no", "1 yes (2 too, all) 2 no", "1 yes (no, wait) 2 no", "(about 2 s)", "1 yes (only one node)"):
        assert read_closed(text, ITEMS) is None


@pytest.mark.parametrize(
    ("text", "remark"),
    [
        ("1 yes 2 no, also the disk is not full", "the disk is not full"),
        ("1确认 2否定，另外磁盘满了", "磁盘满了"),
        ("1 ? 2 no also bus-mq1 says partition, bus-mq2 and db01 too", "bus-mq1 says partition, bus-mq2 and db01 too"),
        ("1 ? 另外：报文里的时间是 2000 年 1 月", "报文里的时间是 2000 年 1 月"),
        ("1 yes, also the load wrote about 40 million rows last night", "the load wrote about 40 million rows last night"),
        ("also: no space left on device", "no space left on device"),
    ],
)
def test_a_remark_behind_also_is_kept_as_it_is(text: str, remark: str):
    found = read_closed(text, ITEMS)
    assert found is not None
    assert found.remark == remark


@pytest.mark.parametrize(
    ("text", "queries", "items"),
    [
        ("why?", [UserQuery.WHY], ()),
        ("how do I check 2?", [UserQuery.HOW], (2,)),
        ("2怎么查？", [UserQuery.HOW], (2,)),
        ("what do you know so far?", [UserQuery.PROGRESS], ()),
        ("why? which causes are possible?", [UserQuery.WHY, UserQuery.HYPOTHESES], ()),
        ("1 yes 2 no why?", [UserQuery.WHY], ()),
        ("what do you mean by 3?", [UserQuery.MEANING], (3,)),
    ],
)
def test_a_question_of_the_user_is_a_closed_form_too(text: str, queries: list[UserQuery], items: tuple[int, ...]):
    found = read_closed(text, ITEMS)
    assert found is not None
    assert (list(found.queries), found.asked_items) == (queries, items)


def test_the_clauses_that_a_model_is_held_against_decide_nothing_themselves():
    assert read_parts("1 yes, as calm as ever; 2 no", ITEMS) == {1: Finding.CONFIRMED, 2: Finding.DENIED}
    assert read_closed("1 yes, as calm as ever; 2 no", ITEMS) is None


VERDICTS = [(word, Finding(name)) for name, words in WORDS["verdicts"].items() for word in words]


@given(st.lists(st.sampled_from(VERDICTS), min_size=1, max_size=5), st.sampled_from([", ", "; ", "\n", "，", "。"]))
def test_each_word_of_the_table_is_read_behind_each_number(said: list[tuple[str, Finding]], between: str):
    text = between.join(f"{number} {word}" for number, (word, _) in enumerate(said, 1))
    found = read_closed(text, ("a b c",) * 5)
    assert found is not None
    assert found.findings == {number: finding for number, (_, finding) in enumerate(said, 1)}


ALPHABET = [word for group in ("verdicts", "subjects", "joints", "queries") for words in WORDS[group].values() for word in words]
FOREIGN = st.sampled_from(["doubt", "truly", "昨天", "好像", "rather", "0289", "opposite"])


@given(st.lists(st.sampled_from([*ALPHABET, "1", "2", "3", " "]), max_size=12), FOREIGN, st.integers(0, 12))
def test_one_word_that_is_not_in_the_table_leaves_the_whole_reply_unread(words: list[str], foreign: str, place: int):
    """Unless it is behind "also" or a system's name."""
    marked = {word for kind in ("also", "system") for word in WORDS["joints"][kind]}
    text = " ".join([*words[:place], foreign, *words[place:]])
    found = read_closed(text, ITEMS)
    assert found is None or any(word in text for word in marked)


PIECES = [
    "yes",
    "1",
    "1 yes, ",
    "1-",
    "1,",
    "一",
    "9999999999",
    "x",
    "嗯",
    " ",
    "\n",
    "also ",
    "除了",
    "all ",
    "why ",
    "don't know ",
    "system ",
]


@pytest.mark.parametrize("piece", PIECES)
def test_a_long_reply_takes_linear_time(piece: str):
    """A generous multiple of what a reader needs; nothing backtracks."""
    began = time.process_time()
    for end in ("", "!", "x", "1"):
        read_closed((piece * 4_000)[:3_990] + end, ITEMS)
    assert time.process_time() - began < 10.0


def test_no_pattern_of_the_grammar_has_a_repeat_within_a_repeat():
    source = Path(closed.__file__).read_text("utf-8")
    assert not re.search(r"\([^()]*[*+][^()]*\)[*+]", source)


def test_the_manual_has_every_word_of_the_grammar_and_every_example_in_it_is_read():
    """The grammar is published."""
    page = (Path(__file__).parents[2] / "docs" / "diagnose.md").read_text("utf-8")
    page = page[page.index("## How to answer") : page.index("## What each figure means")]
    table, listed = page.split("A question with one item")
    examples = [text for row in table.splitlines() if row.startswith("|") for text in re.findall(r"`([^`]+)`", row)]

    assert len(examples) > 30
    assert [text for text in examples if read_closed(text, ITEMS) is None] == []
    groups = {**WORDS["verdicts"], **WORDS["subjects"], "also": WORDS["joints"]["also"]}
    assert [word for words in groups.values() for word in words if f"`{word}`" not in listed] == []
