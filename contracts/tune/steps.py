"""The deliverable of each step of `tune`. It is stored on the blackboard, and the following steps use it."""

from enum import StrEnum

from pydantic import Field

from contracts.base import Contract, Text
from contracts.bundles import ArtefactRead, Information
from contracts.scope import ScopeGeneratedPart
from contracts.statements import Sayable
from contracts.tune.request import RecommenderProfile
from contracts.verdicts import ClassScore, ColumnRef, Figure, Findings, TuningClass, VerdictKind


class Classification(Contract):
    """Step 1: the main problem of the run, as far as it is known at this point."""

    tuning_class: TuningClass
    scores: tuple[ClassScore, ...]
    """The score of every class, highest first."""
    reasons: tuple[Sayable, ...] = ()
    """The evidence for it, with numbers. For a class that was recognised only from the user's description, its words. Text of a model is
    stored as text."""
    read: tuple[ArtefactRead, ...] = ()
    """The artefacts that support it."""
    kinds: tuple[VerdictKind, ...] = ()
    """The problems found, the heaviest first; empty if no measurements have been read."""
    is_preliminary: bool = False
    """It is based only on the description and the code, because no measurements have been read."""
    corrected_from: TuningClass | None = None
    """The class before the evidence contradicted it."""
    is_by_operator: bool = False
    """An operator named it, and the evidence is not asked about it again."""
    about: Text = ""
    """What the job is known by in lists: the application's name and its scripts, as far as they were read."""


class KeySpot(Contract):
    """A location in the user's code that matters for the run."""

    artefact: Text
    line: int = Field(ge=1)
    operation: Text
    text: Text
    """The text of the operation in the script, cut."""
    excerpt: tuple[Text, ...] = ()
    """The lines of the script around it. `excerpt_from` is the number of the first line."""
    excerpt_from: int = Field(default=1, ge=1)
    stage_ids: tuple[int, ...] = ()
    columns: tuple[ColumnRef, ...] = ()
    share: float = Field(default=0, ge=0, le=1)
    """Share of the run's time spent in the stages that it produces."""
    why: Sayable
    """Why it matters."""
    cell: int | None = None
    """Of a notebook: the number of the cell."""
    cell_line: int | None = None
    """Of a notebook: the line within the cell."""
    is_by_model: bool = False
    """A model points to it, and the rules do not."""


class KeyCode(Contract):
    """Step 2: the code to look at, the most important first."""

    spots: tuple[KeySpot, ...] = ()
    read: tuple[ArtefactRead, ...] = ()
    not_known: tuple[Sayable, ...] = ()


class Experience(Contract):
    """One piece of advice from the skill packs."""

    experience_id: str
    """`PACK/SLUG`: the folder of the pack, and the heading of the section."""
    pack: Text
    title: Text
    tuning_class: TuningClass
    kinds: tuple[VerdictKind, ...] = ()
    """Verdicts that it addresses."""
    remedies: tuple[str, ...] = ()
    """Kinds of fixes that it describes: values of `FixKind`."""
    language: str
    text: Text
    """Its section of the Markdown file, cut to what a prompt takes."""
    score: float = Field(ge=0)
    """The score by which it was ranked, including feedback."""
    adopted: int = Field(default=0, ge=0)
    """How often users reported that they applied it, and that they did not."""
    ignored: int = Field(default=0, ge=0)


class ExperienceFound(Contract):
    """Advice of the packs for similar cases, best first."""

    query: Text
    items: tuple[Experience, ...] = ()


class Hypothesis(Contract):
    """A possible problem, and how it would show."""

    hypothesis_id: str
    """`H1`, `H2`, ..."""
    kind: VerdictKind
    tuning_class: TuningClass
    statement: Sayable
    how_to_verify: tuple[Sayable, ...]
    needs: tuple[Information, ...]
    """The information needed to judge it."""
    prior: float = Field(ge=0, le=1)
    """Its probability before the requested evidence was read."""
    experience: tuple[str, ...] = ()
    """Ids of the pieces of experience that led to it."""


class Causes(Contract):
    """Step 3: the hypotheses, likeliest first."""

    hypotheses: tuple[Hypothesis, ...]


class Standing(StrEnum):
    """What the evidence says about a hypothesis."""

    SUPPORTED = "supported"
    REFUTED = "refuted"
    OPEN = "open"
    """The artefact that would decide has not been read, or is not in the bundle."""


class HypothesisFinding(Contract):
    """One hypothesis, judged by the evidence."""

    hypothesis_id: str
    standing: Standing
    says: Sayable
    """The judgement as a sentence, with its main number."""
    figures: tuple[Figure, ...] = ()


class Evidence(Contract):
    """The artefacts read so far, and the conclusions."""

    read: tuple[ArtefactRead, ...]
    """In the order in which they were read; later rounds only append."""
    findings: Findings
    hypotheses: tuple[HypothesisFinding, ...] = ()
    generated: tuple[ScopeGeneratedPart, ...] = ()
    """Of a SCOPE job: what the generated code is the code of."""


class Need(Contract):
    """One kind of information that is needed for this class and these hypotheses."""

    information: Information
    weight: float = Field(ge=0, le=1)
    """Its share of all the information needed."""
    present_in: tuple[Text, ...] = ()
    """Artefacts that were read and actually contained it."""


class Recommendation(Contract):
    """One artefact that is worth reading next."""

    name: Text
    kind: str
    content_description: Sayable
    """What such an artefact holds."""
    relevance: float = Field(ge=0, le=1)
    """The share, by weight, of the missing information that such an artefact contains; with the `seed` profile, its keyword score. Here
    and below an artefact counts only for what earlier artefacts of the list do not contain."""
    expected_information: float = Field(default=0, ge=0)
    """The expected information gain about the hypotheses and the class, in bits."""
    cost: float = Field(default=0, ge=0)
    """Estimated seconds to read it."""
    reason: Sayable
    requires_parser: bool = False
    parser: str | None = None
    is_by_model: bool = False
    """A model asks for it, and the rules do not."""


class Aspect(StrEnum):
    """A part of the work, whose progress is measured."""

    SCRIPT_UNDERSTOOD = "script_understood"
    PROBLEM_LOCATED = "problem_located"
    """By stage and line."""
    CAUSE_EXPLAINED = "cause_explained"
    READY_FOR_PLAN = "ready_for_plan"
    BASIC_ANALYSIS = "basic_analysis"
    """The whole run, if its class has no separate aspects."""


class InformationCheck(Contract):
    """Step 4: whether enough is known for a plan and, if not, what to read next."""

    sufficient: bool
    score: float = Field(ge=0, le=1)
    """Sum of the weights of the information that is present."""
    needs: tuple[Need, ...] = ()
    recommended: tuple[Recommendation, ...] = ()
    """At most three unread artefacts, best first; empty if enough is known or nothing would help."""
    progress: dict[str, float] = {}
    """`Aspect` → share done; by the `seed` profile, and in deliverables of version 0.1, its name."""
    key_findings: tuple[Sayable, ...] = ()
    profile: RecommenderProfile = RecommenderProfile.OURS
    not_in_bundle: tuple[Information, ...] = ()
    """Information that is missing and that no unread artefact contains: the user may add an artefact."""
