"""What goes into a package, with the function that makes text of it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from sqlglot import exp

from contracts.pipelines.analysis import AggregateWork, AnalysisResult
from contracts.pipelines.review import ReviewResult
from contracts.pipelines.script import ColumnLineage, SqlScript
from contracts.pipelines.trial import TrialReport
from contracts.pipelines.workflow import Workflow, WorkflowJob, WorkflowStage
from contracts.sql_review import ReviewTarget
from contracts.statements import Shown
from contracts.tables import ColumnDetail, TableDetail
from workers.engines.pipelines.package.column_types import Types, types_of
from workers.engines.pipelines.package.names import distinct, file_name
from workers.engines.pipelines.trial.design import lineage_of, passed_from
from workers.engines.sql.lineage import Lineage
from workers.engines.sql.names import KnownTables
from workers.engines.sql.script import Script, read_script

Text = Callable[[Shown], str]
"""A statement or a finished sentence as text in the reader's language."""


@dataclass(frozen=True)
class Contents:
    """All that the files are made from."""

    analysis: AnalysisResult
    workflow: Workflow
    scripts: tuple[SqlScript, ...]
    """In the order in which they run."""
    reviews: Sequence[ReviewResult]
    trial: TrialReport | None
    tables: tuple[TableDetail, ...]
    text: Text
    dialect: str
    zone: str = "UTC"
    """The IANA name of the time zone on whose clock the schedule is."""

    @cached_property
    def known(self) -> KnownTables:
        """The catalogue's tables by name."""
        return KnownTables(self.tables)

    @cached_property
    def lineage(self) -> Lineage:
        """Of all scripts together."""
        return lineage_of(self.scripts, self.tables, self.dialect)

    @cached_property
    def read(self) -> Script:
        """All statements with their names resolved. Raises `NotParsed`."""
        target = self.analysis.target
        wanted = ReviewTarget(table=target.table, columns=tuple(column.name for column in target.columns), key=target.key, mode=target.mode)
        statements = [statement for script in self.scripts for statement in script.statements]
        return read_script(statements, self.tables, self.dialect, wanted, self.analysis.requirement)

    @cached_property
    def names(self) -> dict[str, str]:
        """The name of each script's file or model, by job."""
        found: dict[str, str] = {}
        for script in self.scripts:
            found[script.job] = distinct(file_name(script.target, script.job), found.values())
        return found

    def job(self, script: SqlScript) -> WorkflowJob | None:
        """The job of a script."""
        return next((job for job in self.workflow.jobs if job.id == script.job), None)

    def depends(self, script: SqlScript) -> tuple[SqlScript, ...]:
        """The scripts that run before it."""
        job = self.job(script)
        wanted = set(job.depends) if job is not None else set[str]()
        return tuple(other for other in self.scripts if other.job in wanted)

    def makes(self, table: str) -> SqlScript | None:
        """The script whose target a table is."""
        full = self.full(table)
        return next((script for script in self.scripts if self.full(script.target) == full), None)

    def full(self, table: str) -> str:
        """The full name in lower case."""
        found = self.known.find(table)
        return (found.full_name if found is not None else table).lower()

    @cached_property
    def about(self) -> str:
        """What the table that was asked for is, in the words of who asked for it; empty: they did not say."""
        return self.text(self.analysis.target.description).strip() if self.analysis.target.description else ""

    @cached_property
    def sources(self) -> tuple[TableDetail, ...]:
        """The tables that the scripts read and do not make, in the order of their names."""
        targets = {self.full(script.target) for script in self.scripts}
        found = {table.full_name: table for table in self.read.inputs if table.full_name.lower() not in targets}
        return tuple(found[name] for name in sorted(found))

    def columns(self, script: SqlScript) -> tuple[ColumnDetail, ...]:
        """The documented columns of a script's target."""
        target = self.analysis.target
        if self.full(script.target) == self.full(target.table):
            return tuple(
                ColumnDetail(
                    name=column.name, type=self.type_of(column.name), description=self.text(column.description), nullable=column.nullable
                )
                for column in target.columns
            )
        known = self.known.find(script.target)
        return known.columns if known is not None else tuple(self._passing(script))

    def key(self, script: SqlScript) -> tuple[str, ...]:
        """The columns whose values no two rows share: of the table that was asked for as the requirement says; of one on the way to it as
        it was designed, else what its last step groups by. Empty: not known."""
        if self.is_final(script):
            return self.analysis.target.key
        if (designed := self._designed(script)) is not None:
            return designed.key
        job = self.job(script)
        last = next((step for step in self.analysis.steps if job is not None and job.step_ids and step.id == job.step_ids[-1]), None)
        return tuple(item.name for item in last.work.by) if last is not None and isinstance(last.work, AggregateWork) else ()

    def _designed(self, script: SqlScript) -> WorkflowStage | None:
        """What an architect says of a table on the way."""
        job = self.job(script)
        return job.stages[-1] if job is not None and job.stages[-1].columns else None

    def _passing(self, script: SqlScript) -> Iterator[ColumnDetail]:
        """The columns of a table on the way: as they were designed, what they mean in the table that was asked for, or where they come
        from."""
        key, designed = self.key(script), self._designed(script)
        stated = designed.columns if designed is not None else ()
        types = {column.name: column.type for column in stated}
        asked = {column.name: column.description for column in (*self.analysis.target.columns, *stated) if column.description}
        made = self.types.get(script.target.rpartition(".")[2].lower(), {})
        known = {item.column: item for item in script.lineage}
        for item in (known.get(name, ColumnLineage(column=name)) for name in types) if types else script.lineage:
            sources = [found for origin in item.origins if (found := self._source_column(*origin)) is not None]
            is_passed = len(sources) == 1 and sources[0].name == item.column
            yield ColumnDetail(
                name=item.column,
                type=types.get(item.column) or (sources[0].type if is_passed else "") or made.get(item.column.lower(), ""),
                description=self.text(asked[item.column]) if item.column in asked else sources[0].description if is_passed else "",
                nullable=False
                if item.column in key and len(sources) == len(item.origins) > 0 and all(source.nullable is False for source in sources)
                else None,
            )

    def _source_column(self, table: str, column: str) -> ColumnDetail | None:
        found = self.known.find(table)
        return next((item for item in found.columns if item.name == column), None) if found is not None else None

    def origins(self, script: SqlScript) -> dict[str, tuple[tuple[str, str], ...]]:
        """The columns that each column of a script's target is computed from: as the script states, else as it is read from the SQL. A
        count of rows comes from no column."""
        counts = self._counts(script)
        if script.lineage:
            return {item.column: () if item.column in counts else tuple(dict.fromkeys(item.origins)) for item in script.lineage}
        found: dict[str, list[tuple[str, str]]] = {}
        for edge in self.lineage.columns:
            if self.full(edge.target_table) == self.full(script.target) and edge.source_table and edge.source_column not in ("", "*"):
                found.setdefault(edge.target_column, []).append((edge.source_table, edge.source_column))
        found.update({column: [] for column in counts})
        return {column: tuple(dict.fromkeys(edges)) for column, edges in found.items()}

    def sources_of(self, column: str) -> tuple[tuple[str, str], ...]:
        """The columns of the sources from which a column of the target is computed, through the tables on the way. What only counts rows of
        a table on the way ends there."""
        final = next((script for script in self.scripts if self.is_final(script)), None)
        return tuple(dict.fromkeys(self._followed(final, column, frozenset()))) if final is not None else ()

    def _followed(self, script: SqlScript, column: str, seen: frozenset[str]) -> Iterator[tuple[str, str]]:
        for table, source in self.origins(script).get(column, ()):
            maker = self.makes(table)
            if maker is None or maker.job in seen or maker is script:
                yield table, source
                continue
            found = list(self._followed(maker, source, seen | {script.job}))
            yield from found or [(table, source)]

    def _counts(self, script: SqlScript) -> set[str]:
        """Columns that are computed from no column, such as a count of rows."""
        roots = [
            part.resolved.root
            for part in self.read.parts
            if part.resolved.target is not None and self.full(part.resolved.target.table_name) == self.full(script.target)
        ]
        outputs = [output for root in roots if root is not None for output in root.outputs]
        return {output.name for output in outputs if output.node is not None and output.node.find(exp.Column) is None}

    def type_of(self, column: str) -> str:
        """The documented type of a column of the target; of one that is passed on, the type of the source's column. Empty: not known."""
        target = self.analysis.target
        documented = next((item.type for item in target.columns if item.name == column), "")
        if documented:
            return documented
        found = passed_from(self.read, target.table, column)
        names = {item.name.lower(): item.type for item in found[0].columns} if found is not None else {}
        passed = names.get(found[1], "") if found is not None else ""
        return passed or self.types.get(target.table.rpartition(".")[2].lower(), {}).get(column.lower(), "")

    @cached_property
    def types(self) -> Types:
        """The types of what the scripts compute."""
        return types_of([part.tree for part in self.read.parts], self.tables, self.dialect)

    def is_final(self, script: SqlScript) -> bool:
        """It makes the table that was asked for."""
        return self.full(script.target) == self.full(self.analysis.target.table)
