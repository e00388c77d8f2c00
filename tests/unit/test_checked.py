"""An answer that is sent back: what the model looked up before it is in the next prompt."""

from types import SimpleNamespace
from typing import Any, cast

from contracts.analyze.steps import HeldSkill, Move, SkillChosen, Understanding
from contracts.base import Json
from contracts.etl.answers import ScriptAnswer
from contracts.jobs import EngineChoice
from contracts.tools import CallOutcome, Cost, Effect, ToolAnswer, ToolOffer
from tests.support.context import step_context
from tests.support.prompt_cases import data_of
from workers.kinds.analyze.work.following import follow
from workers.kinds.registry import load_kinds
from workers.llm import ScriptedChat
from workers.llm.brief import Brief
from workers.llm.chat import ChatLimits
from workers.llm.checked import LookedUp, asking, repaired
from workers.settings import Settings


class Lookup:
    """One tool, which knows the values of a column."""

    def __init__(self, values: list[str]) -> None:
        self.values, self.calls = values, 0

    def offers(self) -> tuple[ToolOffer, ...]:
        return (
            ToolOffer(name="get_column_valuedomain", description="Values", effect=Effect.READ, cost=Cost.LOW, arguments={"type": "object"}),
        )

    def dialects(self) -> dict[str, str]:
        return {}

    def call(self, name: str, arguments: Json) -> ToolAnswer:
        self.calls += 1
        return ToolAnswer(number=self.calls, tool=name, outcome=CallOutcome.ANSWERED, result={"values": self.values})


def test_what_was_looked_up_is_shown_when_an_answer_is_sent_back() -> None:
    tools = Lookup(["DLV"])
    chat = ScriptedChat(
        {"step": {"tool": "get_column_valuedomain", "arguments": {"column": "status"}}},
        {"step": {"final": {"sql": "SELECT 1"}}},
        {"step": {"final": {"sql": "SELECT 2"}}},
    )
    data = {name: text for name, text in data_of("developer/etl", "en").items() if name not in ("last", "problem", "looked_up")}

    made = repaired(
        asking(chat, ScriptAnswer, "developer/etl", {**data, "how_to_answer": ""}, calls=tools),
        lambda answer: answer if answer.sql == "SELECT 2" else "It reads no table.",
    )

    assert isinstance(made, ScriptAnswer)
    first, _, again = (asked.turns[1].text for asked in chat.asked)
    assert "What your calls returned" not in first
    assert 'get_column_valuedomain {"column":"status"}\n{"values": ["DLV"]}' in again
    assert "It reads no table." in again
    assert "call again only for what is cut off" in again
    assert tools.calls == 1


class Cuts(ScriptedChat):
    """Keeps what each prompt is said to have left out."""

    def work(self, contract: Any, **given: Any) -> Any:
        self.cuts = [*getattr(self, "cuts", []), [row["name"] for row in given["prompt_cuts"]]]
        return super().work(contract, **given)


def test_the_second_try_of_a_skill_journals_what_is_cut_of_its_results() -> None:
    load_kinds()
    chat = Cuts(
        {"step": {"tool": "get_column_valuedomain", "arguments": {}}},
        {"step": {"final": {"answer": "There are 977 values."}}},
        {"step": {"final": {"answer": "There are values."}}},
        limits=ChatLimits(context_tokens=4_000, retries=0),
    )
    services = SimpleNamespace(settings=Settings())
    tools = Lookup([f"v{place}" for place in range(300)])
    ctx = step_context(services=cast("Any", services), tools=tools, chat=chat, engine=EngineChoice.LLM)
    skill = HeldSkill(name="values", title="Values", hash="h", text="Look the values up.")
    understood = Understanding(words="How many?", question="How many?", move=Move.START, language="en", offers_skills=True)

    follow(ctx, understood, SkillChosen(skill=skill), 1)

    assert chat.cuts == [[], ["get_column_valuedomain"]]


def test_a_result_that_is_cut_says_so_in_the_prompt_and_in_the_journal() -> None:
    kept, brief = LookedUp(Lookup([f"v{place}" for place in range(400)])), Brief(4_000)
    kept.call("get_column_valuedomain", {"column": "status"})

    shown = kept.shown(brief)

    (cut,) = brief.cut_rows()
    assert cut["name"] == "get_column_valuedomain"
    assert shown.endswith(f"({cut['kept']} of {cut['of']} characters are shown.)")
