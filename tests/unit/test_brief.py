"""A brief: parts that fit a window together, chosen by relevance and shown in an order of their own."""

import pytest

from contracts.replies import Reply
from workers.llm.brief import MOST_LIKELY, Brief, cut_rows, likely_text, replies_text
from workers.llm.token_count import estimate_tokens

TABLES = [(f"table_{number:02}", f"CREATE TABLE table_{number:02} (id INTEGER, note VARCHAR)") for number in range(40)]


def test_items_are_chosen_by_relevance_and_shown_by_name() -> None:
    ranked = [TABLES[31], TABLES[7], TABLES[20], *TABLES]

    shown = Brief(200).chosen("tables", ranked[:4], 1.0)

    assert [line.split()[2] for line in shown.splitlines()] == ["table_00", "table_07", "table_20", "table_31"]


def test_two_prompts_with_the_same_items_show_them_alike() -> None:
    first, second = Brief(4_000), Brief(4_000)

    assert first.chosen("tables", TABLES, 1.0) == second.chosen("tables", TABLES[::-1], 1.0)


def test_the_least_relevant_are_left_out_and_it_is_said() -> None:
    brief = Brief(200)

    shown = brief.chosen("tables", TABLES[::-1], 1.0)

    assert "table_39" in shown
    assert "table_00" not in shown
    (cut,) = brief.cut_rows()
    assert cut == {"name": "tables", "kept": shown.count("CREATE"), "of": 40}
    assert f"({40 - cut['kept']} more are not shown.)" in shown


@pytest.mark.parametrize("room", [300, 1_000, 5_000])
def test_parts_fit_together_even_if_their_shares_do_not(room: int) -> None:
    brief = Brief(room)

    texts = [
        brief.text("message", "word " * 9_000, 0.4),
        brief.items("rows", [f"row {number}" for number in range(9_000)], 0.4, last_first=True),
        brief.chosen("tables", TABLES * 99, 0.4),
        brief.text("session", "word " * 9_000, 0.4),
    ]

    assert sum(map(estimate_tokens, texts)) <= room * 1.1 + 40
    assert estimate_tokens(texts[0]) > room * 0.3, "what is made first has its room"


def test_only_what_was_cut_is_reported() -> None:
    assert cut_rows(("tickets", 3, 3), ("dialogue", 10, 80)) == [{"name": "dialogue", "kept": 10, "of": 80}]


def test_tables_are_named_as_likely_only_where_others_are_not() -> None:
    every = [name for name, _ in TABLES]

    assert likely_text(["b", "a"], ["a", "b", "c"]) == "b, a"
    assert likely_text(["b", "a"], ["a", "b"]) == ""
    assert likely_text([], []) == ""
    assert likely_text(every, every).split(", ") == every[:MOST_LIKELY]


def test_what_was_asked_and_answered_has_no_words_of_ours() -> None:
    """They would be English in every language."""
    assert replies_text([Reply(question="哪一个？", choices=("甲", "乙"), reply="乙")]) == "Q: 哪一个？\n1. 甲\n2. 乙\nA: 乙"
