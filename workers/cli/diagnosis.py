"""A diagnosis as a reader wants it: the cause and how sure, why, what helps, each finding with its weight, what else it may be."""

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from pydantic import ValidationError
from rich.console import RenderableType
from rich.table import Table

from contracts.base import Json
from contracts.diagnose.deliverables import Diagnosis, Evidence, Finding, Hypothesis, PhenomenonQuestion, Verdict
from workers.cli.context import console
from workers.cli.display import shown

_STANDING = 3
"""Causes that are named beside a question."""
_TICKETS = 3
"""Tickets that are named beside a finding."""
_NAMED = 80
"""Characters of a cause where several are listed, and of a phenomenon."""
_STYLE = {Verdict.DIAGNOSED: "bold green", Verdict.UNCERTAIN: "bold yellow", Verdict.UNKNOWN: "bold yellow"}


def read_diagnosis(content: Json) -> Diagnosis | None:
    """The diagnosis that a result is; None when it is something else."""
    try:
        return Diagnosis.model_validate(content)
    except ValidationError:
        return None


def print_diagnosis(found: Diagnosis) -> None:
    """The whole report; text is not folded, so that it can be copied."""
    for part in _report(found):
        console.print(part, soft_wrap=isinstance(part, str))


def _report(found: Diagnosis) -> Iterator[RenderableType]:
    cause = found.root_cause or "no root cause found"
    code = f" ({found.cause_id})" if found.cause_id else ""
    yield f"[{_STYLE[found.verdict]}]{found.verdict}[/]: [bold]{shown(cause)}[/]{shown(code)}"
    turns = f"{found.turns} question{'' if found.turns == 1 else 's'} answered"
    marks = [f"confidence {percent(found.confidence)}", turns, f"method {found.method}", *(["forced"] if found.forced else [])]
    yield f"  {', '.join(marks)}"
    if found.downgraded and found.downgraded not in found.explanation:
        yield f"  downgraded: {shown(found.downgraded)}"
    yield ""
    for line in found.explanation.splitlines():
        yield f"  {shown(line)}"
    if found.solution:
        yield ""
        yield f"  [bold]what helped then[/]: {shown(' '.join(found.solution.split()))}"
    weighed = (*found.evidence_for, *found.evidence_against)
    if weighed:
        yield ""
        yield _weights(weighed)
    if found.alternatives:
        yield ""
        yield f"  [bold]also considered[/]: {standing(found.alternatives)}"


def standing(hypotheses: Iterable[Hypothesis]) -> str:
    """Causes with their shares on one line, as markup."""
    return ", ".join(f"{shown(_short(one.root_cause))} {percent(one.confidence)}" for one in hypotheses)


def question_standing(detail: Any) -> str:
    """Where a diagnosis stands while it asks, as markup; empty for a question of another kind."""
    try:
        question = PhenomenonQuestion.model_validate(detail)
    except ValidationError:
        return ""
    return standing(question.hypotheses[:_STANDING])


def percent(share: float) -> str:
    """A share in whole percents; what is not nothing is not called 0 %, and what is not certain not 100 %."""
    if 0 < share < 0.005:
        return "<1%"
    return ">99%" if 0.995 <= share < 1 else f"{share:.0%}"


def _weights(weighed: Iterable[Evidence]) -> Table:
    """Each finding with what it weighs, in nats; the heaviest of each side first."""
    table = Table("weight", "finding", "phenomenon", "its tickets that show it", box=None, padding=(0, 2, 0, 0), pad_edge=False)
    table.columns[0].justify = "right"
    for column in (0, 1):
        table.columns[column].no_wrap = True
    for one in weighed:
        named = ", ".join(chain(one.tickets[:_TICKETS], ["..."] if len(one.tickets) > _TICKETS else []))
        table.add_row(f"{one.weight:+.2f}", _said(one), shown(_short(one.description)), shown(named or "-"))
    return table


def _said(one: Evidence) -> str:
    if one.source == "unsaid":
        return "not mentioned"
    return f"{one.finding} (told)" if one.source == "told" and one.finding is Finding.CONFIRMED else str(one.finding)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _NAMED else line[: _NAMED - 1].rstrip() + "…"
