"""What is known of a job: the facts of every artefact that was read, each with where it comes from, and the findings on them."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

from contracts.artefacts import (
    ConfigurationFacts,
    LogFacts,
    PlanText,
    ShuffleLog,
    SkewReport,
    SourceText,
    StageRow,
    StageTable,
    TableMetadata,
)
from contracts.base import Contract
from contracts.bundles import Artefact, ArtefactRead
from contracts.code import ScriptFacts, TableFacts
from contracts.spark import RunFacts, SqlExecution
from contracts.statements import Sayable, Statement, Value, quote, say
from contracts.verdicts import Findings, VerdictKind
from workers.bundles.facts import Outline
from workers.engines.artefacts.kinds import Parsed
from workers.engines.scope.job import ScopeJob
from workers.engines.scripts.given import NamedScript
from workers.engines.scripts.several import in_one
from workers.engines.spark.same_application import LoggedApplication, OtherApplication, misfit
from workers.engines.spark.verdicts.planned import planned
from workers.engines.spark.verdicts.reports import judge_reports
from workers.engines.spark.verdicts.script_loops import repeated_in_script
from workers.engines.verdicts import heaviest_first
from workers.kinds.tune.rules.classify import classify
from workers.kinds.tune.rules.findings import NO_SCRIPT, NO_SCRIPT_SAID, find, heaviest_of_each
from workers.kinds.tune.rules.saying import shown_name
from workers.kinds.tune.rules.scope_findings import find_scope

F = TypeVar("F", bound=Contract)

NOTHING_MEASURED = say("tune.not_known.nothing_measured")
PLAN_ALONE = say("tune.not_known.plan_alone")
TASKS_NOT_SEEN = say("tune.not_known.tasks_not_seen")
"""A table of stages without figures of single tasks: it shows neither skew nor that there is none."""

SCOPE = "scope_"
"""How the kinds of a SCOPE job's artefacts begin."""


@dataclass(frozen=True)
class ReadFacts:
    """One artefact that was read. Its facts are loaded when they are first asked for: those of a log may be large."""

    read: ArtefactRead
    load: Callable[[], tuple[Contract, ...]] = tuple
    shapes: frozenset[str] | None = frozenset()
    """The names of the contracts that the facts are of; None: they have to be looked at."""
    basis: str | None = None
    """What the facts follow from: equal bases have equal facts. None: they may differ when the artefact is read again."""

    @classmethod
    def of(
        cls,
        artefact: Artefact,
        outcome: Parsed | Outline,
        load: Callable[[], tuple[Contract, ...]],
        *,
        reason: Sayable,
        number: int = 0,
        shapes: frozenset[str] | None = None,
        basis: str | None = None,
    ) -> "ReadFacts":
        """What a parser made of an artefact, with why it was chosen and in which round."""
        read = ArtefactRead(
            name=artefact.name,
            kind=artefact.kind,
            sha256=artefact.sha256,
            round=number,
            reason=reason,
            tells=tuple(sorted(outcome.tells)),
            summary=outcome.summary,
            problem=outcome.problem,
        )
        return cls(read, load, shapes, basis)

    @cached_property
    def facts(self) -> tuple[Contract, ...]:
        """All of them. Raises what `load` raises."""
        return self.load()

    def each(self, shape: type[F]) -> Iterator[F]:
        """The facts of a shape; nothing is loaded where there are none."""
        if self.shapes is None or shape.__name__ in self.shapes:
            yield from (fact for fact in self.facts if isinstance(fact, shape))


@dataclass(frozen=True, slots=True)
class Known:
    """The artefacts of a job that were read so far, in the order of reading."""

    reads: tuple[ReadFacts, ...] = ()
    left_out: frozenset[str] = frozenset()
    """Names of scripts that count for nothing: those of another application."""

    def without(self, names: Iterable[str]) -> "Known":
        """The same without these scripts."""
        return replace(self, left_out=self.left_out | set(names))

    @property
    def read(self) -> tuple[ArtefactRead, ...]:
        """Without the facts."""
        return tuple(artefact.read for artefact in self.reads)

    def each(self, shape: type[F]) -> Iterator[F]:
        """Every fact of one shape."""
        for artefact in self.reads:
            yield from artefact.each(shape)

    @property
    def run(self) -> RunFacts | None:
        """What the event log measured; of several logs the one read first."""
        return next(self.each(RunFacts), None)

    @property
    def tables(self) -> tuple[TableFacts, ...]:
        """The tables' metadata. For a table that is described twice, the first description is kept."""
        tables: dict[str, TableFacts] = {}
        for table in (table for metadata in self.each(TableMetadata) for table in metadata.tables):
            tables.setdefault(table.name, table)
        return tuple(tables.values())

    @property
    def scripts(self) -> tuple[NamedScript, ...]:
        """The scripts with their texts, without those that are left out."""
        found: list[NamedScript] = []
        for artefact in self.reads:
            facts = next(artefact.each(ScriptFacts), None)
            if facts is not None and artefact.read.name not in self.left_out:
                text = next((fact.text for fact in artefact.each(SourceText)), "")
                found.append(NamedScript(artefact.read.name, facts, text))
        return tuple(found)

    @property
    def script(self) -> ScriptFacts:
        """All scripts as one."""
        return _in_one(self.scripts)

    def others(self) -> tuple[OtherApplication, ...]:
        """The scripts of another application than the event log or, without one, the plain logs."""
        scripts = self.scripts
        if not scripts:
            return ()
        run = self.run
        logged = LoggedApplication.of_run(run) if run is not None else LoggedApplication.of_logs(tuple(self.each(LogFacts)))
        return tuple(found for script in scripts if (found := misfit(logged, script)))

    @property
    def plans(self) -> tuple[SqlExecution, ...]:
        """The plans of the first text of `EXPLAIN`, where no run was measured."""
        return next((text.executions for text in self.each(PlanText)), ()) if self.run is None else ()

    @property
    def other_engine(self) -> str:
        """The engine of the job, where no run was measured and a log or a script is of one that is not judged."""
        is_spark = any(log.application for log in self.each(LogFacts)) or any(self.each(StageTable))
        if self.run is not None or is_spark:
            return ""
        scripts = (script.facts.engine for script in self.scripts)
        return next((engine for engine in (*(log.engine for log in self.each(LogFacts)), *scripts) if engine), "")

    @property
    def settings(self) -> dict[str, str]:
        """Of the files of configuration; of a setting that several have, the first."""
        return {name: value for facts in reversed(tuple(self.each(ConfigurationFacts))) for name, value in facts.settings.items()}

    @property
    def scope(self) -> ScopeJob | None:
        """What was read of a SCOPE job; None for a job of another engine."""
        if not any(artefact.read.kind.startswith(SCOPE) for artefact in self.reads) or self.run is not None:
            return None
        return ScopeJob(tuple(fact for artefact in self.reads for fact in artefact.facts), self.tables)

    def findings(self) -> Findings:
        """The verdicts on everything that was read but scripts of another application, and the class. A Spark run is judged by its event
        log; without one, by what tables of stages, reports and logs say; a SCOPE job by its own artefacts and by these."""
        others = self.others()
        if others:
            found = self.without(other.script for other in others)._findings()
            is_none_left = len(others) == len(self.scripts)
            rest = [text for text in found.not_known if not (is_none_left and text == NO_SCRIPT_SAID)]
            return found.model_copy(update={"not_known": (*map(of_another, others), *rest)})
        return self._findings()

    @property
    def _has_measures(self) -> bool:
        """Something of a run was read, if not its event log."""
        is_scope = any(artefact.read.kind.startswith(SCOPE) for artefact in self.reads)
        return is_scope or any(True for shape in (StageTable, SkewReport, ShuffleLog, LogFacts) for _ in self.each(shape))

    def _findings(self) -> Findings:
        run = self.run
        if run is not None:
            return find(run, self.script, self.tables)
        not_known: list[Sayable] = []
        verdicts = judge_reports(
            tuple(self.each(StageTable)),
            tuple(self.each(SkewReport)),
            tuple(self.each(ShuffleLog)),
            tuple(self.each(LogFacts)),
            tuple(self.each(ConfigurationFacts)),
            self.script,
        )
        script = self.script
        verdicts = (*verdicts, *planned(tuple(self.each(PlanText)), script), *repeated_in_script(script))
        if any(artefact.read.kind.startswith(SCOPE) for artefact in self.reads):
            scope = find_scope((fact for artefact in self.reads for fact in artefact.facts), self.tables)
            verdicts, not_known = (*verdicts, *scope.verdicts), list(scope.not_known)
        elif not any(verdict.share for verdict in verdicts if verdict.kind is not VerdictKind.REPEATED_PLANS):
            tables = [row for table in self.each(StageTable) for row in table.rows]
            if not any(map(_compares_tasks, tables)):
                not_known.append(TASKS_NOT_SEEN if tables else NOTHING_MEASURED)
        if any(self.each(PlanText)) and not self._has_measures:
            not_known = [PLAN_ALONE, *(text for text in not_known if text != NOTHING_MEASURED)]
        shown = heaviest_of_each(heaviest_first(verdicts), not_known)
        return classify(tuple(shown), tuple(not_known))


def _compares_tasks(row: StageRow) -> bool:
    """Whether a stage has its heaviest task beside the others."""
    others = (row.task_median_ms, row.task_mean_ms, row.task_ms, row.task_median_bytes, row.task_median_records)
    heaviest = (row.task_max_ms, row.task_max_bytes, row.task_max_records)
    return any(value is not None for value in heaviest) and any(value is not None for value in others)


def of_another(other: OtherApplication) -> Statement:
    """That no line of a script is named, and why."""
    values: dict[str, Value] = {"script": shown_name(other.script)}
    if other.of and other.log:
        return say("tune.not_known.other_application", **values, of=quote(other.of), log=quote(other.log))
    return say("tune.not_known.other_data", **values)


def _in_one(scripts: Sequence[NamedScript]) -> ScriptFacts:
    return in_one({script.name: script.facts for script in scripts}) if scripts else NO_SCRIPT
