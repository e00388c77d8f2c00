"""RAR's reasoning by a model while cases are played: its usage, and how often the rules had to replace it."""

from contracts.diagnose.deliverables import RarAnswer
from contracts.reports import Usage
from workers.errors import ModelAnswerUnusable
from workers.kinds.diagnose.roles.consult import consult_with
from workers.kinds.diagnose.rules.rar import RarCase, answer
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

    @property
    def usage(self) -> Usage:
        """The usage so far."""
        return self._chat.usage
