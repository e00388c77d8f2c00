"""`diagnose`: tickets, the evidence drawn from them, the questions of the dialogue, and the diagnosis."""

from enum import StrEnum
from typing import Literal

from pydantic import Field, model_validator

from contracts.base import Contract, Text
from contracts.diagnose.request import DiagnosisMethod
from contracts.statements import Sayable


class PhenomenonItem(Contract):
    """One thing to check."""

    number: int = Field(ge=1)
    """What the user answers by: "1 yes 2 no"."""
    phenomenon_id: str
    description: str
    observation_method: str
    why: Sayable
    """What the answer would tell: which causes it speaks for or against."""


class PhenomenonQuestion(Contract):
    """Payload of a question in the dialogue."""

    kind: Literal["phenomena"] = "phenomena"
    turn: int = Field(ge=1)
    items: tuple[PhenomenonItem, ...]
    """Empty: the history offers nothing more to check, and the user is asked for a key symptom in free text."""
    hypotheses: tuple["Hypothesis", ...] = ()
    """Where the diagnosis stands while it asks."""
    notes: tuple[Sayable, ...] = ()
    """What of the previous answer could not be read, or how it was read; and the answer to what the user asked back ("why?")."""
    method: DiagnosisMethod = DiagnosisMethod.GAR


class Finding(StrEnum):
    """What the user said of a phenomenon."""

    CONFIRMED = "confirmed"
    DENIED = "denied"
    UNKNOWN = "unknown"


class AnswerProblemKind(StrEnum):
    """Why a part of an answer was not taken as it stands."""

    OUT_OF_RANGE = "out_of_range"
    """A number that the question does not have."""
    CONTRADICTION = "contradiction"
    """Yes and no to the same item; it is kept as unknown."""
    AMBIGUOUS = "ambiguous"
    """An answer whose items cannot be told: "ok", "not all", two answers to three items."""
    ASSUMED = "assumed"
    """Bare numbers ("1 3"): read as confirmed, and said so."""


class AnswerProblem(Contract):
    """A part of an answer that was not taken as it stands."""

    kind: AnswerProblemKind
    text: str
    """The numbers or words it is about, as data: `9`, `4-7`, `ok`."""


class UserQuery(StrEnum):
    """What a user asks back in the place of, or beside, an answer. It uses up no turn."""

    WHY = "why"
    """Why these phenomena are asked."""
    PROGRESS = "progress"
    """What is known so far: confirmed, denied, asked."""
    HYPOTHESES = "hypotheses"
    """Which causes are in question, and how likely each is."""


class AnswerReading(Contract):
    """What an answer says: findings on the items asked, and what was told beside them."""

    findings: dict[str, Finding] = {}
    """phenomenon_id → finding. Only items of the question, and only those the answer speaks of."""
    observations: tuple[str, ...] = ()
    """Free text, as the user wrote it: new symptoms that nobody asked for."""
    problems: tuple[AnswerProblem, ...] = ()
    queries: tuple[UserQuery, ...] = ()


class Evidence(Contract):
    """One phenomenon for or against a cause."""

    phenomenon_id: str
    description: str
    finding: Finding
    weight: float
    """Natural-log likelihood ratio of this finding for the cause against the average of the others; positive: for it."""
    tickets: tuple[str, ...] = ()
    """Tickets of the cause that show it."""
    source: Literal["asked", "told", "unsaid"] = "asked"
    """`unsaid`: left out of an opening that lists phenomena one by one, which speaks weakly against it."""


class Hypothesis(Contract):
    """One cause with its confidence, explained."""

    cause_id: str
    root_cause: str
    confidence: float = Field(ge=0, le=1)
    """Posterior probability among the causes of the evidence and `none of them`."""
    prior: float = Field(ge=0, le=1)
    symptom_similarity: float = Field(ge=-1, le=1)
    """How near the description is to this cause's tickets: the best cosine."""
    evidence: tuple[Evidence, ...] = ()
    ticket_ids: tuple[str, ...] = ()


class Verdict(StrEnum):
    """How a dialogue may end."""

    DIAGNOSED = "diagnosed"
    UNCERTAIN = "uncertain"
    """A lean that does not reach the bar: the best guess, marked as forced, with what is missing."""
    UNKNOWN = "unknown"
    """The history does not bear a diagnosis. A legitimate result."""


class Diagnosis(Contract):
    """Deliverable of stage `diagnosis`."""

    verdict: Verdict
    root_cause: str | None = None
    cause_id: str | None = None
    confidence: float = Field(ge=0, le=1)
    forced: bool = False
    """Concluded because no turn was left, not because the bar was reached."""
    solution: str | None = None
    evidence_for: tuple[Evidence, ...] = ()
    evidence_against: tuple[Evidence, ...] = ()
    cited_tickets: tuple[str, ...] = ()
    """At least one, all existing, unless the verdict is `unknown`."""
    not_checked: tuple[str, ...] = ()
    """Descriptions of phenomena that would tell more."""
    alternatives: tuple[Hypothesis, ...] = ()
    """The other hypotheses, best first; at most 4."""
    explanation: Sayable
    """Why, line by line."""
    turns: int = Field(ge=0)
    method: DiagnosisMethod = DiagnosisMethod.GAR
    """Whose conclusion this is; in a hybrid, of the one that was believed."""
    downgraded: Sayable | None = None
    """Why a stronger conclusion was not believed: a citation that does not exist, a cause that its tickets do not bear."""


class RarRecommendation(Contract):
    """One thing that RAR would have checked."""

    observation: Text = Field(min_length=1, max_length=1_000)
    """A single phenomenon."""
    method: Text = Field(default="", max_length=4_000)
    """The query or command that shows it."""
    why: Text = Field(default="", max_length=1_000)
    related_root_causes: tuple[Text, ...] = Field(default=(), max_length=10)


class RarDiagnosis(Contract):
    """RAR's conclusion."""

    root_cause: Text = Field(min_length=1, max_length=4_000)
    reasoning: Text = Field(default="", max_length=8_000)
    observed_phenomena: tuple[Text, ...] = Field(default=(), max_length=40)
    solution: Text = Field(default="", max_length=20_000)
    cited_tickets: tuple[Text, ...] = Field(default=(), max_length=20)
    """Ids of the tickets it rests on; only tickets that were shown count."""


class RarAnswer(Contract):
    """One turn of RAR, by a model or by the rules: the same contract, the same guardrails behind it."""

    reasoning: Text = Field(default="", max_length=8_000)
    """First, so that a model which writes in this order thinks before it decides."""
    action: Literal["recommend", "diagnose"]
    confidence: float = Field(ge=0, le=1)
    recommendations: tuple[RarRecommendation, ...] = Field(default=(), max_length=10)
    """With `recommend`, 1 to 3."""
    diagnosis: RarDiagnosis | None = None
    """With `diagnose`."""

    @model_validator(mode="after")
    def _complete(self) -> "RarAnswer":
        if self.action == "diagnose" and self.diagnosis is None:
            raise ValueError("action `diagnose` needs `diagnosis`")
        return self


class RarRanking(Contract):
    """A model's order of the candidate tickets."""

    ticket_ids: tuple[Text, ...] = Field(max_length=100)
    """Those that bear on the incident most first; only tickets that were shown count, missing ones follow in the old order."""
