"""The case of a `tune` job as its roles see it: the request, the catalogue, and the artefacts that are read for a step.

What a step has read is no part of its deliverable but by name, hash and summary: the facts are kept per artefact (workers/bundles),
so that reading again what an earlier step has read costs a look-up.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from pydantic import TypeAdapter

from contracts.base import content_hash
from contracts.bundles import Artefact, ArtefactRead, Catalogue, Information
from contracts.stages import INPUT
from contracts.statements import Sayable, Statement, name, say
from contracts.tune.request import TuneRequest
from contracts.tune.runs import RunsCompared
from workers.bundles import ArtefactReader, KeptFiles, kept_files, require_own
from workers.bundles.registry import Kinds, kinds_here
from workers.bundles.shipped import UNKNOWN
from workers.engines.artefacts.kinds import ArtefactSource
from workers.engines.language import language_of
from workers.errors import NotFound, StoreUnavailable
from workers.kinds.tune.playbook import RUNS
from workers.kinds.tune.roles.judging import judgement
from workers.kinds.tune.rules.judged import Judged
from workers.kinds.tune.rules.known import SCOPE, Known, ReadFacts
from workers.kinds.tune.rules.recommend.needs import can_tell
from workers.kinds.tune.rules.runs import of_one_run
from workers.kinds.tune.rules.saying import shown_name
from workers.roles.base import StepContext
from workers.saying import text_of

CATALOGUE = "bundle"
"""The stage that holds it."""

NOT_THERE = say("tune.read.not_there")
WHY_ANYWAY = say("tune.read.anyway")
WHY_EDITED = say("tune.read.edited")

ALSO_ANYWAY = {"scope_generated_code", "scope_stream_info"}
"""Kinds that are read as well: how inputs are partitioned refutes a hint that other files cannot."""

MOST_ANYWAY = 8
"""Files of a SCOPE job that are read without a question: seven kinds, of which a job seldom has a second file."""


_SAYABLE: TypeAdapter[Sayable] = TypeAdapter(Sayable)


@dataclass(frozen=True, slots=True)
class Chosen:
    """An artefact to be read, and why."""

    name: str
    reason: Sayable
    round: int = 0
    """0: at the beginning, without being asked for."""


class Case:
    """What the roles of one job share. The catalogue on the board says what there is; a file is opened only when nothing is known of it
    yet. Reading raises what `kept_files` raises, and the case of another owner's files
    `NotFound`."""

    def __init__(self, ctx: StepContext, *, any_attempt: bool = False) -> None:
        """`any_attempt`: of each application its last attempt is read, whichever the request names."""
        given = ctx.need(TuneRequest, INPUT)
        self.request = given if given.bundle else given.model_copy(update={"description": ""})  # that is a file, and nobody's words
        self.runs = next(iter(ctx.family(RunsCompared, RUNS).values()), RunsCompared())
        self.catalogue = _of_its_run(ctx.need(Catalogue, CATALOGUE), self.runs)
        self.kinds: Kinds = kinds_here()
        self._ctx = ctx
        require_own(ctx.services.database, self.catalogue.kept or self.request.bundle, ctx.owner)
        self._attempt = None if any_attempt else self.request.attempt
        self._reader = ArtefactReader(ctx.services.database, self.kinds, self._source, attempt=self._attempt)

    @cached_property
    def _files(self) -> KeptFiles:
        return kept_files(self.catalogue, self.request.bundle, self._ctx.services.settings)

    def _require_part(self, artefact: Artefact) -> None:
        """What is known of a file by its hash is for those who have the file: an operator may have edited the catalogue. Raises `NotFound`.
        A machine that does not reach the store goes by what is known."""
        try:
            files = self._files
        except (NotFound, StoreUnavailable):
            return
        files.parts_of(artefact)

    def _source(self, artefact: Artefact) -> ArtefactSource:
        return self._files.source(artefact, attempt=self._attempt)

    @property
    def language(self) -> str:
        """The user's: in which a model is asked to write, and what is not kept as a statement is said."""
        return self.request.language or language_of(self.request.description)

    def text(self, statement: Statement) -> str:
        """In the user's language."""
        return text_of(statement, self.language)

    def read(self, chosen: Iterable[Chosen]) -> Known:
        """What the artefacts hold, each read once, in the order chosen; of an artefact that cannot be read, why."""
        by_name = {artefact.name: artefact for artefact in self.catalogue.artefacts}
        first: dict[str, Chosen] = {}
        for choice in chosen:
            first.setdefault(choice.name, choice)
        reads: list[ReadFacts] = []
        for choice in first.values():
            self._ctx.check_stopped()
            reads.append(self._read(by_name.get(choice.name), choice))
        return Known(tuple(reads))

    def judged(self, known: Known) -> Judged:
        """The verdicts on these artefacts and what else several steps need of their facts, worked out by the first of them."""
        return judgement(self._ctx.services.database, known)

    def of_its_application(self, known: Known) -> Known:
        """What was read, without the scripts of another application than the log."""
        return known.without(self.judged(known).others)

    def _read(self, artefact: Artefact | None, chosen: Chosen) -> ReadFacts:
        if artefact is None:
            nothing = ArtefactRead(name=chosen.name, kind=UNKNOWN, round=chosen.round, reason=chosen.reason, problem=NOT_THERE)
            return ReadFacts(nothing, basis=content_hash([NOT_THERE.code, chosen.name]))
        self._require_part(artefact)
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
        telling = [artefact for artefact in self.catalogue.artefacts if Information.SCRIPT_LOGIC in can_tell(artefact, self.kinds)]
        return [artefact.name for artefact in sorted(telling, key=lambda artefact: (-artefact.size_bytes, artefact.name))]

    @property
    def is_scope(self) -> bool:
        """The bundle holds artefacts of a SCOPE or U-SQL job."""
        return any(artefact.kind.startswith(SCOPE) for artefact in self.catalogue.artefacts)

    def read_anyway(self) -> list[Chosen]:
        """Of a SCOPE job the small files that say of themselves that they are to be read first (errors, warnings, statistics), its streams,
        and the code that the compiler generated, which tells nothing that anybody would ask for. Of a Spark run the event log tells all
        of this."""
        if not self.is_scope:
            return []
        kinds = {kind.name for kind in self.kinds.values() if kind.reads_first} | ALSO_ANYWAY
        chosen = [artefact for artefact in self.catalogue.artefacts if artefact.kind.startswith(SCOPE) and artefact.kind in kinds]
        return [Chosen(artefact.name, WHY_ANYWAY) for artefact in chosen if artefact.size_bytes][:MOST_ANYWAY]

    def of_foreign_kinds(self) -> list[Statement]:
        """A line about each artefact of a kind that another worker's package offers and this one has not."""
        return [
            say("tune.read.foreign_kind", artefact=shown_name(artefact.name), kind=name(artefact.kind))
            for artefact in self.catalogue.artefacts
            if artefact.kind not in self.kinds
        ]


def _of_its_run(catalogue: Catalogue, runs: RunsCompared) -> Catalogue:
    """What of the bundle belongs to the run that the job is about."""
    return of_one_run(catalogue, runs.chosen) if runs.chosen else catalogue


def again(read: Iterable[ArtefactRead]) -> list[Chosen]:
    """The same choice, for a later step."""
    return [Chosen(artefact.name, artefact.reason, artefact.round) for artefact in read]


def named(names: Iterable[str]) -> list[Chosen]:
    """What an operator names in an edit."""
    return [Chosen(name, WHY_EDITED) for name in names]


def asked_for(ctx: StepContext) -> list[Chosen]:
    """What the information check has asked this stage to read, round by round."""
    return [
        Chosen(str(asked["name"]), _SAYABLE.validate_python(asked["reason"]), number)
        for number, round in enumerate(ctx.delegated(), start=1)
        for asked in round.get("read", [])
    ]
