"""A model's part while cases are played: its usage, and how often the rules had to replace it."""

from datetime import datetime

from contracts.diagnose.deliverables import DiagnoserTurn, RarAnswer
from contracts.reports import Usage
from contracts.statements import Sayable
from workers.errors import ModelAnswerUnusable
from workers.kinds.diagnose.roles.consult import consult_with, hear_answer_with, lead_with
from workers.kinds.diagnose.rules.differential import Heard
from workers.kinds.diagnose.rules.known import Dialogue
from workers.kinds.diagnose.rules.rar import RarCase, answer
from workers.kinds.diagnose.rules.turn_brief import TurnBrief
from workers.llm.brief import moment_text
from workers.llm.client import ChatClient


class ByModel:
    """Consults a model; where its answer is of no use the vote answers, as in the fleet. Other errors of the model pass: a
    server that is away measures nothing."""

    def __init__(self, chat: ChatClient) -> None:
        self._chat = chat
        self.faults = 0

    def __call__(self, case: RarCase) -> RarAnswer:
        """The model's answer for the case, or the vote."""
        try:
            return consult_with(self._chat, case)
        except ModelAnswerUnusable:
            self.faults += 1
            return answer(case)

    def lead(self, shown: TurnBrief) -> DiagnoserTurn:
        """The model's turn; "unknown", where its answer is of no use."""
        try:
            return lead_with(self._chat, shown, moment_text(datetime.now().astimezone()))
        except ModelAnswerUnusable:
            self.faults += 1
            return DiagnoserTurn(reasoning="", action="unknown")

    @property
    def context_tokens(self) -> int:
        """Tokens of a prompt that the model takes."""
        return self._chat.context_tokens

    def hear(self, dialogue: Dialogue) -> Heard:
        """What the model hears in the latest answer beyond the grammar."""
        return hear_answer_with(self._chat, dialogue, tell=self._count)

    def _count(self, _: Sayable) -> None:
        self.faults += 1

    @property
    def usage(self) -> Usage:
        """The usage so far."""
        return self._chat.usage
