"""What a message is in its conversation: a new question, a word at a gate, a question about what was found, a wish."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from contracts.analyze.steps import Move, State, Suggestion
from contracts.base import Json
from contracts.procedure_results import HeldTable
from contracts.procedures import AskStep, Procedure
from contracts.statements import term
from workers.engines.procedures.due import draws, in_order, reachable, scope_of
from workers.engines.procedures.held import Held, HeldQuestion, findings, level_named, newest_comparison, read_held, worst_of
from workers.engines.procedures.tables import BEFORE, sides_of
from workers.engines.procedures.words import asked_steps, folded, has_subject, names_chart, names_spoken, read_wishes
from workers.kinds.analyze.rules.forms import form_of, given_alone
from workers.kinds.analyze.rules.replies import Reply, means, step_wanted, word_at_gate, yes_with
from workers.saying import INSTALLED, text_of

_ANALYSE = re.compile(r"分析|评估|诊断|排查|\banaly[sz]e\b|\bassess|\binvestigate\b|\bdiagnose\b|\bevaluate\b", re.IGNORECASE)
MOST_CELL, MOST_CELLS = 60, 200
"""Characters of a text in a table by which its rows can be asked for, and how many such texts are looked for."""

_CHECK = re.compile(r"^\s*(?:step|步骤|第)\s*\d+|^\s*(?:call\s+|调用\s*)\S", re.IGNORECASE)
"""To look at a step of a checklist, or to call a tool."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A message, placed."""

    move: Move
    chosen: tuple[Suggestion, ...] = ()
    params: Json = field(default_factory=dict[str, Any])
    """Of the same analysis, done again."""


def judge(words: str, carried: State | None) -> Judged:
    """What the message is. Nothing but a message that is a yes as a whole opens a gate."""
    if carried is None or carried.skill is None:
        chosen = _chosen(words, carried)
        return Judged(Move.SMALL_TALK if means(Reply.SMALL_TALK, words) else Move.START, chosen)
    procedure, chosen = carried.skill.procedure, _chosen(words, carried)
    if (move := _move_of(chosen, carried)) is not None:
        return Judged(move, chosen)
    if procedure is not None and _is_about_a_chart(words, carried, procedure):
        return Judged(Move.WISH)
    if procedure is not None and (params := _other_params(words, carried, procedure)):
        return Judged(Move.AGAIN, params=params)
    if means(Reply.SWITCH, words):
        return Judged(Move.SWITCH)
    word = word_at_gate(words, is_call=carried.pending_call is not None)
    if carried.pending_call is not None and yes_with(words) is not None:
        return Judged(Move.YES)
    if word is not None and (carried.gate is not None or carried.pending_call is not None):
        return Judged(Move.YES if word else Move.NO)
    if word is True and closed_gate(carried) is not None and not means(Reply.NOTED, words):
        return Judged(Move.YES)  # what the user said no to is wanted after all
    if procedure is not None and word is not None:
        return Judged(Move.STAY)  # a yes or a no, and nothing was asked
    if carried.checklist and (_CHECK.search(words) or step_wanted(words) is not None):
        return Judged(Move.CHECK)
    if means(Reply.SMALL_TALK, words):
        return Judged(Move.SMALL_TALK)
    return Judged(_of_procedure(words, carried, carried.skill.procedure), chosen)


def asks_to_analyse(words: str) -> bool:
    """Whether a message has the verb of an analysis."""
    return _ANALYSE.search(words) is not None


def closed_gate(carried: State) -> str | None:
    """The gate at which the user said no, while none waits for an answer."""
    if carried.gate is not None:
        return None
    return next((gate for gate, is_open in carried.progress.gates.items() if not is_open), None)


def _is_about_a_chart(words: str, carried: State, procedure: Procedure) -> bool:
    """Whether the message names a type of chart and no topic: "switch to a line chart" changes no skill."""
    named = names_chart(words) and not names_spoken(words, procedure.vocabulary.topics)
    return named and wants_step(words, carried, procedure)


def _of_procedure(words: str, carried: State, procedure: Procedure | None) -> Move:
    if procedure is None:
        return Move.STAY if carried.is_pending else Move.START
    is_new = names_a_new_subject(words, procedure)
    if not is_new and (wants_step(words, carried, procedure)):
        return Move.WISH
    if not is_new and held_question(words, carried) is not None:
        return Move.HELD
    if is_new or asks_to_analyse(words) or _names_topic(words, procedure):
        return Move.START
    return Move.STAY if carried.is_pending or carried.progress.tables else Move.START


def _other_params(words: str, carried: State, procedure: Procedure) -> Json:
    """Other values of the parameters that a form of the analysis asks for."""
    if not carried.progress.params:
        return {}
    scope = _scope(carried, procedure, words)
    forms = [form_of(step, scope, {}) for step in procedure.steps if isinstance(step, AskStep)]
    return {param: value for form in forms for param, value in given_alone(form, words).items()}


def names_a_new_subject(words: str, procedure: Procedure) -> bool:
    """Whether the message asks to analyse something: its verb, with a topic or something that the analysis is not about yet."""
    if not asks_to_analyse(words):
        return False
    return _names_topic(words, procedure) or has_subject(words, procedure.vocabulary)


def _names_topic(words: str, procedure: Procedure) -> bool:
    """Whether a topic is named, and not as part of the name of a column: "late parcels", and not "late share"."""
    topics = {topic.name for topic in procedure.vocabulary.topics}
    columns = [column for column in procedure.vocabulary.columns if column.name not in topics]
    return not topics.isdisjoint(names_spoken(words, [*procedure.vocabulary.topics, *columns]))


def wants_step(words: str, carried: State, procedure: Procedure) -> bool:
    """Whether the message asks for a step that can be done now."""
    scope = _scope(carried, procedure, words)
    able = {step.id for step in reachable(procedure, carried.progress, scope)}
    if any(step.id in able for step in asked_steps(procedure.steps, words)):
        return True
    return names_chart(words) and any(step.id in able for step in procedure.steps if draws(step))


def held_question(words: str, carried: State, chosen: Sequence[Suggestion] = ()) -> HeldQuestion | None:
    """The question about what was found, if the message is such a question, or nothing but suggestions of one."""
    if values := tuple(value for item in chosen for value in item.values):
        return HeldQuestion(Held.KINDS, values=values)
    procedure = carried.skill.procedure if carried.skill else None
    if procedure is None or not carried.progress.tables:
        return None
    results, tables = in_order(procedure, carried.progress)
    found = findings(results)
    keys = [str(row.get(table.key, "")) for table in tables for row in table.as_objects()]
    worst = next((item for item in chosen if item.worst), None)
    level = worst.level if worst is not None else level_named(words, procedure.vocabulary)
    level = level if any(table.level == level for table in tables) else ""
    column = next((item.column for item in found if item.column and level in ("", item.level)), "")
    column = column or _first_measure(procedure, [table for table in tables if level in ("", table.level)])
    if worst is not None and column:
        return worst_of(procedure.vocabulary, column, worst.worst, level)
    known = {item.name for item in procedure.vocabulary.columns}
    others = list(dict.fromkeys(column for table in tables for column in table.columns if column.removesuffix(BEFORE) not in known))
    has_comparison = newest_comparison(results) is not None
    spoken = {item.name for item in procedure.vocabulary.values}
    cells = dict.fromkeys(
        cell
        for table in tables
        for row in table.as_objects()
        for column, cell in row.items()
        if isinstance(cell, str) and column != table.key and cell not in spoken and 1 < len(cell) <= MOST_CELL
    )
    earlier = list(sides_of(procedure).before.values()) or [text_of(term("analyze.before"), code) for code in INSTALLED.languages()]
    return read_held(
        words,
        procedure.vocabulary,
        keys=keys,
        column=column,
        has_comparison=has_comparison,
        others=others,
        earlier=earlier,
        cells=list(cells)[:MOST_CELLS],
    )


def _first_measure(procedure: Procedure, tables: Sequence[HeldTable]) -> str:
    """The column by which the worst is named where the findings are of several kinds: the first that has good and bad values."""
    held = {column for table in tables for column in table.columns}
    return next((column.name for column in procedure.vocabulary.columns if column.better and column.name in held), "")


def _scope(carried: State, procedure: Procedure, words: str) -> dict[str, object]:
    wishes = read_wishes(procedure, words, before=carried.topic)
    return scope_of(procedure, carried.progress, wishes, message=carried.question, language="en")


def _chosen(words: str, carried: State | None) -> tuple[Suggestion, ...]:
    """The suggestions that the message consists of, each on a line or separated by commas: it has nothing else."""
    if carried is None or not carried.offered:
        return ()
    offered = {_plain(item.text): item for item in carried.offered}
    for between in (r"\n", r"[\n;；、,，]|\s+and\s+|和"):
        parts = {_plain(part) for part in re.split(between, words) if part.strip()}
        if parts and parts <= offered.keys():
            return tuple(item for text, item in offered.items() if text in parts)
    return ()


def _plain(text: str) -> str:
    """Without what may be left away. A question mark may not: "yes?" is no yes."""
    return re.sub(r"[\s。.!！]+", " ", folded(text)).strip()


def _move_of(chosen: tuple[Suggestion, ...], carried: State) -> Move | None:
    """What suggestions mean by more than their words; None: they are read as a message is."""
    words = {item.gate for item in chosen if item.gate is not None}
    if words and (carried.gate is not None or carried.pending_call is not None):
        return Move.STAY if len(words) > 1 else Move.YES if True in words else Move.NO
    if any(item.step is not None for item in chosen):
        return Move.WISH
    if any(item.values or item.worst for item in chosen):
        return Move.HELD
    return None
