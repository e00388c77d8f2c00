"""RAR's prompts as a model reads them, through the real seam: what fits, what is data, and what a small window gets."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from contracts.diagnose.deliverables import RarAnswer
from contracts.diagnose.request import DiagnoseRequest
from contracts.tickets import Ticket
from tests.support.evidence import evidence_of
from tests.support.incidents import HISTORY, INCIDENT, asked, recommends, ticket
from workers.engines.tokens import estimate_tokens as tokens_at_most
from workers.errors import ModelRequestRefused
from workers.kinds.diagnose.roles.consult import consult_with
from workers.kinds.diagnose.rules.rar.case import RarCase, read_case
from workers.kinds.diagnose.rules.rar.prompt import rar_prompt, rerank_prompt
from workers.llm import ScriptedChat, render_prompt
from workers.llm.chat import ChatLimits

BLOCK = re.compile(r"<<<DATA (?P<mark>[0-9a-f]{16}) [^\n]*\n.*?\n<<<END DATA (?P=mark)", re.DOTALL)
TEXTS = {"latin": "The order search is slow and the host is busy since the load. ", "cjk": "夜间导入之后订单查询变慢，数据库主机很忙。"}
PROMPTS = [("rar", rar_prompt), ("rerank", rerank_prompt)]


def long_history(text: str) -> list[Ticket]:
    return [ticket(n, f"cause {n % 5}: {text}", f"sign {n} {text * 2}", text * 3, description=f"{n} {text * 12}") for n in range(60)]


def case_of(tickets: list[Ticket], problem: str = INCIDENT, told: str = "the pump is loud") -> RarCase:
    turn = asked("red light", "loud pump", "old cable", answer=f"1 yes 2 no 3 don't know, also {told}")
    return read_case(DiagnoseRequest(description=problem), evidence_of(tickets, problem), [turn])


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
@pytest.mark.parametrize("problem", [1, 300], ids=["short", "long"])
@pytest.mark.parametrize(("window", "output"), [(4_096, 1_024), (4_096, 2_048), (8_192, 4_000), (32_768, 4_000)])
def test_a_prompt_and_its_answer_fit_the_window(text: str, problem: int, window: int, output: int) -> None:
    """D18: also in a small window, in Chinese and English, with nothing short: problem, state and tickets are all there.
    Counted from above: two tokens for each Chinese character of the data."""
    case = case_of(long_history(text), (text * problem)[:20_000], told=text * 20)
    chat = ScriptedChat(recommends("red light"), limits=ChatLimits(retries=0, context_tokens=window, output_tokens=output))

    consult_with(chat, case)

    (call,) = chat.asked
    frame = len(BLOCK.sub("", call.text)) + len(call.turns[0].text)
    data = sum(tokens_at_most(block[0]) for block in BLOCK.finditer(call.text))
    assert frame / 4 + data + min(output, window // 4) <= window  # instructions are plain English: 4 characters a token
    assert text[:15] in call.text
    assert call.text.count("root cause: ") >= 2
    for sign in ("red light", "loud pump", "old cable"):
        assert f"- {sign}" in call.text


def test_a_window_without_room_for_the_case_is_refused_with_the_next_move() -> None:
    """D18: a model is not asked about an incident that it cannot see."""
    chat = ScriptedChat(recommends("red light"), limits=ChatLimits(context_tokens=2_048, output_tokens=1_024))

    with pytest.raises(ModelRequestRefused, match=r"too few for the problem and 2 tickets\. Raise BULLPEN_MODEL_CONTEXT_TOKENS"):
        consult_with(chat, case_of(long_history(TEXTS["cjk"])))

    assert chat.asked == []


def test_a_wrong_answer_goes_back_cut_to_what_a_small_window_leaves() -> None:
    """D8, D18: a long wrong answer must not crowd out the right one."""
    limits = ChatLimits(retries=0, context_tokens=4_096, output_tokens=2_048)
    chat = ScriptedChat('{"action": "' + "慢" * 5_000, recommends("red light"), limits=limits)

    found = consult_with(chat, case_of(long_history(TEXTS["cjk"])))

    assert found == recommends("red light")
    assert 100 < len(chat.asked[1].turns[2].text) < 1_000


def hostile_texts(folder: Path) -> list[str]:
    """Naughty strings, and injections as they are used against models."""

    def strings(value: Any) -> list[str]:
        if isinstance(value, dict):
            return [text for item in value.values() for text in strings(item)]
        return [text for item in value for text in strings(item)] if isinstance(value, list) else [str(value)]

    names = ("naughty_strings.json", "bipia_text_attack_train.json")
    texts = [text for name in names for text in strings(json.loads((folder / name).read_text("utf-8")))]
    return [text for text in texts if text.strip()]


@pytest.mark.parametrize(("name", "fill"), PROMPTS, ids=["rar", "rerank"])
def test_hostile_texts_stand_in_data_blocks_wherever_they_come_from(name: str, fill: Any, eval_data: Path) -> None:
    """C14: as the problem, as what the user told, and as every field of a ticket; outside of the blocks nothing changes."""
    texts = hostile_texts(eval_data / "hostile")
    assert len(texts) > 300

    def outside(case: RarCase) -> list[str]:
        text = BLOCK.sub("[]", render_prompt(f"diagnoser/{name}", fill(case, 16_000)))
        text = text.replace("Chinese", "English, or the language of the problem if that is another one")
        return [line for line in text.splitlines() if line != "[]" and not line.startswith("Others, one line each")]

    expected = outside(case_of(HISTORY[:8]))
    for at in range(0, len(texts), 4):
        problem, told, sign, cause = (texts[(at + n) % len(texts)] for n in range(4))
        tickets = [ticket(n, cause[:4_000] + str(n), sign[:4_000], description=problem[:9_000] + " x") for n in range(8)]
        case = read_case(
            DiagnoseRequest(description=problem + " x"), evidence_of(tickets, "x"), [asked("red light", answer=f"1 no, also {told}")]
        )
        assert outside(case) == expected


def test_a_recommendation_needs_no_diagnosis_and_thought_comes_first() -> None:
    """D8: a server that holds the model to the schema has it write the reasoning before the decision."""
    assert next(iter(RarAnswer.model_json_schema()["properties"])) == "reasoning"
    assert recommends("red light").diagnosis is None


def test_a_large_window_shows_more_tickets_in_full_with_how_their_phenomena_are_checked() -> None:
    """D13, D18: the window decides; the user's own words stand with the question that they answered."""
    tickets = long_history(TEXTS["latin"])
    case = case_of(tickets, told="the pump is LOUD since noon")

    small, large = rar_prompt(case, 2_100), rar_prompt(case, 60_000)

    in_full = [sum("solution: " in text for text in prompt["tickets"]) for prompt in (small, large)]
    assert in_full[0] < in_full[1] == 10
    assert (
        "asked: 1. red light; 2. loud pump; 3. old cable | answered: 1 yes 2 no 3 don't know, also the pump is LOUD since noon"
        in (large["conversation"])
    )
