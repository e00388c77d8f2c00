"""Words for full text, and when two wordings are one thing."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.engines.language import latin_share
from workers.retrieval.tokens import MAX_TOKENS, lexeme, tokens
from workers.tickets.contradiction import contradict, opposed
from workers.tickets.wording import cause_id, normalise, phenomenon_id

NAUGHTY = [
    "'",
    "''",
    "\\",
    "\\'",
    "a'b",
    "' | !",
    "a & b <-> c:*",
    "(((",
    "\x00",
    "\ud800",
    "\u202e",
    "🦄",
    "ﷺ",
    "%s",
    "{}",
    "İ",
    "ß",
    "…",
    "\n",
]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("死锁", ["死锁"]),
        ("查询变慢", ["查询", "询变", "变慢"]),
        ("锁", ["锁"]),
        ("查询的效率", ["查询", "效率"]),
        ("CPU 使用率 95", ["cpu", "使用", "用率", "95"]),
        ("pg_stat_activity", ["pg_stat_activity", "pg", "stat", "activity"]),
        ("maxConnections", ["maxconnections", "max", "connection"]),
        ("HTTPServer", ["httpserver", "http", "server"]),
        ("public.orders", ["public.orders", "public", "order"]),
        ("The queries were slow", ["query", "slow"]),
        ("indexes, batches and caches", ["index", "batch", "cache"]),
        ("ＣＰＵ", ["cpu"]),
        ("", []),
        ("?!", []),
    ],
)
def test_words_of_a_text(text: str, expected: list[str]) -> None:
    """D5: Chinese in pairs of characters, identifiers whole and in parts, English without plurals and stop words."""
    assert tokens(text) == expected


def test_a_part_of_an_identifier_finds_it_and_a_plural_finds_its_singular() -> None:
    assert set(tokens("activity")) <= set(tokens("SELECT * FROM pg_stat_activity"))
    assert tokens("locks") == tokens("lock")


@given(st.text(max_size=300))
def test_words_are_never_empty_and_always_bounded(text: str) -> None:
    found = tokens(text)

    assert all(0 < len(word) <= 64 * 3 for word in found)
    assert len(found) == len(set(found)) <= MAX_TOKENS


@given(st.text(max_size=200), st.text(max_size=200))
def test_the_words_of_a_text_are_among_those_of_a_longer_text(one: str, other: str) -> None:
    assert set(tokens(one)) <= set(tokens(f"{one}\n{other}"))


@pytest.mark.parametrize("text", NAUGHTY)
def test_a_query_holds_nothing_but_quoted_words(text: str) -> None:
    assert re.fullmatch(r"('(?:[^'\\]|''|\\\\)*'(?: \| |$))*", " | ".join(map(lexeme, tokens(f"slow {text} lock"))))
    assert re.fullmatch(r"'(?:[^'\\]|''|\\\\)*'", lexeme(text))


def test_the_limit_of_words_holds_for_a_pasted_log() -> None:
    assert len(tokens(" ".join(f"word{number}" for number in range(10_000)))) == MAX_TOKENS


def test_a_chinese_text_with_latin_names_is_still_chinese() -> None:
    assert latin_share("slow query") == 1
    assert latin_share("查询变慢") == 0
    assert latin_share("gaussdb 进程在启动阶段因为端口冲突而退出") < 0.3
    assert latin_share("123") == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("CPU usage is high.", "cpu  usage is HIGH"),
        ("ＣＰＵ使用率过高！", "CPU 使用率 过高"),
        ("lock-wait timeout", "lock wait, timeout"),
    ],
)
def test_wordings_that_differ_in_form_only_are_one_phenomenon(one: str, other: str) -> None:
    """D2."""
    assert phenomenon_id(one) == phenomenon_id(other)
    assert cause_id(one) == cause_id(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("CPU > 90%", "CPU < 90%"), ("a != b", "a = b"), ("offset -5", "offset 5"), ("1.5 GB", "15 GB"), ("死锁", "锁死")],
)
def test_wordings_that_say_something_else_stay_apart(one: str, other: str) -> None:
    """D2."""
    assert phenomenon_id(one) != phenomenon_id(other)


@given(st.text(min_size=1, max_size=200))
def test_normalising_is_settled_after_one_step_and_never_empty(text: str) -> None:
    assert normalise(text)
    assert phenomenon_id(text).startswith("P-")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("rows differ by more than a factor of 100", "rows differ by less than a factor of 2"),
        ("CPU usage is above 90 %", "CPU usage stays below 20 %"),
        ("the replica is lagging", "the replica is not lagging"),
        ("估算行数与实际行数相差超过 100 倍", "估算行数与实际行数相差不到 2 倍"),
        ("存在锁等待", "没有锁等待"),
    ],
)
def test_opposites_are_told_apart(one: str, other: str) -> None:
    """D8: an observation that says the opposite of a phenomenon does not confirm it."""
    assert opposed(one, other)
    assert opposed(other, one)
    assert not opposed(one, one)
    assert not opposed(other, other)


@pytest.mark.parametrize(
    ("one", "other", "different"),
    [
        ("会话等待事件为 tuple", "会话等待事件为 transactionid", True),
        ("数据盘使用率超过 90 %", "CPU 使用率超过 90 %", True),
        ("Sessions wait on SyncRep", "Sessions wait on WALSync", True),
        ("The setting log_hostname is on", "参数 log_hostname 为 on", False),
        ("Committing sessions wait on SyncRep", "会话等待 SyncRep", False),
        ("The log shows a deadlock.", "日志中出现 deadlock", False),
        ("pg_attribute is larger than 1 GB", "pg_attribute has grown", False),
        ("the disk is full", "the disk is full", False),
    ],
)
def test_texts_that_name_other_things_are_told_apart(one: str, other: str, different: bool) -> None:
    """D8: every word but the name of the wait event may be the same."""
    assert contradict(one, other) == contradict(other, one) == different
