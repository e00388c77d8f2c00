"""What is due next in a procedure: a pure function of the procedure and of how far it is.

Steps are due in their order. A gate that was not answered, or was answered with no, lets nothing behind it become due. A step that is
done only when asked for is due when the message asks for it and the gates before it are open.
"""

from collections.abc import Collection
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any

from contracts.base import Json
from contracts.procedure_results import HeldTable, Progress, Wishes
from contracts.procedures import AskStep, CallStep, ChartStep, GateStep, Procedure, Step, SuggestionSpec, SuggestStep, in_language
from workers.engines.procedures.expressions import holds, search
from workers.engines.procedures.tables import visible_tables
from workers.engines.procedures.words import has_subject


@dataclass(frozen=True, slots=True)
class Due:
    """Where a procedure is."""

    step: Step | None = None
    """What is to be done now. None: nothing."""
    gate: GateStep | None = None
    """The gate that waits for the user's word, if nothing is due before it."""
    is_closed: bool = False
    """The user said no at a gate."""
    arguments: Json = field(default_factory=dict[str, object])
    """Of a call."""


def scope_of(procedure: Procedure, progress: Progress, wishes: Wishes, *, message: str, language: str) -> Json:
    """What expressions see."""
    topic = next((topic for topic in procedure.vocabulary.topics if topic.name == wishes.topic), None)
    results: dict[str, Any] = {step: _with_objects(result) for step, result in progress.results.items()}
    for step, held in progress.tables.items():
        objects = held.as_objects()
        results[step] = {**results.get(step, {}), "rows": objects, "objects": objects, "row_count": held.row_count}
    scope: Json = {
        "message": message,
        "words": wishes.words or message,
        "subject": message if has_subject(message, procedure.vocabulary) else "",
        "topic": wishes.topic,
        "topic_words": (in_language(topic.label, language) or topic.name) if topic else message,
        "language": language,
        "wanted": list(wishes.wanted),
        "unknown": list(wishes.unknown),
        "named": list(wishes.named),
        "chart_type": wishes.chart_type.value,
        "params": progress.params,
        "results": results,
    }
    for _ in procedure.let:  # a name may use another one, in any order: the board does not keep the order of a mapping
        found = {name: search(expression, scope) for name, expression in procedure.let.items()}
        if all(scope.get(name) == value for name, value in found.items()):
            break
        scope |= found
    return scope


def _with_objects(result: Json) -> Json:
    """A result whose rows are lists of cells, as those of `query_source` are, with these rows as `objects` too."""
    columns, rows = result.get("columns"), result.get("rows")
    if not isinstance(columns, list) or not isinstance(rows, list) or "objects" in result:
        return result
    named: list[Any] = columns  # pyright: ignore[reportUnknownVariableType] JSON has no static type
    names = [str(item["name"]) if isinstance(item, dict) and "name" in item else str(item) for item in named]  # pyright: ignore[reportUnknownArgumentType] as above
    given: list[Any] = rows  # pyright: ignore[reportUnknownVariableType] as above
    lists: list[Any] = [row for row in given if isinstance(row, list) and len(row) == len(names)]  # pyright: ignore[reportUnknownArgumentType] as above
    return {**result, "objects": [dict(zip(names, row, strict=True)) for row in lists]} if lists or not given else result


def find_due(procedure: Procedure, progress: Progress, wishes: Wishes, scope: Json, done: Collection[str] = ()) -> Due:
    """`done`: steps that were done for this message; a step that is asked for is done once a message."""
    for step in procedure.steps:
        if wishes.asked_alone and not step.asked and not (isinstance(step, GateStep) and step.id in progress.results):
            continue
        if isinstance(step, SuggestStep) or not _may(step, progress, wishes, done) or not holds(step.when, scope):
            continue
        if not isinstance(step, GateStep):
            return Due(step, arguments=arguments_of(step, scope))
        if step.id not in progress.results:
            return Due(step)
        if step.id not in progress.gates:
            return Due(gate=step)
        if not progress.gates[step.id]:
            return Due(is_closed=True)
    return Due()


def _may(step: Step, progress: Progress, wishes: Wishes, done: Collection[str]) -> bool:
    """Whether a step is to be looked at: a gate always, another step until it has a result."""
    if step.asked:
        return step.id in wishes.asked and step.id not in done
    if isinstance(step, GateStep):
        return True
    if isinstance(step, AskStep):
        return any(field.name not in progress.params for field in step.missing)
    return step.id not in progress.results


def arguments_of(step: Step, scope: Json) -> Json:
    """The arguments of a call; those without a value are left out."""
    if not isinstance(step, CallStep):
        return {}
    found = {name: search(expression, scope) for name, expression in step.arguments.items()}
    return {name: _once(value) for name, value in found.items() if value is not None}


def _once(value: Any) -> Any:
    """A list without repetitions: expressions join lists, and JMESPath has no sets."""
    if not isinstance(value, list):
        return value
    found: list[Any] = []
    for item in value:  # pyright: ignore[reportUnknownVariableType] JSON has no static type
        if item is not None and item not in found:
            found.append(item)
    return found


def reachable(procedure: Procedure, progress: Progress, scope: Json) -> tuple[Step, ...]:
    """The steps that the user could ask for now: no closed or unanswered gate is before them, and their conditions hold."""
    found: list[Step] = []
    for step in procedure.steps:
        if isinstance(step, GateStep) and holds(step.when, scope) and not progress.gates.get(step.id, False):
            break
        if (
            not step.asked
            and not isinstance(step, SuggestStep | GateStep)
            and _may(step, progress, Wishes(), ())
            and holds(step.when, scope)
        ):
            break  # the main line has not come here yet
        if step.asked and holds(step.when, scope):
            found.append(step)
    return tuple(found)


def draws(step: Step) -> bool:
    """Whether a step makes a chart of the type that the user names."""
    return isinstance(step, ChartStep) or (isinstance(step, CallStep) and any("chart_type" in each for each in step.arguments.values()))


def first_asked(procedure: Procedure) -> tuple[Step, ...]:
    """The steps before the main line: each is done when the user asks for it, and begins nothing."""
    return tuple(takewhile(lambda step: bool(step.asked), procedure.steps))


def suggestions(procedure: Procedure, scope: Json) -> tuple[list[SuggestionSpec], bool]:
    """What the procedure offers now, and whether the user may choose several."""
    found: list[SuggestionSpec] = []
    several = False
    for step in procedure.steps:
        if isinstance(step, SuggestStep) and holds(step.when, scope):
            found += [item for item in step.suggest if holds(item.when, scope)]
            several = several or step.several
    return found, several


def in_order(procedure: Procedure, progress: Progress) -> tuple[list[Json], list[HeldTable]]:
    """Results, and the tables that the user sees, in the order of the steps."""
    results = [progress.results[step.id] for step in procedure.steps if step.id in progress.results]
    return results, list(visible_tables(procedure, progress).values())
