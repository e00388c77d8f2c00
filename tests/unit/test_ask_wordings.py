"""What a message is after, in some six hundred wordings in English and Chinese, and what the wordings have as traps."""

import pytest

from contracts.ask.request import AskRequest
from contracts.ask.tools import Tool
from workers.kinds.ask.evaluation.wording import wording_figures, wordings
from workers.kinds.ask.rules.intents import Grounds, judge
from workers.kinds.ask.rules.residue import only_declines, only_draws, only_runs

LEAST_RIGHT = 0.98
DATA = Grounds(has_sources=True)


def test_messages_in_many_wordings_go_where_they_should() -> None:
    figures, wrong = wording_figures()

    assert figures["wordings"] > 600
    assert figures["wordings_right"] >= LEAST_RIGHT, [wording.words for wording in wrong]


def test_every_wording_is_there_once_in_its_group() -> None:
    listed = [(wording.group, wording.words) for wording in wordings()]

    assert len(listed) == len(set(listed))


@pytest.mark.parametrize(
    "words", ["How many records were deleted yesterday?", "被删除的订单有多少？", "List the orders that were updated after delivery."]
)
def test_a_question_about_changes_is_no_order_to_change(words: str) -> None:
    """S9."""
    request = AskRequest(question=words)

    assert judge(request, words, None, DATA).first is Tool.DATA_DISCOVERY


def test_what_the_data_is_about_is_in_scope() -> None:
    words = "Which movie has the highest rating?"
    airline = Grounds(has_sources=True, names=frozenset({"movie"}))

    assert judge(AskRequest(question=words), words, None, airline).first is Tool.DATA_DISCOVERY


@pytest.mark.parametrize(
    ("words", "runs", "draws", "declines"),
    [
        ("ok, please run it", True, False, False),
        ("好的，执行一下看看结果", True, False, False),
        ("run the report for Spain", False, False, False),
        ("as a bar chart, best first", False, True, False),
        ("draw orders per month", False, False, False),
        ("no, don't run it", False, False, True),
        ("先不要", False, False, True),
    ],
)
def test_a_message_that_says_nothing_else_is_recognised(words: str, runs: bool, draws: bool, declines: bool) -> None:
    assert (only_runs(words), only_declines(words)) == (runs, declines)
    assert only_draws(words) is draws or not draws
