"""What the user may say next: two to four suggestions (K18)."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from contracts.analyze.steps import CheckItem, State, Suggestion
from contracts.base import Json
from contracts.procedures import ChartStep, GateStep, Procedure, in_language
from contracts.statements import count, name, passage, say, term
from workers.engines.procedures import draws, first_asked, reachable, suggestions
from workers.engines.procedures.computing import draw
from workers.engines.procedures.due import in_order
from workers.engines.procedures.held import MOST_RANKED, findings
from workers.kinds.analyze.rules.findings import Wording
from workers.saying import text_of

FEWEST, MOST = 2, 4


@dataclass(frozen=True, slots=True)
class Offers:
    """Suggestions, and whether several may be taken at once."""

    items: tuple[Suggestion, ...]
    several: bool = False


def offer(state: State, scope: Json | None, language: str, available: Sequence[str], done: Collection[str] = ()) -> Offers:
    """The suggestions after an answer. `done`: steps that were just taken."""
    procedure = state.skill.procedure if state.skill else None
    found: list[Suggestion] = []
    several = False
    if state.pending_call is not None:
        found += _word(language, {}, {})
    if procedure is not None and scope is not None:
        gate = procedure.step(state.gate) if state.gate else None
        own, several = _own(procedure, scope, language, MOST - 1)
        if isinstance(gate, GateStep):
            found += _word(language, gate.yes, gate.no)[: 1 if own else 2]
        found += own
        found += [item for item in _steps(procedure, state, scope, language) if item.step not in done]
    found += _of_checklist(state.checklist, language)
    if procedure is not None:
        found += _worst(procedure, state, language)
    found += _others(state, language, available)
    return Offers(_distinct(found), several)


def _word(language: str, yes: dict[str, str], no: dict[str, str]) -> list[Suggestion]:
    return [
        Suggestion(text=in_language(yes, language) or text_of(term("analyze.suggest.yes"), language), gate=True),
        Suggestion(text=in_language(no, language) or text_of(term("analyze.suggest.no"), language), gate=False),
    ]


def _own(procedure: Procedure, scope: Json, language: str, most: int) -> tuple[list[Suggestion], bool]:
    specs, several = suggestions(procedure, scope)
    items = [
        Suggestion(text=in_language(spec.text, language), values=(spec.values,) if spec.values else (), worst=spec.worst) for spec in specs
    ]
    return items[:most], several


def _worst(procedure: Procedure, state: State, language: str) -> list[Suggestion]:
    """The worst rows of the first table that has any: by a column with good and bad values, or by the one of a finding."""
    results, tables = in_order(procedure, state.progress)
    found = findings(results)
    judged = {item.column for item in found} | {column.name for column in procedure.vocabulary.columns if column.better}
    table = next((table for table in tables if table.rows), None)
    if table is None or not judged.intersection(table.columns):
        return []
    level = table.level or next((item.level for item in found if item.level), "")
    shown = Wording(procedure.vocabulary, language).level(level)
    text = text_of(say("analyze.suggest.worst", n=count(MOST_RANKED), level=name(shown)), language)
    return [Suggestion(text=text, worst=MOST_RANKED, level=level)]


def _steps(procedure: Procedure, state: State, scope: Json, language: str) -> list[Suggestion]:
    """Steps that the user can ask for now. A chart is offered where there is something to draw, until it was drawn."""
    able = reachable(procedure, state.progress, scope) if state.gate is None else ()
    passed = {step.id for step in first_asked(procedure)}
    empty = {step.asked for step in able if isinstance(step, ChartStep) and not _has_figures(step, procedure, scope)}
    drawn = {step.asked for step in able if draws(step) and step.id in state.progress.results}
    offered = {step.asked: step for step in reversed(able) if step.id not in passed and step.asked not in empty | drawn}
    return [Suggestion(text=in_language(step.title, language) or step.asked[0], step=step.id) for step in reversed(offered.values())]


def _has_figures(step: ChartStep, procedure: Procedure, scope: Json) -> bool:
    """Whether there are rows to draw, and to compare with where the chart compares."""
    drawn = draw(step.chart, {**scope, "words": ""}, procedure.vocabulary)
    return bool(drawn.rows) and (step.chart.after is None or drawn.has_after)


def _of_checklist(items: Sequence[CheckItem], language: str) -> list[Suggestion]:
    place = next((place for place, item in enumerate(items, start=1) if not item.is_done), None)
    return [] if place is None else [Suggestion(text=text_of(say("analyze.suggest.step", number=name(place)), language))]


def _others(state: State, language: str, available: Sequence[str]) -> list[Suggestion]:
    if state.skill is not None:
        return [Suggestion(text=text_of(word, language)) for word in (term("analyze.suggest.switch"), term("analyze.suggest.skills"))]
    titles = [Suggestion(text=text_of(passage(title), language)) for title in available[: MOST - 1]]
    words = (term("analyze.suggest.skills"), term("analyze.suggest.help"))
    return [*titles, *(Suggestion(text=text_of(word, language)) for word in words)]


def _distinct(found: Iterable[Suggestion]) -> tuple[Suggestion, ...]:
    first: dict[str, Suggestion] = {}
    for item in found:
        first.setdefault(item.text, item)
    return tuple(first.values())[:MOST]
