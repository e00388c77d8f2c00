"""A model's answers to the six questions of a `tune` job, and a server that gives each prompt its own."""

import re
from collections.abc import Callable
from typing import Any

from tests.support.openai_server import Heard, OpenAIServer, Say, good

Json = dict[str, Any]

OPENINGS = {
    "class": "Say what its run suffers from most",
    "code": "Point to the lines of its code",
    "causes": "Name what may be the cause",
    "reading": "Say what has to be read before its fixes are planned",
    "plan": "The rules have written fixes already",
    "review": "You review a plan",
}
"""What each prompt says and no other one does."""


def class_answer(tuning_class: str = "data_skew", *reasons: Json) -> Json:
    return {"reasons": list(reasons), "tuning_class": tuning_class}


def reason(text: str, figure: int | None = 1, artefact: int = 1) -> Json:
    return {"artefact": artefact, "figure": figure, "text": text}


def line(number: int, why: str, figure: int | None = 1, script: int = 1) -> Json:
    return {"script": script, "line": number, "figure": figure, "why": why}


def wanted(artefact: int, hypothesis: str, why: str = "It would show it.") -> Json:
    return {"artefact": artefact, "hypothesis": hypothesis, "why": why}


def cause(kind: str = "spill", statement: str = "The join may spill.", **more: Any) -> Json:
    return {"kind": kind, "statement": statement, "how_to_verify": ["Look at the spill of stage 4."], "needs": [], **more}


def fix(**more: Any) -> Json:
    """An answer that the skewed sample supports: its first finding is the join of line 12."""
    defaults: Json = {
        "kind": "other",
        "title": "Join only the visitors that are known",
        "what": "Split page_views at visitor_id = 0 in line 12 and join the rest.",
        "verdicts": [1],
        "figures": [1],
        "pros": ["The heavy task goes."],
        "cons": ["Two branches instead of one."],
        "risk": "medium",
        "risk_note": "",
        "rewrites": [],
        "configuration": [],
        "verify": ["Stage 4 has no task beyond the others."],
    }
    return {**defaults, **more}


def plan_answer(*fixes: Json, order: tuple[str, ...] = ()) -> Json:
    return {"order": list(order), "fixes": list(fixes)}


def objection(fix_id: str, rule: str = "claim", text: str = "No figure says so.", figure: int | None = 1) -> Json:
    return {"fix_id": fix_id, "rule": rule, "text": text, "figure": figure}


def review_answer(*objections: Json) -> Json:
    return {"objections": list(objections)}


NOTHING: dict[str, Json] = {
    "class": class_answer(), "code": {"lines": []}, "causes": {"hypotheses": []}, "reading": {"wanted": []},
    "plan": plan_answer(), "review": review_answer(),
}  # fmt: skip
"""What a model says that has nothing to add."""


def question_of(text: str) -> str:
    """Which of the six it is."""
    return next(name for name, opening in OPENINGS.items() if opening in " ".join(text.split()))


def figure_numbers(text: str) -> list[int]:
    """Those that a prompt shows."""
    return [int(found) for found in re.findall(r"^  figure (\d+): ", text, re.MULTILINE)]


class TuneModel:
    """Answers every question of a job as configured, and remembers the questions."""

    def __init__(self, server: OpenAIServer, **answers: Json | Say | Callable[[str], Json]) -> None:
        self._server = server
        self._answers = {**NOTHING, **answers}
        server.by_prompt = self._say

    def asked(self, question: str) -> list[str]:
        """The prompts of one question."""
        return [request.user_text for request in self._server.asked if question_of(request.user_text) == question]

    def _say(self, heard: Heard) -> Say:
        answer = self._answers[question_of(heard.user_text)]
        if isinstance(answer, Say):
            return answer
        return good(answer(heard.user_text) if callable(answer) else answer)
