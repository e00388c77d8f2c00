"""The probe of a model: fixed prompts of the product with small data, one a sort of task, whose answers code can judge.

What a model fails clearly, `auto` does not ask it in jobs: the rules work at once, and a note says so. `bullpen eval model` runs the probe,
and `probe_figures.py` keeps what came out.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from contracts.base import Contract
from workers.errors import ModelAnswerUnusable, ToolFailed
from workers.llm.client import ChatClient, Tools

MOST_TRIES = 3
"""Answers to one prompt, until one is right. A job sends a wrong answer back as often, with what is wrong."""
MOST_FAULT = 300
"""Characters of a fault that are kept."""


@dataclass(frozen=True, slots=True)
class ProbeCase:
    """A sort of task, and what is asked of it."""

    prompt: str
    """`role/purpose`: the prompt that is asked, by which the sort is called."""
    contract: type[Contract]
    data: Mapping[str, Any]
    """What the prompt is filled with."""
    judge: Callable[[Any], str]
    """What is wrong with an answer; empty: nothing."""
    also: tuple[str, ...] = ()
    """Other prompts of this sort, which are measured by it too."""
    tools: Callable[[], Tools] | None = None
    """The tools of a prompt that is worked on with tools, made for each try."""

    @property
    def prompts(self) -> tuple[str, ...]:
        """All prompts of the sort."""
        return (self.prompt, *self.also)

    @property
    def role(self) -> str:
        """The role that asks."""
        return self.prompt.partition("/")[0]


@dataclass(frozen=True, slots=True)
class Probed:
    """How a model did at one sort of task."""

    task: str
    """The prompt that was asked."""
    prompts: tuple[str, ...]
    is_right: bool
    tries: int
    """Up to the right one, or all of them."""
    fault: str = ""
    """What was wrong with the last answer."""


def probe(chat: ChatClient, case: ProbeCase, tries: int = MOST_TRIES) -> Probed:
    """Ask until an answer is right. Raises what `chat.ask` raises, but for an answer that cannot be used: that is a wrong one."""
    fault = ""
    for number in range(1, tries + 1):
        try:
            fault = case.judge(_answer(chat, case))
        except (ModelAnswerUnusable, ToolFailed) as error:
            fault = str(error)
        if not fault:
            return Probed(case.prompt, case.prompts, True, number)
    return Probed(case.prompt, case.prompts, False, tries, fault[:MOST_FAULT])


def _answer(chat: ChatClient, case: ProbeCase) -> Contract:
    if case.tools is not None:
        return chat.work(case.contract, tools=case.tools(), prompt=case.prompt, **case.data).value
    return chat.ask(case.contract, prompt=case.prompt, **case.data).value
