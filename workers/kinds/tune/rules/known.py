"""What is known of a job: the facts of every artefact that was read, each with where it comes from, and the findings on them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from contracts.artefacts import ConfigurationFacts, LogFacts, ShuffleLog, SkewReport, SourceText, StageTable, TableMetadata
from contracts.base import Contract
from contracts.bundles import Artefact, ArtefactRead
from contracts.code import ScriptFacts, TableFacts
from contracts.spark import RunFacts
from contracts.verdicts import Findings
from workers.engines.artefacts.kinds import Parsed
from workers.engines.scripts.given import NamedScript
from workers.engines.scripts.several import in_one
from workers.engines.verdicts.order import RANK
from workers.engines.spark.verdicts.reports import judge_reports
from workers.kinds.tune.rules.classify import classify
from workers.kinds.tune.rules.findings import NO_SCRIPT, find, heaviest_of_each
from workers.kinds.tune.rules.scope_findings import find_scope

F = TypeVar("F", bound=Contract)

NOTHING_MEASURED = "Nothing measured of the run was read: without an event log, statistics or a report there are no verdicts."

SCOPE = "scope_"
"""How the kinds of a SCOPE job's artefacts begin."""


@dataclass(frozen=True, slots=True)
class ReadFacts:
    """One artefact that was read, with the facts in it."""

    read: ArtefactRead
    facts: tuple[Contract, ...]

    @classmethod
    def of(cls, artefact: Artefact, parsed: Parsed, *, reason: str, number: int = 0) -> "ReadFacts":
        """What a parser made of an artefact, with why it was chosen and in which round."""
        read = ArtefactRead(
            name=artefact.name,
            kind=artefact.kind,
            sha256=artefact.sha256,
            round=number,
            reason=reason,
            tells=tuple(sorted(parsed.tells)),
            summary=parsed.summary,
            problem=parsed.problem,
        )
        return cls(read, parsed.facts)


@dataclass(frozen=True, slots=True)
class Known:
    """The artefacts of a job that were read so far, in the order of reading."""

    reads: tuple[ReadFacts, ...] = ()

    @property
    def read(self) -> tuple[ArtefactRead, ...]:
        """Without the facts."""
        return tuple(one.read for one in self.reads)

    def each(self, shape: type[F]) -> Iterator[F]:
        """Every fact of one shape."""
        for one in self.reads:
            yield from (fact for fact in one.facts if isinstance(fact, shape))

    @property
    def run(self) -> RunFacts | None:
        """What the event log measured; of several logs the one read first."""
        return next(self.each(RunFacts), None)

    @property
    def tables(self) -> tuple[TableFacts, ...]:
        """The tables' metadata; of a table told twice the first word stays."""
        told: dict[str, TableFacts] = {}
        for table in (table for metadata in self.each(TableMetadata) for table in metadata.tables):
            told.setdefault(table.name, table)
        return tuple(told.values())

    @property
    def scripts(self) -> tuple[NamedScript, ...]:
        """The scripts with their texts."""
        found: list[NamedScript] = []
        for one in self.reads:
            facts = next((fact for fact in one.facts if isinstance(fact, ScriptFacts)), None)
            text = next((fact.text for fact in one.facts if isinstance(fact, SourceText)), "")
            if facts is not None:
                found.append(NamedScript(one.read.name, facts, text))
        return tuple(found)

    def findings(self) -> Findings:
        """The verdicts on everything that was read, and the class. A Spark run is judged by its event log; without one, by what
        tables of stages, reports and logs say; a SCOPE job by its own artefacts and by these."""
        run = self.run
        if run is not None:
            return find(run, _in_one(self.scripts), self.tables)
        not_known: list[str] = []
        verdicts = judge_reports(
            tuple(self.each(StageTable)),
            tuple(self.each(SkewReport)),
            tuple(self.each(ShuffleLog)),
            tuple(self.each(LogFacts)),
            tuple(self.each(ConfigurationFacts)),
        )
        if any(one.read.kind.startswith(SCOPE) for one in self.reads):
            scope = find_scope((fact for one in self.reads for fact in one.facts), self.tables)
            verdicts, not_known = (*verdicts, *scope.verdicts), list(scope.not_known)
        elif not verdicts:
            not_known.append(NOTHING_MEASURED)
        shown = heaviest_of_each(tuple(sorted(verdicts, key=lambda one: (RANK[one.severity], -one.share))), not_known)
        return classify(tuple(shown), tuple(not_known))


def _in_one(scripts: Sequence[NamedScript]) -> ScriptFacts:
    return in_one({script.name: script.facts for script in scripts}) if scripts else NO_SCRIPT
