"""What a remedy is chosen from: the findings, the run with its settings, the scripts and the tables, ready to be asked."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from contracts.code import OperationKind, ScriptOperation, TableFacts
from contracts.figures import FigureId
from contracts.spark import RunFacts, SqlExecution, StageFacts
from contracts.verdicts import ColumnRef, Findings, KeyStatistics, ScriptSpot, Verdict
from workers.engines.scope.job import ScopeJob
from workers.engines.scope.script import LANGUAGE as SCOPE
from workers.engines.scripts.given import NamedScript
from workers.engines.spark.plan import Plan
from workers.engines.spark.verdicts.measures import TaskMeasure
from workers.engines.verdicts import figure_of
from workers.kinds.tune.rules.advice.rewrites.source import Source

VERSION = re.compile(r"(\d{1,3})\.(\d{1,3})")
ADAPTIVE_SINCE = (3, 0)
ADAPTIVE_BY_DEFAULT = (3, 2)


@dataclass(frozen=True)
class Case:
    """One slow job."""

    findings: Findings
    run: RunFacts | None
    scripts: Sequence[NamedScript]
    tables: tuple[TableFacts, ...]
    scope: ScopeJob | None = None
    """What was read of a SCOPE job; None for Spark."""
    settings: Mapping[str, str] = field(default_factory=dict[str, str])
    """By files of configuration, for what the run and its scripts do not say."""
    plans: Sequence[SqlExecution] = ()
    """Of a text of `EXPLAIN`, where no run was measured."""
    sources: dict[str, Source | None] = field(default_factory=dict[str, Source | None])
    """Syntax trees already made, by the script's name."""

    @cached_property
    def version(self) -> tuple[int, int] | None:
        """Spark's, as (3, 5); None when it is not known."""
        found = VERSION.match((self.run.spark_version if self.run else None) or "")
        return (int(found[1]), int(found[2])) if found else None

    @cached_property
    def is_scope(self) -> bool:
        """The job runs on SCOPE or U-SQL rather than on Spark."""
        return self.run is None and any(script.facts.language == SCOPE for script in self.scripts)

    @property
    def executions(self) -> Sequence[SqlExecution]:
        """The queries of the run."""
        return self.run.executions if self.run else ()

    @property
    def slots(self) -> int:
        """Tasks that could run at the same time; one where it is not known."""
        return (self.run.slots if self.run else None) or 1

    def setting(self, name: str) -> str | None:
        """As the run had it: the session's own value over that of the application, over what the script says, over
        what a file of configuration says."""
        for execution in reversed(self.executions):
            if name in execution.configuration:
                return execution.configuration[name]
        configured = self.run.configuration.get(name) if self.run else None
        return (
            configured
            if configured is not None
            else next((script.facts.settings[name] for script in self.scripts if name in script.facts.settings), self.settings.get(name))
        )

    def is_on(self, name: str, *, by_default: bool) -> bool:
        """Of a setting that is true or false."""
        value = self.setting(name)
        return by_default if value is None else value.strip().lower() == "true"

    @property
    def may_be_adaptive(self) -> bool:
        """The version has adaptive execution."""
        return self.version is not None and self.version >= ADAPTIVE_SINCE

    @property
    def is_adaptive(self) -> bool:
        """Adaptive execution is on."""
        by_default = self.version is not None and self.version >= ADAPTIVE_BY_DEFAULT
        return self.may_be_adaptive and self.is_on("spark.sql.adaptive.enabled", by_default=by_default)

    def stage(self, stage_id: int) -> StageFacts | None:
        """The last attempt of a stage."""
        return next((stage for stage in reversed(self.run.stages if self.run else ()) if stage.stage_id == stage_id), None)

    def plan_of(self, verdict: Verdict) -> Plan | None:
        """The plan that a verdict's operators belong to."""
        number = verdict.blame.execution_id
        return next(
            (
                Plan(execution)
                for execution in (self.run.executions if self.run else self.plans)
                if execution.execution_id == number and execution.nodes
            ),
            None,
        )

    def script_at(self, spot: ScriptSpot) -> NamedScript | None:
        """The script that has the operation of a spot there."""
        named = [script for script in self.scripts if spot.artefact in ("", script.name)]
        return next((script for script in named if self.operation(script, spot) is not None), None)

    def operation(self, script: NamedScript, spot: ScriptSpot) -> ScriptOperation | None:
        """The operation of a spot."""
        return next(
            (
                operation
                for operation in script.facts.operations
                if (operation.line, operation.column, operation.text) == (spot.line, spot.column, spot.text)
            ),
            None,
        )

    def spot(self, verdict: Verdict, *kinds: OperationKind) -> ScriptSpot | None:
        """The first spot of a verdict that is of these kinds; any where none is named."""
        return next((spot for spot in verdict.blame.spots if not kinds or spot.operation in kinds), None)

    def code_of(self, verdict: Verdict, *kinds: OperationKind) -> tuple[ScriptSpot | None, NamedScript | None, Source | None]:
        """The verdict's spot, its script and the script's syntax tree; None for each that does not exist."""
        spot = self.spot(verdict, *kinds)
        script = self.script_at(spot) if spot else None
        return spot, script, self.source(script)

    def source(self, script: NamedScript | None) -> Source | None:
        """Its syntax tree; None where it is no Python."""
        if script is None or script.facts.language == "scala":
            return None
        if script.name not in self.sources:
            self.sources[script.name] = Source.read(script.text)
        return self.sources[script.name]

    def calls_of(self, script: NamedScript | None) -> Source | None:
        """The same, and of a Scala script a tree of its calls, for what is written alike in both languages."""
        if script is None or script.facts.language != "scala":
            return self.source(script)
        if script.name not in self.sources:
            self.sources[script.name] = Source.read_scala(script.text)
        return self.sources[script.name]

    def uneven_by(self, verdict: Verdict) -> TaskMeasure | None:
        """What the heaviest task of a skewed stage has most of; None where the event log does not say."""
        heaviest = self.value(verdict, FigureId.HEAVIEST_TASK)
        stage = self.stage(verdict.stage_ids[0]) if verdict.stage_ids else None
        spreads = stage.distributions if stage else {}
        return next((measure for measure in TaskMeasure if measure in spreads and spreads[measure].max == heaviest), None)

    def keys(self, verdict: Verdict) -> tuple[KeyStatistics, ...]:
        """The heavy keys of the heaviest column."""
        named = verdict.blame.keys
        return tuple(key for key in named if key.column == named[0].column)

    def column(self, verdict: Verdict) -> ColumnRef | None:
        """The first column that the verdict is about."""
        return next(iter(verdict.blame.columns), None)

    def column_type(self, column: ColumnRef) -> str:
        """The type that the table's metadata gives; empty when it gives none."""
        return next((table.columns.get(column.column, "") for table in self.tables if table.name == column.table), "")

    def value(self, verdict: Verdict, id: FigureId) -> float | None:
        """A figure of the verdict."""
        found = figure_of(verdict, id)
        return None if found is None else found.value
