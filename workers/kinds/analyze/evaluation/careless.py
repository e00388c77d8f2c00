"""A scripted model that is wrong in every way that a procedure has to withstand: it names what was not offered, and invents figures."""

import re

from contracts.base import Json
from workers.kinds.analyze.work.calling import Picked
from workers.kinds.analyze.work.choosing import SelectSkill
from workers.kinds.analyze.work.following import Followed
from workers.llm.scripted import Asked

_SKILLS = (
    (r"覆盖|coverage", "coverage_analysis"),
    (r"干扰|interference", "Interference Analysis"),
    (r"容量|capacity", "capacity-analysis"),
    (r"^(?:你好|hello|hi)", "none"),
)


class CarelessModel:
    """Answers by the contract that is asked for."""

    def __init__(self) -> None:
        self._asked = 0

    def answer(self, asked: Asked) -> Json:
        """The next answer."""
        self._asked += 1
        words = str(asked.data.get("words", ""))
        if issubclass(asked.contract, SelectSkill):
            return {
                "skill_name": next((name for pattern, name in _SKILLS if re.search(pattern, words, re.IGNORECASE)), "network-optimisation")
            }
        if asked.contract is Picked:
            return {"values": ["customer_mood", *list(asked.data.get("options", ()))[-1:]]}
        if asked.contract is Followed:
            return {"step": {"final": {"answer": "Done as the skill says."}}}
        findings = [str(text) for text in asked.data.get("findings", ())]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType, reportUnknownMemberType] prompt data has no static type
        first = findings[0] if findings else "-"
        return {"summary": first if self._asked % 2 else f"{first} Simulation done: 4711.5 % better."}
