"""The case of a `tune` job as its roles see it: the request, the catalogue, and the artefacts that are read for a step.

What a step has read is no part of its deliverable but by name, hash and summary: the facts are kept per artefact (workers/bundles),
so that reading again what an earlier step has read costs a look-up.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from contracts.bundles import Artefact, ArtefactRead, Catalogue, Information
from contracts.stages import INPUT
from contracts.tune.request import TuneRequest
from workers.bundles import OpenBundle, open_job_bundle, read_artefact
from workers.bundles.registry import Kinds
from workers.bundles.shipped import UNKNOWN
from workers.engines.language import Lang, language_of
from workers.errors import Conflict
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
    """What the roles of one job share. Raises what `open_job_bundle` raises, and `Conflict` when a catalogue does not say where its files
    are kept and those that the request names have changed."""

    def __init__(self, ctx: StepContext) -> None:
        self.request = ctx.need(TuneRequest, INPUT)
        self.catalogue = ctx.need(Catalogue, CATALOGUE)
        self._ctx = ctx

    @cached_property
    def _bundle(self) -> OpenBundle:
        bundle = open_job_bundle(self.catalogue.kept or self.request.bundle, self._ctx.services.settings)
        if bundle.catalogue.content_hash != self.catalogue.content_hash:
            raise Conflict(
                f"The files of {self.request.bundle} have changed since job {self._ctx.job_id} began, so that its steps would read "
                "different ones. Submit it again."
            )
        return bundle

    @property
    def kinds(self) -> Kinds:
        """What artefacts can be, by name."""
        return self._bundle.kinds

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

    def _read(self, artefact: Artefact | None, chosen: Chosen) -> ReadFacts:
        if artefact is None:
            nothing = ArtefactRead(name=chosen.name, kind=UNKNOWN, round=chosen.round, reason=chosen.reason, problem=NOT_THERE)
            return ReadFacts(nothing, ())
        parsed = read_artefact(self._ctx.services.database, self._bundle, artefact, self.kinds, attempt=self.request.attempt)
        return ReadFacts.of(artefact, parsed, reason=chosen.reason, number=chosen.round)

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
