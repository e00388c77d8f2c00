"""Messages that say one thing and nothing else, statements within messages, and charts that are asked for."""

from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from contracts.ask.results import ChartWish
from workers.engines.closed_answers import MOST_CHARACTERS
from workers.kinds.ask.rules import messages
from workers.kinds.ask.rules.messages import Command, begins_like, chart_in, command_in, statement_in

LISTS = yaml.safe_load((Path(messages.__file__).parent / "messages.yaml").read_text("utf-8"))


@pytest.mark.parametrize(
    ("words", "command"),
    [
        ("yes", Command.RUN),
        ("Yes, run it!", Command.RUN),
        ("ok, run it please", Command.RUN),
        ("sounds good", Command.RUN),
        ("好的，执行吧", Command.RUN),
        ("执行", Command.RUN),
        ("no", Command.HOLD),
        ("don’t run it", Command.HOLD),
        ("not yet", Command.HOLD),
        ("先不要", Command.HOLD),
        ("不用执行", Command.HOLD),
        ("explain it", Command.EXPLAIN),
        ("what does this query mean?", Command.EXPLAIN),
        ("解释一下这条 SQL", Command.EXPLAIN),
        ("fix it", Command.FIX),
        ("my query fails", Command.FIX),
        ("修复一下", Command.FIX),
        ("show it as a bar chart", Command.DRAW),
        ("画成柱状图", Command.DRAW),
        ("Thank you very much!", Command.THANKS),
        ("谢谢你", Command.THANKS),
        ("hello", Command.GREET),
        ("what can you do?", Command.GREET),
        ("你好", Command.GREET),
        ("list all tables", Command.ALL_TABLES),
        ("有哪些表？", Command.ALL_TABLES),
    ],
)
def test_a_message_that_says_one_thing_is_a_command(words: str, command: Command) -> None:
    assert command_in(words) is command


@pytest.mark.parametrize(
    "words",
    [
        "", "the", "请", "?!", "orders", "run the orders", "yes, but only for 2026", "no, don't run it yet, explain it first", "执行订单",
        "explain the revenue", "thanks, and by month", "runs", "good orders", "yesterday", "SELECT 1 FROM t",
    ],
)  # fmt: skip
def test_a_message_with_any_other_word_is_none(words: str) -> None:
    """S6: what is more than yes is no yes."""
    assert command_in(words) is None


def test_a_long_message_is_no_command() -> None:
    assert command_in("yes " * (MOST_CHARACTERS // 4)) is Command.RUN
    assert command_in("yes " * MOST_CHARACTERS) is None


@pytest.mark.parametrize(
    ("words", "mark", "order"),
    [
        ("as a bar chart", "bar", None),
        ("draw it as a line chart", "line", None),
        ("as a heatmap", "heat", None),
        ("a scatter plot please", "point", None),
        ("as a bar chart, highest first", "bar", "best_first"),
        ("show it lowest first", None, "worst_first"),
        ("画成折线图", "line", None),
        ("柱状图，从高到低", "bar", "best_first"),
        ("画图", None, None),
    ],
)
def test_a_chart_has_a_form_and_an_order_where_they_are_named(words: str, mark: str | None, order: str | None) -> None:
    assert chart_in(words) == ChartWish.model_validate({"mark": mark, "order": order})


@pytest.mark.parametrize("words", ["orders as a bar chart", "各渠道的柱状图", "explain the chart", "yes"])
def test_a_message_that_asks_for_more_than_a_chart_asks_for_no_chart(words: str) -> None:
    assert chart_in(words) is None


@pytest.mark.parametrize(
    ("words", "statement", "around"),
    [
        ("SELECT a FROM t", "SELECT a FROM t", ""),
        ("run ```sql\nSELECT a FROM t\n``` please", "SELECT a FROM t", "run please"),
        ("explain select a from t; thanks", "select a from t", "explain thanks"),
        ("解释select a from t", "select a from t", "解释"),
        ("fix it: WITH x AS (SELECT 1 AS a FROM t) SELECT a FROM x", "WITH x AS (SELECT 1 AS a FROM t) SELECT a FROM x", "fix it:"),
        ("select the best, I mean SELECT a FROM t", "SELECT a FROM t", "select the best, I mean"),
    ],
)
def test_a_statement_is_found_with_the_words_around_it(words: str, statement: str, around: str) -> None:
    found = statement_in(words)

    assert found is not None
    assert (found.statement, " ".join(found.around.split())) == (statement, around)


@pytest.mark.parametrize(
    "words", ["select the best orders from march", "with love from me", "the selected orders", "DELETE FROM t", "SELECT 1", ""]
)
def test_words_that_are_no_query_are_no_statement(words: str) -> None:
    assert statement_in(words) is None


@pytest.mark.parametrize(
    ("words", "part"),
    [
        ("Which table holds the refunds?", "tables"),
        ("please which tables hold refunds", "tables"),
        ("请问哪张表有退款", "tables"),
        ("How do I get access?", "how_to"),
        ("怎么申请权限", "how_to"),
        ("delete all orders", "writes"),
        ("把去年的订单都删掉", "writes"),
    ],
)
def test_a_message_begins_like_a_list(words: str, part: str) -> None:
    assert begins_like(words, part)
    assert not begins_like(f"orders: {words}", part)


def test_words_are_found_as_whole_words() -> None:
    assert not begins_like("tablesful of orders", "tables")


def test_each_list_is_of_a_command_or_is_used_by_name() -> None:
    """No dead list, and each in both languages."""
    own = {"beside", "tables", "how_to", "writes", "chart_marks", "chart_orders"}
    nested = [words for part in ("chart_marks", "chart_orders") for words in LISTS[part].values()]

    assert set(LISTS) == own | {command.value for command in Command}
    for words in (*nested, *(LISTS[name] for name in LISTS if name not in ("chart_marks", "chart_orders"))):
        assert set(words) == {"en", "zh"}
        assert all(words.values())


@given(st.text(alphabet="yes no,。好SELECT FROM with;`\n", max_size=60))
def test_any_text_is_read_without_an_error(text: str) -> None:
    command = command_in(text)
    quoted = statement_in(text)

    assert command is None or text.strip()
    assert quoted is None or quoted.statement in text
