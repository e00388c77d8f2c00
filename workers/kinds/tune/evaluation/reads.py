"""How many artefacts of a bundle are read until the class of the run is right: by our recommender, by the `seed` profile, by reading
all.

The case tells what each set of artefacts reveals; a method sees only what it has read. Artefacts count one by one, in the order in
which they are read, so a method that asks for three and needs the first is charged one."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from contracts.bundles import ArtefactRead, Catalogue
from contracts.spark import RunFacts
from contracts.tune.steps import Classification, Evidence, ExperienceFound
from contracts.verdicts import Findings, TuningClass
from workers.engines.artefacts.kinds import ArtefactKind
from workers.engines.scripts.given import NamedScript
from workers.kinds.tune import seed
from workers.kinds.tune.rules.causes import suppose
from workers.kinds.tune.rules.classify import classify
from workers.kinds.tune.rules.first_look import classification, classify_by_words
from workers.kinds.tune.rules.key_code import key_code
from workers.kinds.tune.rules.recommend import check, first_reads
from workers.kinds.tune.rules.refuting import numbers_of
from workers.kinds.tune.rules.standing import judge_hypotheses

MOST_A_ROUND = 3


@dataclass(frozen=True, slots=True)
class Revealed:
    """What is known from a set of artefacts."""

    read: tuple[ArtefactRead, ...] = ()
    """The artefacts in the order of reading, each with the information really found in it."""
    findings: Findings | None = None
    """None: nothing that was read allows a verdict."""
    scripts: tuple[NamedScript, ...] = ()
    run: RunFacts | None = None
    texts: Mapping[str, str] = field(default_factory=dict[str, str])
    """Name → what a reader of texts sees; the `seed` profile looks for words in it."""


@dataclass(frozen=True, slots=True)
class ReadCase:
    """A bundle whose class is known."""

    name: str
    description: str
    catalogue: Catalogue
    right: TuningClass
    reveal: Callable[[tuple[str, ...]], Revealed]
    """Names, in the order of reading → what is known from them."""


Chooser = Callable[[ReadCase, Revealed], Sequence[str]]
"""What to read next, best first; nothing: the method has no wish."""


def reads_until_right(case: ReadCase, chooser: Chooser) -> int | None:
    """Artefacts read until the measured class is right; None: it never is. A method without a wish reads on in the catalogue's order,
    one by one: it does not stop before the class is right, so it is charged for what it did not ask for."""
    names: tuple[str, ...] = ()
    revealed = case.reveal(names)
    while True:
        left = [artefact.name for artefact in case.catalogue.artefacts if artefact.name not in names]
        wished = [name for name in dict.fromkeys(chooser(case, revealed)) if name in left][:MOST_A_ROUND]
        for name in wished or left[:1]:
            names = (*names, name)
            revealed = case.reveal(names)
            if _is_right(case, revealed):
                return len(names)
        if not left:
            return None


def read_all(case: ReadCase) -> int | None:
    """What reading everything takes; None: even that does not make the class right."""
    names = tuple(artefact.name for artefact in case.catalogue.artefacts)
    return len(names) if _is_right(case, case.reveal(names)) else None


def ours(kinds: Mapping[str, ArtefactKind]) -> Chooser:
    """Our recommender: its first reads, then its information check after each round."""

    def chooser(case: ReadCase, revealed: Revealed) -> Sequence[str]:
        if not revealed.read:
            return [artefact.name for artefact in first_reads(case.catalogue, case.description, kinds)]
        known = _class_of(case, revealed)
        code = key_code(revealed.findings, revealed.scripts, known, read=revealed.read)
        causes = suppose(known, code, ExperienceFound(query=case.description), revealed.findings, case.description)
        findings = revealed.findings or classify(())
        standings = judge_hypotheses(causes, revealed.findings, revealed.read, numbers=numbers_of(revealed.run))
        evidence = Evidence(read=revealed.read, findings=findings, hypotheses=standings)
        asked = check(
            classification=known,
            causes=causes,
            evidence=evidence,
            key_code=code,
            catalogue=case.catalogue,
            kinds=kinds,
            description=case.description,
        )
        return [artefact.name for artefact in asked.recommended]

    return chooser


def by_seed(kinds: Mapping[str, ArtefactKind]) -> Chooser:
    """The `seed` profile. It is given the class that the description's words suggest, as its own first step would."""

    def chooser(case: ReadCase, revealed: Revealed) -> Sequence[str]:
        known = _class_of(case, revealed)
        read = [(artefact.name, revealed.texts.get(artefact.name, "")) for artefact in revealed.read]
        asked = seed.check(known.tuning_class, case.description, case.catalogue, read, kinds)
        return [artefact.name for artefact in asked.recommended]

    return chooser


def _class_of(case: ReadCase, revealed: Revealed) -> Classification:
    by_words = classify_by_words(case.description, revealed.scripts, case.catalogue)
    return classification(revealed.findings, by_words, revealed.read)


def _is_right(case: ReadCase, revealed: Revealed) -> bool:
    """A class by words does not count: that it is right is luck as long as nothing was measured."""
    known = _class_of(case, revealed)
    return not known.is_preliminary and known.tuning_class is case.right
