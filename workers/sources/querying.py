"""A statement on its way to a source: through the five locks, in their order, with an audit row."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Lock as Mutex
from uuid import UUID

from sqlglot import exp

from contracts.sources import Lock, QueryResult, Source, SourcePolicy, Verdict
from contracts.statements import Name, names, passage, quote, say
from workers.blackboard.engine import Database
from workers.errors import BullpenError, InvalidInput, StatementFailed, StatementRefused
from workers.sources.addresses import source_engine
from workers.sources.audit import Passage, audited
from workers.sources.known import resolve_names
from workers.sources.limits import Stream, check_cost, run_within, stream_within
from workers.sources.parsing import VALUE, parse_statement
from workers.sources.policies import OWNER_VALUE, Rewritten, apply_policies, visible_schema
from workers.sources.registry import get_source, list_policies
from workers.sources.schema import Introspected, Knowledge
from workers.sources.sessions.base import Opening, Session, SourceEngine, Values, print_statement
from workers.sources.values import plain

MakeKnowledge = Callable[[Source, SourceEngine], Knowledge]
MakeEngine = Callable[[Source, Path], SourceEngine]


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A statement behind the first three locks."""

    source: Source
    engine: SourceEngine
    opening: Opening
    text: str
    values: Values
    hides_rows: bool


@dataclass(frozen=True, slots=True)
class Running:
    """A statement that runs."""

    rows: Stream
    statement: str
    """Its text as it went to the engine."""
    passage: Passage


class Sources:
    """The one way to run a statement on a source. Share it between threads."""

    def __init__(self, db: Database, data_dir: Path, *, engine: MakeEngine = source_engine, knowledge: MakeKnowledge | None = None) -> None:
        """`knowledge`: where the schema of lock 2 comes from; by default the source itself is asked."""
        self._db = db
        self._data_dir = data_dir
        self._engine = engine
        self._make_knowledge = knowledge or _introspected
        self._knowledge: dict[str, Knowledge] = {}
        self._mutex = Mutex()

    def query(
        self,
        name: str,
        statement: str,
        *,
        owner: str,
        values: Values | None = None,
        job_id: UUID | None = None,
        step_id: UUID | None = None,
    ) -> QueryResult:
        """Run a statement as an owner. Raises `StatementRefused`, `StatementFailed`, `SourceUnavailable` or `NotFound`.

        No connection to the blackboard is held while the source works.
        """
        with self.stream(name, statement, owner=owner, values=values, job_id=job_id, step_id=step_id) as running:
            rows = tuple(tuple(plain(cell) for cell in row) for batch in running.rows.batches() for row in batch)
        done, way = running.rows, running.passage
        return QueryResult(
            source=name, columns=done.columns, types=done.types, rows=rows, cut=done.cut, result_bytes=done.result_bytes,
            duration_ms=way.duration_ms, statement=running.statement, execution_id=way.execution_id, locks=way.verdicts,
        )  # fmt: skip

    @contextmanager
    def stream(
        self,
        name: str,
        statement: str,
        *,
        owner: str,
        values: Values | None = None,
        job_id: UUID | None = None,
        step_id: UUID | None = None,
    ) -> Generator[Running]:
        """Run a statement as an owner and read its rows within the block, with the driver's own values. Raises as `query` does, also while
        the rows are read. The audit row is completed at the end of the block, with the number of rows that were handed over."""
        source = get_source(self._db, name)
        policies = list_policies(self._db, name)
        with audited(self._db, name, owner, statement, job_id, step_id) as passage:
            prepared = self._prepared(source, policies, statement, owner, values or {}, passage)
            with _engine_errors(prepared), prepared.engine.open(prepared.opening) as session:
                passage.passed(Lock.READ_ONLY)
                with stream_within(session, prepared.text, prepared.values, source.limits) as rows:
                    try:
                        yield Running(rows, prepared.text, passage)
                    finally:
                        passage.rows, passage.result_bytes = rows.row_count, rows.result_bytes
            _say_limits(rows, source, passage)

    def check(self, name: str, statement: str, *, owner: str) -> str | None:
        """Why a statement would not run for an owner: a lock's refusal, or the error of the source's engine, which plans the statement
        and does not run it. None: it would run. Raises `SourceUnavailable` or `NotFound`."""
        source = get_source(self._db, name)
        policies = list_policies(self._db, name)
        try:
            prepared = self._prepared(source, policies, statement, owner, {}, Passage())
            with _engine_errors(prepared), prepared.engine.open(prepared.opening) as session:
                check_cost(session, prepared.text, prepared.values, source.limits)
                _explain(session, prepared)
        except (StatementRefused, StatementFailed) as error:
            return str(error)
        return None

    def plan(self, name: str, statement: str, *, owner: str, job_id: UUID | None = None, step_id: UUID | None = None) -> None:
        """Have the source's engine plan a statement for an owner, without running it. The audit shows it as an EXPLAIN. A source's limit
        of cost is for statements that run, so it does not count here. Raises `StatementRefused`, `StatementFailed`, `SourceUnavailable`
        or `NotFound`."""
        source = get_source(self._db, name)
        policies = list_policies(self._db, name)
        with audited(self._db, name, owner, f"EXPLAIN {statement}", job_id, step_id) as passage:
            prepared = self._prepared(source, policies, statement, owner, {}, passage)
            with _engine_errors(prepared), prepared.engine.open(prepared.opening) as session:
                passage.passed(Lock.READ_ONLY)
                _explain(session, prepared)
            passage.passed(Lock.LIMITS)

    def _prepared(
        self, source: Source, policies: list[SourcePolicy], statement: str, owner: str, values: Values, passage: Passage
    ) -> _Prepared:
        """The first three locks, and the text that goes to the engine."""
        if not source.is_open_to(owner):
            raise StatementRefused(Lock.POLICIES, say("refused.source.not_yours", source=Name(text=source.name)))
        tree = parse_statement(statement, source.kind)
        _check_values(tree, values)
        passage.passed(Lock.PARSED)
        engine = self._engine(source, self._data_dir)
        rewritten = self._resolved(source, engine, tree, policies, owner, passage)
        return _Prepared(
            source=source,
            engine=engine,
            opening=Opening(timeout_s=source.limits.timeout_s, superuser=source.insisted),
            text=print_statement(rewritten.tree, str(source.kind), engine),
            values=_bound(rewritten.tree, values, owner),
            hides_rows=rewritten.policies > 0,
        )

    def _resolved(
        self, source: Source, engine: SourceEngine, tree: exp.Query, policies: list[SourcePolicy], owner: str, passage: Passage
    ) -> Rewritten:
        """Locks 2 and 3; an unknown name is looked for once more in a schema that is read afresh."""
        knowledge = self._knowledge_of(source, engine)
        try:
            return self._locked(knowledge, tree, policies, owner, passage, fresh=False)
        except StatementRefused:
            return self._locked(knowledge, tree, policies, owner, passage, fresh=True)

    @staticmethod
    def _locked(
        knowledge: Knowledge, tree: exp.Query, policies: list[SourcePolicy], owner: str, passage: Passage, *, fresh: bool
    ) -> Rewritten:
        schema = knowledge.schema(fresh=fresh)
        resolved = resolve_names(tree, visible_schema(schema, policies, owner))
        passage.passed(Lock.KNOWN)
        rewritten = apply_policies(resolved, schema, policies, owner)
        verdict = Verdict.REWRITTEN if rewritten.policies else Verdict.PASSED
        passage.passed(Lock.POLICIES, verdict, f"Policies on {rewritten.policies} tables." if rewritten.policies else None)
        return rewritten

    def _knowledge_of(self, source: Source, engine: SourceEngine) -> Knowledge:
        with self._mutex:
            key = source.model_dump_json()  # a source that was removed and added again is another one
            if key not in self._knowledge:
                self._knowledge[key] = self._make_knowledge(source, engine)
            return self._knowledge[key]


@contextmanager
def _engine_errors(prepared: _Prepared) -> Generator[None]:
    """Have an error of the engine as `StatementFailed`."""
    try:
        yield
    except BullpenError:
        raise
    except Exception as error:
        reason = prepared.engine.brief(error, values_hidden=prepared.hides_rows)
        if reason is None:
            raise
        source, words = Name(text=prepared.source.name), passage(reason.rstrip("."))
        if prepared.hides_rows:
            raise StatementFailed.of(say("refused.source.failed_behind_policies", source=source, reason=words)) from None
        raise StatementFailed.of(say("refused.source.failed", source=source, reason=words)) from None


def _explain(session: Session, prepared: _Prepared) -> None:
    """Planning costs nothing, and no engine estimates the cost of an EXPLAIN."""
    run_within(session, f"EXPLAIN {prepared.text}", prepared.values, prepared.source.limits.model_copy(update={"cost": None}))


def _say_limits(rows: Stream, source: Source, passage: Passage) -> None:
    """The verdict of lock 5 on a result that was read."""
    if rows.cut is None:
        passage.passed(Lock.LIMITS)
        return
    most = f"{source.limits.rows:,} rows" if rows.cut == "rows" else f"{source.limits.result_bytes:,} bytes"
    passage.passed(Lock.LIMITS, Verdict.CUT, f"The result was cut at {most}.")


def _introspected(_source: Source, engine: SourceEngine) -> Knowledge:
    return Introspected(engine.introspect)


def _check_values(tree: exp.Query, values: Values) -> None:
    """Each value has a place and each place a value."""
    named = {value.name for value in tree.find_all(exp.Placeholder)}
    if OWNER_VALUE in named or OWNER_VALUE in values:
        raise StatementRefused(Lock.PARSED, say("refused.source.reserved", name=Name(text=OWNER_VALUE)))
    if wrong := sorted(name for name in values if not VALUE.match(name)):
        raise InvalidInput.of(say("refused.source.value_name", given=quote(wrong[0][:60])))
    if named != set(values):
        if lacking := sorted(named - set(values)):
            raise InvalidInput.of(say("refused.source.no_value", places=names(lacking)))
        raise InvalidInput.of(say("refused.source.no_place", values=names(sorted(set(values) - named))))


def _bound(tree: exp.Query, values: Values, owner: str) -> Values:
    if any(value.name == OWNER_VALUE for value in tree.find_all(exp.Placeholder)):
        return {**values, OWNER_VALUE: owner}
    return values
