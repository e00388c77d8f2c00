"""A user's definition of a word, in answer to a result: how it is read, what it contradicts, and where it is kept."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from contracts.statements import Sayable, as_value, passage, quote, say
from workers.blackboard.engine import Database
from workers.catalogue import Catalogue
from workers.catalogue.defining import Defined, define, defined_as
from workers.engines.definitions.definition import Definition
from workers.engines.questions import Reader
from workers.engines.requirements import described_keys, observed_keys
from workers.errors import Conflict, InvalidInput

OWN = "defined:"
"""How the origins begin of what users defined."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A definition before it is kept."""

    source: str
    name: str
    formula: str
    before: Defined | None
    """What the catalogue says of the word, where that is something else."""
    reads: tuple[Sayable, ...]
    """What a question for the word amounts to; empty: the grammar does not read the formula, and only a model does."""

    @property
    def lines(self) -> tuple[Sayable, ...]:
        """For the person who is to agree."""
        head = say("ask.define.head", name=quote(self.name), formula=passage(self.formula), source=passage(self.source))
        reads = tuple(say("ask.define.reads", reading=as_value(line)) for line in self.reads) or (say("ask.define.not_read"),)
        return (head, *reads, *(() if self.before is None else (self.contradiction(self.before),)))

    def contradiction(self, before: Defined) -> Sayable:
        """What is defined otherwise."""
        is_own = all(origin.startswith(OWN) for origin in before.origins)
        known = {"name": quote(before.name), "formula": passage(before.says)}
        return say("ask.define.otherwise_by_user", **known) if is_own else say("ask.define.otherwise", **known)


def wanted(db: Database, source: str, line: str, owner: str, job_id: UUID) -> Wanted:
    """What a line `NAME = FORMULA` would define in the source of an answer. Raises `InvalidInput` for another text."""
    name, sign, formula = (part.strip() for part in line.partition("="))
    if not (name and sign and formula):
        raise InvalidInput.of(say("ask.refused.no_definition"))
    if not source:
        raise Conflict.of(say("ask.refused.no_source_to_define", job=passage(str(job_id))))
    known = defined_as(db, source, name, owner=owner)
    before = known if known is not None and _plain(known.says) != _plain(formula) else None
    return Wanted(source, name, formula, before, _reads(db, source, name, formula, owner))


def keep(db: Database, found: Wanted, owner: str, *, replace: bool) -> str:
    """Keep it; its place in the catalogue. Raises `Conflict` where the word means something else and `replace` was not said."""
    if found.before is not None and not replace:
        raise Conflict.of(say("ask.refused.defined_otherwise", name=quote(found.name), formula=passage(found.before.says)))
    return define(db, found.source, found.name, found.formula, owner=owner)


def _reads(db: Database, source: str, name: str, formula: str, owner: str) -> tuple[Sayable, ...]:
    """What the word alone amounts to as a question, with this formula in the place of any other."""
    catalogue = Catalogue(db, None)
    tables, _ = observed_keys(described_keys(catalogue.tables(source, owner=owner)))
    terms = catalogue.terms(source, owner=owner)
    lines: list[Definition | str] = [f"{name} = {formula}", *terms.definitions]
    reader = Reader(tables, datetime.now(), definitions=lines, synonyms=terms.synonyms)  # noqa: DTZ005  local time of the source
    if not reader.has_term(name):
        return ()
    readings = reader.read(name).readings
    return readings[0].understood if readings else ()


def _plain(text: str) -> str:
    return " ".join(text.lower().rstrip(".").split())
