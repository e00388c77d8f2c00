"""How often a review has objected, and what the human said about it."""

from typing import Literal

from contracts.base import Contract, Text
from contracts.pipelines.analysis import AnalysisResult
from contracts.pipelines.review import ReviewPart
from workers.kinds.etl.rules.answers import is_specification
from workers.kinds.etl.rules.specification import with_statements
from workers.roles.base import StepContext

MOST_ROUNDS = 3
"""The third time that a review does not pass, the human says whose work it is (BEHAVIOURS 1.4)."""

_WORDS = {
    "analyst": ("1", "analyst", "分析员", "分析师", "需求分析师"),
    "architect": ("2", "architect", "架构师"),
    "developer": ("3", "developer", "开发员", "开发", "开发工程师", "开发者"),
}


class ReviewChoice(Contract):
    """The reviewer's question whose work a lasting objection is."""

    kind: Literal["etl_review_choice"] = "etl_review_choice"
    part: ReviewPart
    issues: tuple[Text, ...] = ()


def rounds_of(ctx: StepContext) -> int:
    """Rounds of remarks of this review since the human last spoke: remarks of the same target and text come once a round."""
    texts: dict[tuple[str, str], int] = {}
    rounds = 0
    for request in ctx.requests:
        if request.kind == "question" and request.asker == ctx.stage and request.response is not None:
            texts.clear()
            rounds = 0
        elif request.kind == "remark" and request.asker == ctx.stage:
            mark = (request.target, str(request.payload.get("text", "")))
            texts[mark] = texts.get(mark, 0) + 1
            rounds = max(rounds, texts[mark])
    return rounds


def last_reply(ctx: StepContext) -> str:
    """The last answer to a question of this review, if no remark was made since."""
    reply = ""
    for request in ctx.requests:
        if request.asker == ctx.stage and request.kind == "question" and request.response is not None:
            reply = str(request.response.get("text", ""))
        elif request.asker == ctx.stage and request.kind == "remark":
            reply = ""
    return reply


def chosen_role(ctx: StepContext) -> str | None:
    """The role that the last answer names."""
    return _role(last_reply(ctx))


def new_specification(ctx: StepContext, analysis: AnalysisResult) -> str:
    """The specification that the last answer gives: as a text, or as SQL in the place of the SQL that was judged. Empty: the answer says
    something else."""
    reply = last_reply(ctx)
    return reply if is_specification(reply) else with_statements(analysis.spec, reply, analysis.dialect)


def _role(reply: str) -> str | None:
    words = reply.strip().strip(".。").casefold()
    return next((role for role, forms in _WORDS.items() if words in forms or any(words.startswith(f"{form} ") for form in forms)), None)
