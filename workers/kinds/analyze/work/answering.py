"""Writes the answer: what was found, with its figures; what failed; what the user may say next."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from contracts.analyze.answer import SAMPLE_ROWS, AnalyzeAnswer, Ending, TableShown, Taken
from contracts.analyze.request import AnalyzeRequest
from contracts.analyze.steps import Act, ActOutcome, Move, SkillChosen, State, ToolUse, Understanding
from contracts.base import Json
from contracts.charts import Chart
from contracts.procedure_results import Cell, Compared, Found, HeldTable
from contracts.procedures import GateStep, Vocabulary, in_language
from contracts.statements import Sayable, Statement, listing, name, names, passage, say
from workers.engines.procedures.due import in_order
from workers.engines.procedures.expressions import search
from workers.engines.procedures.held import HeldRows
from workers.engines.procedures.tables import AFTER, BEFORE, shown_in, sides_of, visible_tables
from workers.kinds.analyze.rules.findings import Wording, answer_held, say_compared, say_found, say_table_cut
from workers.kinds.analyze.rules.moves import held_question
from workers.kinds.analyze.rules.offering import offer
from workers.kinds.analyze.rules.progress import Standing, standing
from workers.kinds.analyze.work.wording import Material, word_findings
from workers.roles.base import StepContext
from workers.roles.reasoning import RULES, Reasoned
from workers.saying import text_of

MOST_STATE_BYTES = 400_000
"""Size of what a conversation carries. Larger tables are carried with their first rows."""
FEW_ROWS = 100
MOST_NAMED = 12
"""Columns that are named to a user whose question they do not answer."""
MOST_ABOUT = 200
"""Characters of the name of what was looked at."""
WITHOUT = "skills.reason.without"
"""The reason of a choice when the user wants no skill: the conversation forgets the one that it had (K7)."""


@dataclass(frozen=True, slots=True)
class Answering:
    """What the answer is made of."""

    request: AnalyzeRequest
    understood: Understanding
    chosen: SkillChosen
    acts: tuple[Act, ...]

    @property
    def language(self) -> str:
        """The user's language."""
        return self.understood.language

    @property
    def vocabulary(self) -> Vocabulary:
        """The words of the procedure."""
        procedure = self.chosen.skill.procedure if self.chosen.skill else None
        return procedure.vocabulary if procedure else Vocabulary()

    @property
    def words(self) -> Wording:
        """Names of columns, values and levels, as the procedure has them."""
        procedure = self.chosen.skill.procedure if self.chosen.skill else None
        return Wording(self.vocabulary, self.language, sides_of(procedure) if procedure else None)

    @property
    def last(self) -> Act | None:
        """The last step."""
        return self.acts[-1] if self.acts else None


@dataclass(slots=True)
class _Parts:
    """The parts of an answer while it is put together."""

    says: list[Sayable] = field(default_factory=list[Sayable])
    found: list[Found] = field(default_factory=list[Found])
    compared: list[Compared] = field(default_factory=list[Compared])
    tables: list[TableShown] = field(default_factory=list[TableShown])
    charts: list[Chart] = field(default_factory=list[Chart])
    verbatim: list[str] = field(default_factory=list[str])
    ending: Ending = Ending.ANSWERED


def write_answer(ctx: StepContext, work: Answering) -> Reasoned[AnalyzeAnswer]:
    """The answer, with a model's words on top where there is a model and something was found."""
    place = standing(work.chosen, work.chosen.skill, work.acts, work.language) if work.chosen.skill else None
    parts = _Parts()
    _add_acts(parts, work, place)
    _add_held(parts, work, place)
    _add_ending(parts, work, place)
    has_findings = bool(parts.found or parts.compared) or work.understood.move is Move.HELD
    none: Reasoned[str] = Reasoned("", RULES)
    summary = word_findings(ctx, _material(work, parts, place)) if has_findings and parts.says else none
    state = _state(work, place)
    done = frozenset(act.step for act in work.acts)
    offers = offer(state, place.scope if place else None, work.language, work.chosen.available, done)
    shown = SAMPLE_ROWS if summary.value else 0
    answer = AnalyzeAnswer(
        question=work.understood.words,
        language=work.language,
        skill=work.chosen.skill.name if work.chosen.skill else "",
        skill_title=work.chosen.skill.title if work.chosen.skill else "",
        about=_about(place),
        offers_skills=work.understood.offers_skills,
        ending=parts.ending,
        summary=summary.value,
        says=tuple(parts.says),
        found=tuple(parts.found),
        compared=tuple(parts.compared),
        tables=tuple(table.model_copy(update={"rows_to_model": min(shown, len(table.rows))}) for table in parts.tables),
        charts=tuple(parts.charts),
        verbatim=tuple(parts.verbatim),
        checklist=work.last.checklist if work.last else (),
        suggestions=offers.items,
        several=offers.several,
        taken=tuple(Taken(step=act.step, outcome=act.outcome, call=act.call, message=act.message) for act in work.acts),
        state=state.model_copy(update={"offered": offers.items}),
    )
    return Reasoned(answer, summary.engine, summary.notes)


def _about(place: Standing | None) -> str:
    """What was looked at, once it is known."""
    expression = place.procedure.about if place is not None else None
    found = search(expression, place.scope) if place is not None and expression is not None else None
    return found[:MOST_ABOUT] if isinstance(found, str) else ""


def _add_acts(parts: _Parts, work: Answering, place: Standing | None) -> None:
    words = work.words
    tables = visible_tables(place.procedure, place.progress) if place is not None else {}
    beside = shown_in(place.procedure, place.progress) if place is not None else {}
    cut: list[Statement] = []
    for act in work.acts:
        if act.kind == "find" and act.result is not None:
            found = Found.model_validate(act.result)
            parts.found.append(found)
            parts.says += say_found(found, words)
        elif act.kind == "compare" and act.result is not None:
            compared = Compared.model_validate(act.result)
            parts.compared.append(compared)
            parts.says += say_compared(compared, words)
        elif act.kind in ("gate", "say"):
            parts.verbatim += [text if isinstance(text, str) else text_of(text, work.language) for text in act.says]
        else:
            parts.says += act.says
            parts.says += [act.answer] if act.answer else []
        table = tables.pop(act.step if act.step in tables else beside.get(act.step, ""), None) if act.table is not None else None
        if act.kind == "check" and act.table is not None:
            parts.tables.append(_as_it_came(act.table, act.call))
        if table is not None and table.rows:
            parts.tables.append(_shown(table, None, words, _compared_columns(work)))
            cut += say_table_cut(table, words)
        if act.chart is not None:
            parts.charts.append(act.chart)
    parts.says = list({**{text_of(text, work.language): text for text in (*parts.says, *cut)}}.values())


def _add_held(parts: _Parts, work: Answering, place: Standing | None) -> None:
    """Answers a question about what was found, from the tables of the conversation."""
    move = work.understood.move
    if place is None or move not in (Move.HELD, Move.NO, Move.YES) or work.understood.carried is None:
        return
    question = held_question(work.understood.words, work.understood.carried, work.understood.chosen)
    if question is None or (move is Move.YES and work.acts):
        return
    words = work.words
    results, tables = in_order(place.procedure, work.understood.carried.progress)
    held = answer_held(question, results, tables, words)
    if held is None:
        parts.says.append(say("analyze.held.no_row", keys=names(question.keys)) if question.keys else say("analyze.held.unknown"))
        return
    parts.says += held.says
    if held.rows is not None and held.rows.rows:
        parts.tables.append(_shown(held.rows.table, held.rows, words))


def _compared_columns(work: Answering) -> tuple[str, ...]:
    """The columns that this job compared."""
    return tuple(str(act.result.get("column", "")) for act in work.acts if act.kind == "compare" and act.result)


def _shown(table: HeldTable, rows: HeldRows | None, words: Wording, compared: tuple[str, ...] = ()) -> TableShown:
    objects = table.as_objects() if rows is None else list(rows.rows)
    return TableShown(
        title=say("analyze.table", level=name(words.level(table.level))),
        columns=table.columns,
        labels=tuple({"und": words.column_in(table, column)} for column in table.columns),
        rows=tuple(tuple(_in_words(row.get(column), words) for column in table.columns) for row in objects),
        brief=_brief(table, objects, words, compared),
        row_count=table.row_count if rows is None else len(objects),
    )


def _as_it_came(table: HeldTable, call: ToolUse | None) -> TableShown:
    """The table of a call that the user made in a checklist: nobody has described its columns."""
    return TableShown(
        title=call.tool if call is not None else table.step,
        columns=table.columns,
        labels=tuple({"und": column} for column in table.columns),
        rows=table.rows,
        row_count=table.row_count,
    )


def _brief(table: HeldTable, rows: Sequence[Json], words: Wording, compared: tuple[str, ...]) -> tuple[int, ...]:
    """The columns that matter most: the compared ones, or else the measured ones and the kinds of problems."""
    if compared:
        wanted = [column == table.key or _plain(column) in compared for column in table.columns]
    else:
        kinds = {column for row in rows for column, cell in row.items() if isinstance(cell, str) and words.value(cell) != cell}
        wanted = [column == table.key or column in kinds or words.is_measure(_plain(column)) for column in table.columns]
    return tuple(place for place, is_wanted in enumerate(wanted) if is_wanted)


def _plain(column: str) -> str:
    """A column without its side."""
    return column.removesuffix(AFTER).removesuffix(BEFORE)


def _in_words(cell: Cell, words: Wording) -> Cell:
    return words.value(cell) if isinstance(cell, str) else cell


def _add_ending(parts: _Parts, work: Answering, place: Standing | None) -> None:
    """How the answer ends, and what is to be said about that."""
    last, move = work.last, work.understood.move
    if move is Move.SMALL_TALK and work.chosen.skill is not None:
        parts.says.append(say("analyze.skills_here", skills=names(work.chosen.available)))
    if work.chosen.skill is None:
        parts.ending = Ending.NO_SKILL
        titles = names(work.chosen.available)
        greeted = move is Move.SMALL_TALK
        parts.says.append(say("analyze.hello", skills=titles) if greeted else say("analyze.no_skill", skills=titles))
    elif last is not None and _ends_with_act(parts, work, last):
        pass
    elif place is not None and place.due.gate is not None:
        parts.ending = Ending.WAITS
        _add_open_gate(parts, work, place.due.gate)
    elif place is not None and place.due.is_closed and not parts.says:
        parts.says.append(say("analyze.gate.closed"))
    elif place is not None and move is Move.STAY:
        parts.says.append(_not_answered(work, place))
    _add_what_is_missing(parts, work)


def _not_answered(work: Answering, place: Standing) -> Statement:
    """That a message was not understood, and what the results at hand have."""
    tables = visible_tables(place.procedure, place.progress).values()
    columns = dict.fromkeys(work.words.column_in(table, column) for table in tables for column in table.columns)
    return say("analyze.held.not_answered", columns=names(list(columns)[:MOST_NAMED] or ["-"]))


def _ends_with_act(parts: _Parts, work: Answering, last: Act) -> bool:
    """How the last act ends the answer; False: it does not, and what is due says how."""
    if last.outcome is ActOutcome.FAILED:
        parts.ending = Ending.FAILED
        _add_failure(parts, work, last)
    elif last.outcome is ActOutcome.CANCELLED:
        parts.ending = Ending.CANCELLED
        parts.says.append(say("analyze.cancelled"))
    elif last.pending_call is not None:
        parts.ending = Ending.WAITS
        arguments = passage(_arguments(last.pending_call.arguments))
        parts.says.append(say("analyze.waits_for_call", tool=name(last.pending_call.tool), arguments=arguments))
    elif last.kind == "check" and last.checklist:
        parts.ending = Ending.CHECKLIST
        if work.understood.move in (Move.START, Move.SWITCH) and work.chosen.skill is not None:
            parts.says += [work.chosen.skill.left_out or say("analyze.check.none"), say("analyze.check.intro")]
    else:
        return False
    return True


def _add_what_is_missing(parts: _Parts, work: Answering) -> None:
    """A chart that was not wanted, a search that found nothing, an answer that is empty."""
    wishes = work.chosen.wishes
    if parts.charts and wishes.no_chart:
        parts.says.append(say("analyze.chart.not_drawn", wanted=name(wishes.no_chart)))
    if wishes.asked_alone and work.acts and not parts.says and not parts.tables:
        parts.says.append(say("analyze.nothing_found"))
    if not parts.says and not parts.verbatim and not parts.tables and not parts.charts:
        parts.says.append(say("analyze.nothing_to_say"))


def _add_open_gate(parts: _Parts, work: Answering, gate: GateStep) -> None:
    """The gate's sentence is said again when the message was neither yes nor no."""
    sentence = in_language(gate.gate, work.language)
    if work.understood.move is Move.STAY:
        parts.says.append(say("analyze.gate.not_understood"))
    if sentence not in parts.verbatim:
        parts.verbatim.append(sentence)


def _add_failure(parts: _Parts, work: Answering, last: Act) -> None:
    if work.chosen.wishes.unknown:
        known = [work.words.column(column.name) for column in work.vocabulary.columns if column.better]
        parts.says.append(say("analyze.unknown_column", words=names(work.chosen.wishes.unknown), known=listing(*map(name, known))))
    tool = last.call.tool if last.call else last.calls[-1].tool if last.calls else ""
    message = passage(last.message)
    parts.says.append(say("analyze.failed.tool", tool=name(tool), message=message) if tool else say("analyze.failed.step", message=message))


def _arguments(arguments: Json) -> str:
    return ", ".join(f"{name} = {value}" for name, value in arguments.items())[:500]


def _material(work: Answering, parts: _Parts, place: Standing | None) -> Material:
    first = parts.tables[0] if parts.tables else None
    rows: list[Json] = [dict(zip(first.columns, row, strict=True)) for row in first.rows[:SAMPLE_ROWS]] if first else []
    reserved = [in_language(step.gate, work.language) for step in _gates(work)]
    params = place.progress.params if place is not None else {}
    about = [f"about: {about}"] if (about := _about(place)) else []
    given = [*about, *(f"{key}: {value}" for key, value in params.items() if isinstance(value, str | int | float))]
    return Material(work.understood.words, work.language, parts.says, rows, given, reserved)


def _gates(work: Answering) -> list[GateStep]:
    procedure = work.chosen.skill.procedure if work.chosen.skill else None
    return [step for step in procedure.steps if isinstance(step, GateStep)] if procedure else []


def _state(work: Answering, place: Standing | None) -> State:
    """Where the conversation is now."""
    carried, skill = work.understood.carried, work.chosen.skill
    if skill is None:
        clears = work.chosen.reason is not None and work.chosen.reason.code == WITHOUT
        return State() if carried is None or clears else carried
    last = work.last
    if carried is not None and (work.understood.move is Move.SMALL_TALK or _came_to_nothing(work, place, carried)):
        return carried
    if place is None:
        checklist = last.checklist if last else (carried.checklist if carried and work.understood.move is not Move.SWITCH else ())
        pending = last.pending_call if last else None
        return State(
            question=work.understood.question, skill=skill, pointers=work.chosen.pointers, checklist=checklist, pending_call=pending
        )
    return _bounded(
        State(
            question="" if work.chosen.wishes.asked_alone and carried is None else work.understood.question,
            topic=work.chosen.wishes.topic,
            skill=skill,
            pointers=work.chosen.pointers,
            progress=place.progress,
            gate=place.due.gate.id if place.due.gate else None,
        )
    )


def _came_to_nothing(work: Answering, place: Standing | None, carried: State) -> bool:
    """Whether a new analysis failed before it had found anything, where an earlier one had: the conversation goes on with that."""
    has_failed = work.last is not None and work.last.outcome is ActOutcome.FAILED
    return has_failed and place is not None and not place.progress.tables and bool(carried.progress.tables)


def _bounded(state: State) -> State:
    if len(state.model_dump_json().encode("utf-8", "surrogatepass")) <= MOST_STATE_BYTES:
        return state
    tables = {step: table.model_copy(update={"rows": table.rows[:FEW_ROWS]}) for step, table in state.progress.tables.items()}
    return state.model_copy(update={"progress": state.progress.model_copy(update={"tables": tables})})
