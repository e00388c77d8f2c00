"""A statement that a model writes: tried by the source's engine and the review, sent back with what shows that it is wrong, and returned
with the part of it that stands for each phrase of the question."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlglot import exp

from contracts.ask.answers import SqlAnswer
from contracts.ask.results import SqlMade, TablesFound
from contracts.base import Json
from contracts.pointers import POINTER_CAP, TablePointer
from contracts.questions import UsedDefinition
from contracts.sql_review import ReviewCheck
from contracts.statements import Statement
from contracts.tables import TableDetail
from contracts.tools import CallOutcome, ToolAnswer, ToolOffer
from workers.catalogue.pointers import table_pointers
from workers.engines.definitions.definition import Definition
from workers.engines.sql.explain import explain, statements_of
from workers.engines.sql.schema_text import beside_keys, identifier, joins_text, rows_text, table_text
from workers.engines.sql.traps import traps_of
from workers.engines.sql.trees import NotParsed, dialect_of, parse_statement
from workers.errors import BullpenError, ModelAnswerUnusable, StatementFailed, StatementRefused
from workers.kinds.ask.roles.calls import ToolStep
from workers.kinds.ask.settings import AskSettings
from workers.kinds.ask.work.defined import Expected, expected_of, objection_of
from workers.kinds.ask.work.dialogue import conversation_text, session_text, turns_of
from workers.kinds.ask.work.floor import Floor
from workers.kinds.ask.work.known_values import with_known_values
from workers.kinds.ask.work.reading import runs_at_once, settled_in
from workers.kinds.ask.work.reviewing import reviewed
from workers.kinds.ask.work.statements import tables_of
from workers.kinds.ask.work.supervising import definitions_of
from workers.llm import ChatClient
from workers.llm.brief import Brief, likely_text, replies_text, today_text
from workers.llm.checked import MOST_REPAIRS, asking, repaired
from workers.llm.client import Tools
from workers.llm.quotes import phrases_in
from workers.loggers import get_logger
from workers.saying.sql_review import objection_text
from workers.tools.source_tools import QUERY_KEY

log = get_logger(__name__)

PROMPT = "developer/sql"
MOST_SAMPLED = 12
"""Tables of which rows are shown."""
SHARE_WORDS, SHARE_TABLES, SHARE_JOINS, SHARE_ROWS, SHARE_DEFINITIONS = 0.08, 0.35, 0.04, 0.06, 0.1
SHARE_EXAMPLES = SHARE_PASSAGES = 0.06
"""Shares of the model's window."""


@dataclass(slots=True)
class _Draft:
    """What has been tried for one question."""

    floor: Floor
    step: ToolStep
    source: str
    tables: tuple[TableDetail, ...]
    """All tables of the source that the owner may see."""
    definitions: list[Definition]
    expected: tuple[Expected, ...]
    """What the statement has to hold, by the definitions of the question's words."""
    runs: bool
    """The statement may be tried on the data: the user need not see it first."""
    raised: set[str] = field(default_factory=set[str])
    """Objections that a model may overrule by saying the same again: it has seen what shows them."""

    @property
    def words(self) -> str:
        """All that the user said, for the check of quotes."""
        understanding = self.step.understanding
        return "\n".join([understanding.words, understanding.question, *(reply.reply for reply in understanding.replies)])


@dataclass(frozen=True, slots=True)
class WithoutQueries:
    """The tools of a step without the one that runs statements: under `confirm` the user sees a statement before it runs."""

    tools: Tools

    def offers(self) -> tuple[ToolOffer, ...]:
        """The other tools."""
        return tuple(offer for offer in self.tools.offers() if offer.name != QUERY_KEY)

    def call(self, name: str, arguments: Json) -> ToolAnswer:
        """Call one of them."""
        if name == QUERY_KEY:
            message = "Nothing is run before the user has seen the statement."
            return ToolAnswer(number=0, tool=name, outcome=CallOutcome.REFUSED, message=message)
        return self.tools.call(name, arguments)


def write_sql(floor: Floor, step: ToolStep, found: TablesFound, chat: ChatClient) -> SqlMade:
    """The statement of a model with its checks, its question back, or its reason why there is none. Raises `ModelAnswerUnusable` when no
    statement holds after the repairs."""
    source = _source(floor, step, found)
    own = floor.dialect(source)
    tables = floor.tables(source)
    draft = _Draft(floor, step, source, tables, _settled(floor, step, source), expected_of(floor, step, source), runs_at_once(step))
    data = _material(draft, found, chat, dialect_of(own) or own)
    tools = step.ctx.tools if draft.runs else WithoutQueries(step.ctx.tools)
    made = repaired(asking(chat, SqlAnswer, PROMPT, data, calls=tools), lambda answer: _judged(draft, answer, chat))
    if isinstance(made, str):
        raise ModelAnswerUnusable(f"No statement of model {chat.model} holds after {MOST_REPAIRS} repairs. The last objection: {made}")
    return made


def _source(floor: Floor, step: ToolStep, found: TablesFound) -> str:
    wanted = step.understanding.source
    carried = step.understanding.carried
    candidates = (wanted, found.tables[0].source if found.tables else None, carried.source if carried else None)
    return next((name for name in candidates if name and name in floor.visible), next(iter(floor.visible)))


def _material(draft: _Draft, found: TablesFound, chat: ChatClient, dialect: str) -> dict[str, Any]:
    floor, step, understanding = draft.floor, draft.step, draft.step.understanding
    brief = Brief.of(chat)
    shown = _shown(draft, found)
    step.ctx.tools.hold(table_pointers(draft.source, shown[:POINTER_CAP]))  # what the prompt shows can be opened
    samples = _samples(draft, shown[:MOST_SAMPLED], dialect) if draft.runs else {}
    rows = [rows_text(table, samples[table.full_name], dialect) for table in shown if samples.get(table.full_name)]
    known = {table.full_name for table in shown}
    joins = [path for path in floor.joins(draft.source) if {path.left, path.right} <= known]
    from_user = {  # made first, so that it has room
        "words": brief.text("message", understanding.words, SHARE_WORDS),
        "question": brief.text("question", understanding.question, SHARE_WORDS),
        "replies": brief.text("answers", replies_text(understanding.replies), SHARE_WORDS),
    }
    passages = [f"{item.heading or item.title}: {item.text}" for item in found.documents if item.path]  # terms are among the definitions
    examples = [f"{known.question}\n{known.sql}" for known in found.queries if known.question]
    return {
        **from_user,
        "dialect": dialect,
        "traps": traps_of(dialect),
        "tables": brief.chosen(
            "tables", [(table.full_name, table_text(table, dialect)) for table in shown], SHARE_TABLES, separator="\n\n"
        ),
        "joins": brief.items("joins", joins_text(beside_keys(joins, shown), dialect), SHARE_JOINS),
        "definitions": brief.items("definitions", [entry.line for entry in draft.definitions], SHARE_DEFINITIONS),
        "examples": brief.items("examples", examples, SHARE_EXAMPLES, separator="\n\n"),
        "passages": brief.items("documents", passages, SHARE_PASSAGES, separator="\n\n"),
        "rows": brief.items("rows", rows, SHARE_ROWS, separator="\n\n"),
        "today": today_text(floor.now, floor.ctx.services.settings.times),
        "background": brief.text("background", understanding.background, SHARE_WORDS),
        "session": session_text(step.ctx, brief, has_conversation=True),
        "conversation": conversation_text(brief, turns_of(step.ctx)),
        "likely": likely_text(_likely(draft, found), known),
        "remarks": "\n".join(str(remark.get("text", "")) for remark in step.ctx.remarks()),
        "prompt_cuts": brief.cut_rows(),
    }


def _likely(draft: _Draft, found: TablesFound) -> list[str]:
    """The tables that the supervisor or the user named, and those that a search found, the best first."""
    meant = draft.step.understanding.tables
    return list(dict.fromkeys([*meant, *(table.name for table in found.tables if table.source == draft.source), *_searched(draft, found)]))


def _shown(draft: _Draft, found: TablesFound) -> list[TableDetail]:
    """The tables of the source: those that are meant or were found first, then those that join them, then the rest. The brief cuts from the
    end."""
    meant = draft.step.understanding.tables
    named = _likely(draft, found)
    near = {
        name
        for path in draft.floor.joins(draft.source)
        for name, other in ((path.left, path.right), (path.right, path.left))
        if other in named
    }
    rank = {name: number for number, name in enumerate(named)}

    def place(table: TableDetail) -> tuple[bool, int, str]:
        name = table.full_name
        is_empty = table.rows == 0 and name not in meant  # staging and archives that nobody fills stand behind what has rows
        return (is_empty, rank[name] if name in rank else len(named) if name in near else len(named) + 1, name)

    return sorted(draft.tables, key=place)


def _searched(draft: _Draft, found: TablesFound) -> list[str]:
    pointers = [pointer for pointer in found.pointers if isinstance(pointer, TablePointer) and pointer.catalog == draft.source]
    return [f"{pointer.schema_name}.{pointer.table}" if pointer.schema_name else pointer.table for pointer in pointers]


def _samples(draft: _Draft, tables: Sequence[TableDetail], dialect: str) -> dict[str, Sequence[Sequence[object]]]:
    """Some rows of each table, as the owner may see them. A table that does not answer has none."""
    most = draft.step.ctx.settings(AskSettings).ask_sample_rows
    found: dict[str, Sequence[Sequence[object]]] = {}
    for table in tables if most else ():
        if table.is_view:
            continue
        draft.step.ctx.check_stopped()
        names = [exp.column(exp.to_identifier(column.name, quoted=True)) for column in table.columns]
        statement = exp.select(*names).from_(exp.to_table(identifier(table.full_name, dialect), dialect=dialect)).limit(most)
        try:
            result = draft.floor.sources.query(
                draft.source, statement.sql(dialect=dialect), owner=draft.floor.owner, job_id=draft.step.ctx.job_id,
                step_id=draft.step.ctx.step_id,
            )  # fmt: skip
        except BullpenError as error:
            log.info("table_not_sampled", table=table.full_name, reason=type(error).__name__)
            continue
        found[table.full_name] = result.rows
    return found


def _judged(draft: _Draft, answer: SqlAnswer, chat: ChatClient) -> SqlMade | str:
    """The result of a step, or what is wrong with the answer."""
    sql = answer.sql.strip().rstrip(";").strip()
    if sum(map(bool, (sql, answer.ask, answer.cannot))) != 1:
        return "Give exactly one of `sql`, `ask` and `cannot`."
    made = SqlMade(
        call=draft.step.call_id,
        found_by=str(draft.step.arguments.get("found_by", "")),
        source=draft.source,
        dialect="",
        sql="",
        by=chat.answered_by or chat.model,
        assumed=tuple(text for text in answer.assumed if text),
    )
    if answer.ask:
        if not draft.step.ctx.may_ask:
            return "The user cannot be asked any more: take the most likely reading and say it in `assumed`, or say why you `cannot`."
        return made.model_copy(update={"asks": answer.ask, "choices": answer.choices})
    if answer.cannot:
        return made.model_copy(update={"declines": answer.cannot})
    return _tried(draft, made, sql, answer)


def _tried(draft: _Draft, made: SqlMade, sql: str, answer: SqlAnswer) -> SqlMade | str:
    floor, own = draft.floor, draft.floor.dialect(draft.source)
    read = dialect_of(own) or own
    sql, unknown = with_known_values(sql, read, draft.tables)
    for value in unknown:
        if (mark := f"value {value.column} {value.value}") not in draft.raised:
            draft.raised.add(mark)
            known = ", ".join(f"'{text}'" for text in value.known)
            return (
                f"{value.column} has no value '{value.value}'. It has: {known}. Use the value that is meant; if the user means one that "
                "does not exist, ask or say why you cannot."
            )
    if (objection := objection_of(sql, read, draft.expected)) is not None:
        return objection
    draft.step.ctx.check_stopped()
    error = floor.sources.check(draft.source, sql, owner=floor.owner)
    if error is not None:
        return f"The statement does not run: {error}"
    review = reviewed(sql, floor.joined_tables(draft.source), read, draft.step.understanding.question, only_blockers=True)
    if review.findings and "review" not in draft.raised:
        draft.raised.add("review")
        return "\n\n".join(objection_text(finding) for finding in review.findings[:3]) + (
            "\n\nIf the question means exactly this, give the same statement again; else mend it."
        )
    if draft.runs and (empty := _empty(draft, sql, read)) is not None and "empty" not in draft.raised:
        draft.raised.add("empty")
        return empty
    wanted = dialect_of(draft.step.understanding.dialect or "") or own
    used, not_used = phrases_in(answer.uses, draft.words)
    tree = parse_statement(sql, read)
    return made.model_copy(
        update={
            "dialect": wanted,
            "sql": tree.sql(dialect=dialect_of(wanted) or read, pretty=True, comments=False),
            "native": "" if dialect_of(wanted) in ("", read) else tree.sql(dialect=read, pretty=True, comments=False),
            "says": _says(sql, read, draft.tables),
            "tables": tables_of(floor, draft.source, sql),
            "checked": True,
            "review": review,
            "is_verified": not review.findings and ReviewCheck.JOINS in review.checked,
            "uses": used,
            "not_used": not_used,
            "definitions": _definitions(answer.definitions, draft.definitions, draft.expected),
        }
    )


def _definitions(named: Sequence[str], known: Sequence[Definition], expected: Sequence[Expected]) -> tuple[UsedDefinition, ...]:
    """Those that the statement was held to, and those of the named definitions that exist, with their text."""
    by_name = {name.casefold(): each for each in reversed(known) for name in (each.name, *each.others)}
    claimed = dict.fromkeys(each for name in named if (each := by_name.get(name.strip().casefold())) is not None)
    held = [each.used for each in expected]
    shown = {used.place or used.name for used in held}
    others = (UsedDefinition(name=each.name, text=each.says, place=each.place) for each in claimed)
    return (*held, *(used for used in others if (used.place or used.name) not in shown))


def _settled(floor: Floor, step: ToolStep, source: str) -> list[Definition]:
    """The definitions of a source; a word that the user settled in this job has only that meaning."""
    chosen = settled_in(step.understanding.settled, source)
    settled = {word.name.casefold() for word in chosen}
    return [*chosen, *(each for each in definitions_of(floor, source) if each.name.casefold() not in settled)]


def _empty(draft: _Draft, sql: str, dialect: str) -> str | None:
    """Why the result is suspicious: it has no row, or nothing but nulls. None: it has values, or it cannot be tried cheaply."""
    try:
        probed = exp.Subquery(this=parse_statement(sql, dialect), alias=exp.TableAlias(this=exp.to_identifier("probed")))
        probe = exp.select("*").from_(probed).limit(1).sql(dialect=dialect)
        result = draft.floor.sources.query(
            draft.source, probe, owner=draft.floor.owner, job_id=draft.step.ctx.job_id, step_id=draft.step.ctx.step_id
        )
    except (StatementRefused, StatementFailed, NotParsed):
        return None  # the statement itself passed its dry run
    if result.rows and any(cell is not None for cell in result.rows[0]):
        return None
    what = "only nulls" if result.rows else "no rows"
    return (
        f"The statement runs and gives {what}. Check its conditions and joins against the values of the data (spelling, type, time "
        "range). If that is the right answer, give the same statement again."
    )


def _says(sql: str, dialect: str, tables: Sequence[TableDetail]) -> tuple[Statement, ...]:
    return statements_of(explain(sql, dialect, tables))
