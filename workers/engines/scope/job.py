"""All that is known of one SCOPE job, ready to be asked: its parts, its stages by number, and the times that shares are taken of."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from contracts.base import Contract
from contracts.code import TableFacts
from contracts.scope import (
    ScopeDataFlow,
    ScopeErrors,
    ScopeFlowVertex,
    ScopeJobInfo,
    ScopeJobStatistics,
    ScopePlan,
    ScopeRuntimeStatistics,
    ScopeScriptFacts,
    ScopeStage,
    ScopeStream,
    ScopeStreamInfo,
    ScopeVertexRun,
)
from workers.engines.scope.record import table_name

SV = re.compile(r"SV(\d{1,8})", re.IGNORECASE)
DIGITS = re.compile(r"(\d{1,8})\D{0,3}$")
UNNUMBERED = 1_000_000
"""From here on stages are numbered whose names have no number."""

Part = TypeVar("Part", bound=Contract)


@dataclass(frozen=True)
class ScopeJob:
    """The parts; of a kind that should come once, the first."""

    facts: tuple[Contract, ...]
    tables: tuple[TableFacts, ...] = ()

    def all(self, kind: type[Part]) -> tuple[Part, ...]:
        """All parts of a kind."""
        return tuple(fact for fact in self.facts if isinstance(fact, kind))

    def first(self, kind: type[Part]) -> Part | None:
        """The first part of a kind."""
        return next((fact for fact in self.facts if isinstance(fact, kind)), None)

    @cached_property
    def script(self) -> ScopeScriptFacts | None:
        """The user's script, as far as it could be read."""
        return next((facts for facts in self.all(ScopeScriptFacts) if not facts.script.unreadable), None)

    @cached_property
    def statistics(self) -> ScopeJobStatistics | None:
        """The job statistics."""
        return self.first(ScopeJobStatistics)

    @cached_property
    def plans(self) -> tuple[ScopePlan, ...]:
        """The plans, those with keys first: an algebra tells more than a vertex definition."""
        return tuple(
            sorted(self.all(ScopePlan), key=lambda plan: -sum(bool(operator.columns) + bool(operator.line) for operator in plan.operators))
        )

    @cached_property
    def flow(self) -> ScopeDataFlow | None:
        """The data flow."""
        return self.first(ScopeDataFlow)

    @cached_property
    def flow_names(self) -> dict[str, ScopeFlowVertex]:
        """The nodes of the data flow by id."""
        return {vertex.vertex_id: vertex for vertex in self.flow.vertices} if self.flow else {}

    @cached_property
    def inputs(self) -> tuple[tuple[ScopeStream, str], ...]:
        """The streams that are read, each with the artefact that tells it."""
        found = [(stream, part.artefact) for part in self.all(ScopeStreamInfo) for stream in part.inputs]
        return tuple(found or [(stream, part.artefact) for part in self.all(ScopeJobInfo) for stream in part.inputs])

    @cached_property
    def stages(self) -> dict[int, ScopeStage]:
        """The stages of the job statistics by number."""
        return {
            self.number(stage.name or stage.stage_id, stage.stage_id): stage
            for stage in (self.statistics.stages if self.statistics else ())
        }

    @cached_property
    def runs(self) -> dict[int, tuple[ScopeVertexRun, str]]:
        """The vertices of the run-time statistics by number, each with its artefact."""
        return {self.number(run.vertex): (run, part.artefact) for part in self.all(ScopeRuntimeStatistics) for run in part.vertices}

    @cached_property
    def stage_ms(self) -> dict[int, int]:
        """How long each stage took: by the job statistics, else by the run-time statistics."""
        durations = {number: stage.duration_ms for number, stage in self.stages.items() if stage.duration_ms}
        return durations or {number: run.elapsed_ms for number, (run, _) in self.runs.items() if run.elapsed_ms}

    @cached_property
    def job_ms(self) -> int | None:
        """How long the job ran; none where no artefact tells it."""
        duration_ms = self.statistics.duration_ms if self.statistics else None
        ran = next((info.run_ms for info in self.all(ScopeJobInfo) if info.run_ms), None)
        return duration_ms or ran or sum(self.stage_ms.values()) or None

    @cached_property
    def timed_by(self) -> str:
        """The artefact that tells how long the stages took."""
        if any(stage.duration_ms for stage in self.stages.values()) and self.statistics:
            return self.statistics.artefact
        return next((artefact for run, artefact in self.runs.values() if run.elapsed_ms), "")

    @cached_property
    def has_failed(self) -> bool:
        """Its state says so, or there are errors and no state."""
        states = [info.state.lower() for info in self.all(ScopeJobInfo) if info.state]
        errors = any(part.errors for part in self.all(ScopeErrors))
        return any("fail" in state or "error" in state for state in states) or (errors and not states)

    @cached_property
    def _unnumbered(self) -> dict[str, int]:
        return {}

    def number(self, name: str, stage_id: str = "") -> int:
        """The number of a stage: of `SV3_Combine` and of a stage with the id `3` it is 3. A name without one gets its own."""
        found = SV.search(name) or SV.search(stage_id) or DIGITS.search(stage_id) or DIGITS.search(name)
        return int(found[1]) if found else self._unnumbered.setdefault(name.lower(), UNNUMBERED + len(self._unnumbered))

    def name(self, number: int) -> str:
        """What a reader knows the stage by."""
        stage, run = self.stages.get(number), self.runs.get(number)
        return (stage.name or stage.stage_id if stage else "") or (run[0].vertex if run else "") or f"SV{number}"

    def is_skewed(self, number: int) -> bool:
        """The engine calls tasks of the stage skewed."""
        return number in self.stages and bool(self.stages[number].skewed_tasks)

    def share_of_job(self, ms: float) -> float:
        """Of the job's time; 0 where that is not known."""
        return min(1.0, max(0.0, ms) / self.job_ms) if self.job_ms else 0.0

    def share_of_stages(self, numbers: Iterable[int]) -> float:
        """The part of the time of all stages that these stages take; 0 where the time is not known."""
        total = sum(self.stage_ms.values())
        return min(1.0, sum(self.stage_ms.get(number, 0) for number in set(numbers)) / total) if total else 0.0

    def table(self, name: str) -> TableFacts | None:
        """The metadata of a table by its own name."""
        return next((table for table in self.tables if name in (table.name, table_name(table.name))), None)

    def size_of(self, name: str) -> int:
        """A table's bytes, by its stream, its metadata or the data flow; 0 where none tells."""
        known = self.table(name)
        streams = [stream.size_bytes for stream, _ in self.inputs if table_name(stream.name) == name and stream.size_bytes]
        return max([*streams, known.size_bytes or 0 if known else 0, self._read_by_flow.get(name, 0)])

    def tables_into(self, vertex_id: str) -> frozenset[str]:
        """The tables that flow into a node of the data flow, through any others."""
        found: set[str] = set()
        seen, left = {vertex_id}, [vertex_id]
        while left:
            vertex = self.flow_names.get(number := left.pop())
            if vertex is not None and vertex.is_input and vertex.name:
                found.add(table_name(vertex.name))
            sources = {edge.source for edge in (self.flow.edges if self.flow else ()) if edge.target == number} - seen
            seen |= sources
            left += sources
        return frozenset(found)

    @cached_property
    def _read_by_flow(self) -> dict[str, int]:
        """Table → the bytes that the data flow shows to be read of it."""
        found: dict[str, int] = {}
        for edge in self.flow.edges if self.flow else ():
            vertex = self.flow_names.get(edge.source)
            if vertex is not None and vertex.is_input and vertex.name:
                found[table_name(vertex.name)] = found.get(table_name(vertex.name), 0) + (edge.size_bytes or 0)
        return found
