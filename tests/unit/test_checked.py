"""An answer that is sent back: what the model looked up before it is in the next prompt."""

from contracts.base import Json
from contracts.etl.answers import ScriptAnswer
from contracts.tools import CallOutcome, Cost, Effect, ToolAnswer, ToolOffer
from tests.support.prompt_cases import data_of
from workers.llm import ScriptedChat
from workers.llm.checked import asking, repaired


class Lookup:
    """One tool, which knows the values of a column."""

    def __init__(self) -> None:
        self.calls = 0

    def offers(self) -> tuple[ToolOffer, ...]:
        return (
            ToolOffer(name="get_column_valuedomain", description="Values", effect=Effect.READ, cost=Cost.LOW, arguments={"type": "object"}),
        )

    def call(self, name: str, arguments: Json) -> ToolAnswer:
        self.calls += 1
        return ToolAnswer(number=self.calls, tool=name, outcome=CallOutcome.ANSWERED, result={"values": ["DLV"]})


def test_what_was_looked_up_is_shown_when_an_answer_is_sent_back() -> None:
    tools = Lookup()
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
    assert tools.calls == 1
