"""A model's words on what was found: left out where they name a figure that nobody found, since the findings are complete without them."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field

from pydantic import Field

from contracts.base import Contract, Json, Text
from contracts.statements import Sayable, names, say
from workers.engines.stray_figures import stray_figures
from workers.llm.brief import Brief, today_text
from workers.llm.client import ChatClient
from workers.roles.base import StepContext
from workers.roles.reasoning import Reasoned, reason
from workers.saying import text_of
from workers.saying.numbers import language_name

MOST_TRIES = 2
"""Times that a model words the findings. The second time its prompt names the figures that were wrong."""
SHARE_QUESTION, SHARE_FINDINGS, SHARE_ROWS = 0.1, 0.4, 0.4
"""Shares of the model's window."""


class Words(Contract):
    """A model's words on the findings."""

    summary: Text = Field(min_length=1, max_length=1_500)


@dataclass(frozen=True, slots=True)
class Material:
    """What the words are about."""

    question: str
    language: str
    findings: Sequence[Sayable]
    rows: Sequence[Json]
    """The first rows of the result."""
    given: Sequence[str]
    """What the analysis was limited to, one `name: value` each: what was looked at, and parameters that were answered."""
    reserved: Sequence[str]
    """Sentences that only the procedure says."""
    stray: list[str] = field(default_factory=list[str])
    """Figures of the words that were left out."""


def word_findings(ctx: StepContext, material: Material) -> Reasoned[str]:
    """The words, or an empty text: there is no model, or what it said was of no use, and a note says so."""
    made = reason(ctx, lambda chat: _by_model(ctx, chat, material), lambda: "")
    if made.value or not material.stray:
        return made
    note = say("analyze.note.stray_figures", figures=names(material.stray[:5]))
    return Reasoned("", made.engine, (*made.notes, note))


def _by_model(ctx: StepContext, chat: ChatClient, material: Material) -> str:
    findings = [text if isinstance(text, str) else text_of(text, material.language) for text in material.findings]
    known = [*findings, str(material.rows), material.question, *material.given]
    brief = Brief.of(chat)
    shown = {
        "question": brief.text("question", material.question, SHARE_QUESTION),
        "session": brief.text("session", ctx.session.context(), SHARE_QUESTION),
        "given": brief.items("parameters", material.given, SHARE_QUESTION),
        "findings": brief.items("findings", findings, SHARE_FINDINGS),
        "rows": brief.items("rows", [json.dumps(row, ensure_ascii=False, default=str) for row in material.rows], SHARE_ROWS),
    }
    problem = ""
    for _ in range(MOST_TRIES):
        summary = chat.ask(
            Words, prompt="analyst/words", **shown, prompt_cuts=brief.cut_rows(), language=language_name(material.language),
            today=today_text(ctx.now, ctx.services.settings.times), problem=problem, say_field="summary",
        ).value.summary  # fmt: skip
        stray = sorted(stray_figures(summary, known))
        if not stray:
            return summary if not any(sentence in summary for sentence in material.reserved) else ""
        problem = ", ".join(stray[:5])
        material.stray[:] = stray
    return ""
