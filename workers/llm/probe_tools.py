"""Tools for prompts of the probe that are worked on with tools: none, or one that gives the same result to each call."""

from dataclasses import dataclass

from contracts.base import Json
from contracts.tools import CallOutcome, ToolAnswer, ToolOffer


@dataclass(frozen=True, slots=True)
class FixedTool:
    """A tool with one result."""

    offer: ToolOffer
    result: Json

    def offers(self) -> tuple[ToolOffer, ...]:
        """The tool."""
        return (self.offer,)

    def call(self, name: str, arguments: Json) -> ToolAnswer:
        """Its result for any arguments; a refusal for another name."""
        if name != self.offer.name:
            return ToolAnswer(number=0, tool=name, outcome=CallOutcome.REFUSED, message=f"There is no tool {name}.")
        return ToolAnswer(number=0, tool=name, outcome=CallOutcome.ANSWERED, result=self.result)


@dataclass(frozen=True, slots=True)
class _NoTools:
    def offers(self) -> tuple[ToolOffer, ...]:
        """None."""
        return ()

    def call(self, name: str, arguments: Json) -> ToolAnswer:
        """A refusal."""
        return ToolAnswer(number=0, tool=name, outcome=CallOutcome.REFUSED, message=f"There is no tool {name}.")


def no_tools() -> _NoTools:
    """For a prompt whose answer needs none."""
    return _NoTools()
