"""`tune`: what each step of the thinking yields. Each is kept on the board and used by the next ones."""

from enum import StrEnum

from pydantic import Field

from contracts.base import Contract, Text
from contracts.bundles import ArtefactRead, Information
from contracts.statements import Sayable
from contracts.tune.request import RecommenderProfile
from contracts.verdicts import ClassScore, ColumnRef, Figure, Findings, TuningClass, VerdictKind


class Classification(Contract):
    """Step 1: what the run suffers from most, as far as it is known by now."""

    tuning_class: TuningClass
    scores: tuple[ClassScore, ...]
    """Of every class, highest first."""
    reasons: tuple[Sayable, ...] = ()
    """What speaks for it, with numbers; of a class by the user's words alone, these words. What a model says is text."""
    read: tuple[ArtefactRead, ...] = ()
    """What it rests on."""
    kinds: tuple[VerdictKind, ...] = ()
    """Of the problems found, the heaviest first; none when nothing measured has been read."""
    is_preliminary: bool = False
    """It rests on words and code alone: nothing measured has been read."""
    corrected_from: TuningClass | None = None
    """What it was before the evidence contradicted it."""


class KeySpot(Contract):
    """A place in the user's code that matters for the run."""

    artefact: Text
    line: int = Field(ge=1)
    operation: Text
    text: Text
    """The operation as the script has it, cut."""
    excerpt: tuple[Text, ...] = ()
    """The lines around it as they stand in the script; the first one's number is `excerpt_from`."""
    excerpt_from: int = Field(default=1, ge=1)
    stage_ids: tuple[int, ...] = ()
    columns: tuple[ColumnRef, ...] = ()
    share: float = Field(default=0, ge=0, le=1)
    """Of the run's time, in the stages that it makes."""
    why: Sayable
    """Why it matters."""


class KeyCode(Contract):
    """Step 2: the code to look at, the most important first."""

    spots: tuple[KeySpot, ...] = ()
    read: tuple[ArtefactRead, ...] = ()
    not_known: tuple[Sayable, ...] = ()


class Experience(Contract):
    """One piece of advice from the skill packs."""

    experience_id: str
    """`PACK/SLUG`: the pack's folder and the heading it stands under."""
    pack: Text
    title: Text
    tuning_class: TuningClass
    kinds: tuple[VerdictKind, ...] = ()
    """Verdicts that it is about."""
    remedies: tuple[str, ...] = ()
    """Kinds of fixes that it describes: values of `FixKind`."""
    language: str
    text: Text
    """Its section of the Markdown file, cut to what a prompt takes."""
    score: float = Field(ge=0)
    """By which it was ranked, feedback included."""
    adopted: int = Field(default=0, ge=0)
    """How often users said that they took it, and that they did not."""
    ignored: int = Field(default=0, ge=0)


class ExperienceFound(Contract):
    """What the packs know of such cases, best first."""

    query: Text
    items: tuple[Experience, ...] = ()


class Hypothesis(Contract):
    """What may be wrong, and how one would see that."""

    hypothesis_id: str
    """`H1`, `H2`, ..."""
    kind: VerdictKind
    tuning_class: TuningClass
    statement: Sayable
    how_to_verify: tuple[Sayable, ...]
    needs: tuple[Information, ...]
    """What has to be known to judge it."""
    prior: float = Field(ge=0, le=1)
    """How likely, before the evidence asked for it."""
    experience: tuple[str, ...] = ()
    """Ids of the pieces of experience that led to it."""


class Causes(Contract):
    """Step 3: the hypotheses, likeliest first."""

    hypotheses: tuple[Hypothesis, ...]


class Standing(StrEnum):
    """What the evidence says of a hypothesis."""

    SUPPORTED = "supported"
    REFUTED = "refuted"
    OPEN = "open"
    """What would tell has not been read, or is not in the bundle."""


class HypothesisFinding(Contract):
    """One hypothesis against the evidence."""

    hypothesis_id: str
    standing: Standing
    says: Sayable
    """In a sentence, with its main number."""
    figures: tuple[Figure, ...] = ()


class Evidence(Contract):
    """What has been read so far, and what follows."""

    read: tuple[ArtefactRead, ...]
    """In the order of reading; later rounds only add."""
    findings: Findings
    hypotheses: tuple[HypothesisFinding, ...] = ()


class Need(Contract):
    """One thing that has to be known for this class and these hypotheses."""

    information: Information
    weight: float = Field(ge=0, le=1)
    """Its part of all that has to be known."""
    present_in: tuple[Text, ...] = ()
    """Artefacts that were read and really told it."""


class Recommendation(Contract):
    """One artefact that is worth reading next."""

    name: Text
    kind: str
    content_description: Sayable
    """What such an artefact holds."""
    relevance: float = Field(ge=0, le=1)
    """The part, by weight, of what is missing that such an artefact tells; by the `seed` profile its keyword score. Here and below an
    artefact counts for what those before it in the list do not tell."""
    expected_information: float = Field(default=0, ge=0)
    """Bits it is expected to tell of the hypotheses and the class."""
    cost: float = Field(default=0, ge=0)
    """Seconds of reading, roughly."""
    reason: Sayable
    requires_parser: bool = False
    parser: str | None = None


class Aspect(StrEnum):
    """A part of the work, whose progress is measured."""

    SCRIPT_UNDERSTOOD = "script_understood"
    PROBLEM_LOCATED = "problem_located"
    """By stage and line."""
    CAUSE_EXPLAINED = "cause_explained"
    READY_FOR_PLAN = "ready_for_plan"
    BASIC_ANALYSIS = "basic_analysis"
    """All of it, where the class of the run has no aspects of its own."""


class InformationCheck(Contract):
    """Step 4: whether enough is known for a plan; what to read next if not."""

    sufficient: bool
    score: float = Field(ge=0, le=1)
    """The weights of what is present."""
    needs: tuple[Need, ...] = ()
    recommended: tuple[Recommendation, ...] = ()
    """At most three, unread ones, best first; none when enough is known or nothing would help."""
    progress: dict[str, float] = {}
    """`Aspect` → share done; by the `seed` profile, and in deliverables of version 0.1, its name."""
    key_findings: tuple[Sayable, ...] = ()
    profile: RecommenderProfile = RecommenderProfile.OURS
    not_in_bundle: tuple[Information, ...] = ()
    """Missing, and no unread artefact would tell it: the user may add one."""
