"""The case of a `tune` job as its roles see it: the request, the catalogue, and the artefacts that are read for a step.

What a step has read is no part of its deliverable but by name, hash and summary: the facts are kept per artefact (workers/bundles),
so that reading again what an earlier step has read costs a look-up.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from contracts.base import content_hash
from contracts.bundles import Artefact, ArtefactRead, Catalogue, Information
from contracts.stages import INPUT
from contracts.tune.request import TuneRequest
from workers.bundles import ArtefactReader, KeptFiles, kept_files
from workers.bundles.registry import Kinds, kinds_here
from workers.bundles.shipped import UNKNOWN
from workers.engines.artefacts.kinds import ArtefactSource
from workers.engines.language import Lang, language_of
from workers.kinds.tune.roles.judging import judgement
from workers.kinds.tune.rules.judged import Judged
from workers.kinds.tune.rules.known import Known, ReadFacts
from workers.kinds.tune.rules.recommend.needs import can_tell
from workers.roles.base import StepContext

CATALOGUE = "bundle"
"""The stage that holds it."""

FOREIGN_KIND = {
    "en": "not every worker knows its kind `{kind}`, so it may not have been read; install the package that offers it on all of them.",
    "zh": "并非每个 worker 都认识它的类型 `{kind}`，因此它可能未被读取；请在所有 worker 上安装提供该类型的软件包。",
}

NOT_THERE = "The bundle has no artefact of this name."


@dataclass(frozen=True, slots=True)
class Chosen:
    """An artefact to be read, and why."""

    name: str
    reason: str
    round: int = 0
    """0: at the beginning, without being asked for."""


class Case:
    """What the roles of one job share. The catalogue on the board says what there is; a file is opened only when nothing is known of it
    yet. Then it raises what `kept_files` raises."""

    def __init__(self, ctx: StepContext) -> None:
        self.request = ctx.need(TuneRequest, INPUT)
        self.catalogue = ctx.need(Catalogue, CATALOGUE)
        self.kinds: Kinds = kinds_here()
        self._ctx = ctx
        self._reader = ArtefactReader(ctx.services.database, self.kinds, self._source, attempt=self.request.attempt)

    @cached_property
    def _files(self) -> KeptFiles:
        return kept_files(self.catalogue, self.request.bundle, self._ctx.services.settings)

    def _source(self, artefact: Artefact) -> ArtefactSource:
        return self._files.source(artefact, attempt=self.request.attempt)

    @property
    def language(self) -> Lang:
        """Of everything that is said to the user."""
        return self.request.language or language_of(self.request.description)

    def read(self, chosen: Iterable[Chosen]) -> Known:
        """What stands in the artefacts, each read once, in the order chosen. One that cannot be read is told as such."""
        by_name = {artefact.name: artefact for artefact in self.catalogue.artefacts}
        first: dict[str, Chosen] = {}
        for one in chosen:
            first.setdefault(one.name, one)
        reads: list[ReadFacts] = []
        for one in first.values():
            self._ctx.check_stopped()
            reads.append(self._read(by_name.get(one.name), one))
        return Known(tuple(reads))

    def judged(self, known: Known) -> Judged:
        """The verdicts on these artefacts and what else several steps need of their facts, worked out by the first of them."""
        return judgement(self._ctx.services.database, known)

    def _read(self, artefact: Artefact | None, chosen: Chosen) -> ReadFacts:
        if artefact is None:
            nothing = ArtefactRead(name=chosen.name, kind=UNKNOWN, round=chosen.round, reason=chosen.reason, problem=NOT_THERE)
            return ReadFacts(nothing, basis=content_hash([NOT_THERE, chosen.name]))
        reading = self._reader.read(artefact)
        return ReadFacts.of(
            artefact,
            reading.outline,
            lambda: reading.facts,
            reason=chosen.reason,
            number=chosen.round,
            shapes=frozenset(reading.outline.shapes),
            basis=reading.basis,
        )

    def scripts(self) -> list[str]:
        """Names of the user's own code, the largest first."""
        telling = [one for one in self.catalogue.artefacts if Information.SCRIPT_LOGIC in can_tell(one, self.kinds)]
        return [one.name for one in sorted(telling, key=lambda one: (-one.size_bytes, one.name))]

    def of_foreign_kinds(self) -> list[str]:
        """A line about each artefact of a kind that another worker's package offers and this one has not."""
        words = FOREIGN_KIND[self.language]
        return [f"{one.name}: {words.format(kind=one.kind)}" for one in self.catalogue.artefacts if one.kind not in self.kinds]


def again(read: Iterable[ArtefactRead]) -> list[Chosen]:
    """The same choice, for a later step."""
    return [Chosen(one.name, one.reason, one.round) for one in read]


def asked_for(ctx: StepContext) -> list[Chosen]:
    """What the information check has asked this stage to read, round by round."""
    return [
        Chosen(str(one["name"]), str(one["reason"]), number)
        for number, asked in enumerate(ctx.delegated(), start=1)
        for one in asked.get("read", [])
    ]
