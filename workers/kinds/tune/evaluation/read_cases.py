"""A bundle as a case for the recommenders: what each set of its artefacts reveals, read by the same parsers as in a job."""

from functools import cache

from contracts.artefacts import SourceText
from contracts.verdicts import TuningClass
from workers.blackboard.engine import Database
from workers.bundles import OpenBundle, read_artefact
from workers.kinds.tune.evaluation.reads import ReadCase, Revealed
from workers.kinds.tune.rules.known import Known, ReadFacts
from workers.saying import text_of


def read_case(name: str, description: str, right: TuningClass, bundle: OpenBundle, db: Database) -> ReadCase:
    """The case of one bundle. Each artefact is read once, however often it is revealed."""

    @cache
    def facts_of(artefact_name: str) -> ReadFacts:
        artefact = bundle.artefact(artefact_name)
        parsed = read_artefact(db, bundle, artefact, bundle.kinds)
        return ReadFacts.of(artefact, parsed, lambda: parsed.facts, reason=name)

    def reveal(names: tuple[str, ...]) -> Revealed:
        known = Known(tuple(facts_of(name) for name in names))
        return Revealed(
            read=known.read,
            findings=known.findings() if names else None,
            scripts=known.scripts,
            run=known.run,
            texts={artefact.read.name: _text_of(artefact) for artefact in known.reads},
        )

    return ReadCase(name, description, bundle.catalogue, right, reveal)


def _text_of(artefact: ReadFacts) -> str:
    """What a reader of texts sees of it: the script itself, else the parser's words."""
    return next((fact.text for fact in artefact.facts if isinstance(fact, SourceText)), text_of(artefact.read.summary, "en"))
