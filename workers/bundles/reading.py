"""Reads an artefact: from the cache if an earlier step has read it, else with the parser of its kind.

The outline and the facts are cached in separate rows, so that a step that needs no facts loads none. A file is opened only if the rows
are missing.
"""

from collections.abc import Callable
from dataclasses import asdict, replace

from contracts.base import Contract, content_hash
from contracts.bundles import Artefact
from contracts.statements import Statement, name, quote, say, size
from workers.blackboard.engine import Database
from workers.bundles.facts import Outline, can_be_kept, from_bytes, to_bytes
from workers.bundles.kept import Key, keep, recall
from workers.bundles.opening import OpenBundle
from workers.bundles.registry import Kinds
from workers.engines.artefacts.kinds import ArtefactKind, ArtefactSource, Parsed
from workers.errors import Unavailable
from workers.loggers import get_logger

log = get_logger(__name__)

FileOf = Callable[[Artefact], ArtefactSource]
"""Returns the path of an artefact on this machine. It is called only if the artefact must be parsed. Raises `NotFound` and
`StoreUnavailable`."""


class ArtefactReading:
    """The result of reading an artefact: its outline, and its facts on demand."""

    def __init__(self, outline: Outline, basis: str | None, load: Callable[[], tuple[Contract, ...]]) -> None:
        self.outline = outline
        self.basis = basis
        """The inputs that determine the facts: equal bases have equal facts. None if reading again may yield other facts."""
        self._load = load
        self._facts: tuple[Contract, ...] | None = None

    @classmethod
    def of(cls, parsed: Parsed, basis: str | None) -> "ArtefactReading":
        """An artefact whose facts are in memory."""
        return cls(Outline.of(parsed), basis, lambda: parsed.facts)

    @property
    def facts(self) -> tuple[Contract, ...]:
        """The facts, loaded on first use. Raises the errors of `ArtefactReader.read` if the artefact must be parsed again."""
        if self._facts is None:
            self._facts = self._load()
        return self._facts


class ArtefactReader:
    """Reads artefacts for one step. Without a database, nothing is cached."""

    def __init__(self, db: Database | None, kinds: Kinds, file_of: FileOf, *, attempt: str | None = None) -> None:
        """`attempt`: the application attempt to read if a log has several. None means the last attempt."""
        self._db = db
        self._kinds = kinds
        self._file_of = file_of
        self._attempt = attempt

    def read(self, artefact: Artefact) -> ArtefactReading:
        """Read an artefact. Errors in its content are reported as `problem`. Raises `NotFound` and `StoreUnavailable` if its bytes are
        needed but not available."""
        kind = self._kinds.get(artefact.kind)
        if kind is None:
            return self._unread(artefact, say("bundles.problem.foreign_kind", kind=name(artefact.kind)))
        if artefact.size_bytes > kind.max_bytes:
            too_large = say("bundles.problem.too_large", size=size(artefact.size_bytes), limit=size(kind.max_bytes))
            return self._unread(artefact, too_large)
        key = self._key(artefact, kind)
        known = recall(self._db, _outline_key(key))
        outline = Outline.from_bytes(known) if known is not None else None
        if outline is not None:
            return ArtefactReading(outline, _basis(key), lambda: self._facts(artefact, kind, key, outline))
        parsed, is_lasting = self._parsed(artefact, kind, key)
        return ArtefactReading.of(parsed, _basis(key) if is_lasting else None)

    def parsed(self, artefact: Artefact) -> Parsed:
        """Read an artefact with all facts."""
        reading = self.read(artefact)
        outline = reading.outline
        return Parsed(facts=reading.facts, tells=outline.tells, summary=outline.summary, problem=outline.problem)

    def _unread(self, artefact: Artefact, problem: Statement) -> ArtefactReading:
        basis = content_hash([artefact.sha256, artefact.kind, artefact.name, problem.to_json()])
        return ArtefactReading.of(Parsed(problem=problem), basis)

    def _key(self, artefact: Artefact, kind: ArtefactKind) -> Key:
        parser = f"{kind.parser or 'text'}/{kind.version}"
        return Key(artefact.sha256, kind.name, parser, content_hash([artefact.name, self._attempt]))

    def _facts(self, artefact: Artefact, kind: ArtefactKind, key: Key, outline: Outline) -> tuple[Contract, ...]:
        parsed, _ = self._parsed(artefact, kind, key)
        if Outline.of(parsed).shapes != outline.shapes:
            raise Unavailable.of(say("bundles.refused.parser_failed", parser=name(key.parser), file=quote(artefact.name)))
        return parsed.facts

    def _parsed(self, artefact: Artefact, kind: ArtefactKind, key: Key) -> tuple[Parsed, bool]:
        """The parser's result, cached or new, and whether parsing again would give the same result."""
        known = recall(self._db, key)
        kept = from_bytes(known) if known is not None else None
        if kept is not None:
            keep(self._db, _outline_key(key), Outline.of(kept).to_bytes())
            return kept, True
        parsed, is_final = _parse(self._file_of, artefact, kind)
        is_lasting = is_final and can_be_kept(parsed)
        if is_lasting:
            keep(self._db, key, to_bytes(parsed))
            keep(self._db, _outline_key(key), Outline.of(parsed).to_bytes())
        return parsed, is_lasting


def read_artefact(db: Database | None, bundle: OpenBundle, artefact: Artefact, kinds: Kinds, *, attempt: str | None = None) -> Parsed:
    """The parsed content of an artefact in an open bundle, facts included. Raises the errors of `ArtefactReader.read`."""
    return ArtefactReader(db, kinds, lambda wanted: bundle.source(wanted.name, attempt=attempt), attempt=attempt).parsed(artefact)


def _outline_key(key: Key) -> Key:
    return replace(key, read_as=content_hash(["outline", key.read_as]))


def _basis(key: Key) -> str:
    return content_hash(asdict(key))


def _parse(file_of: FileOf, artefact: Artefact, kind: ArtefactKind) -> tuple[Parsed, bool]:
    """Parse the artefact. The second value is whether parsing again would give the same result."""
    source = file_of(artefact)
    try:
        return kind.parse(source), True
    except Exception as error:  # the parser may belong to an extension, and its failure must not end the job
        log.exception("parser_failed", kind=kind.name, parser=kind.parser)
        failed = say("bundles.problem.parser_failed", parser=name(kind.parser or kind.name), error=name(type(error).__name__))
        return Parsed(problem=failed), False
