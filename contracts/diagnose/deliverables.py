"""`diagnose`: tickets, the evidence drawn from them, the questions of the dialogue, and the diagnosis."""

from enum import StrEnum
from typing import Final, Literal

from pydantic import Field, model_validator

from contracts.base import Contract, Text
from contracts.checks import Gathered
from contracts.diagnose.request import DiagnosisMethod
from contracts.statements import Sayable


class PhenomenonItem(Contract):
    """One thing to check."""

    number: int = Field(ge=1)
    """The number that the user gives in an answer: "1 yes 2 no"."""
    phenomenon_id: str
    description: str
    observation_method: str
    why: Sayable
    """What an answer would show: which causes it supports or contradicts."""
    asked_as: str = ""
    """`description` as a question in the user's language, in a model's words, where an earlier release asked it. Empty: it is asked
    as it is."""

    @property
    def is_question(self) -> bool:
        """A model put it as a question. Its words claim nothing: no answer can oppose them, and they are no phenomenon."""
        return self.description.rstrip().endswith(("?", "？"))


class PhenomenonQuestion(Contract):
    """The payload of a question in the dialogue."""

    kind: Literal["phenomena"] = "phenomena"
    turn: int = Field(ge=1)
    items: tuple[PhenomenonItem, ...]
    """If empty, the user is asked for the system, where `systems` names several, or else for a key symptom in free text."""
    systems: tuple[str, ...] = ()
    """The systems of the history, if the question is which one the incident is about."""
    system_labels: tuple[str, ...] = ()
    """What the people there call each of them, where their tickets say so; empty where they do not."""
    system_names: tuple[tuple[str, ...], ...] = ()
    """Further names of each of them, in small letters, which an answer may use."""
    hypotheses: tuple["Hypothesis", ...] = ()
    """The state of the diagnosis when the question is asked."""
    notes: tuple[Sayable, ...] = ()
    """Which parts of the previous answer could not be read, or how they were read; and the reply to a question of the user ("why?")."""
    method: DiagnosisMethod = DiagnosisMethod.GAR
    reported: tuple[str, ...] = ()
    """What a person has added to the incident without being asked, by then."""
    read: tuple["ReadFinding", ...] = ()
    """What a model read in the description and in remarks, so that it is asked once and every later turn knows it."""
    heard: tuple["HeardTurn", ...] = ()
    """What a model heard in the answers so far that are no closed form, so that every later turn knows it."""
    in_own_words: bool = False
    """Whether a model reads the answer, so that any words will do."""
    left_out: tuple[Sayable, ...] = ()
    """What of the model's turn was not taken, and why: the job's notes and the model's next turn have it."""

    @property
    def is_of_system_alone(self) -> bool:
        """Whether it asks for nothing but the system."""
        return bool(self.systems) and not self.items


class Finding(StrEnum):
    """What the user said about a phenomenon."""

    CONFIRMED = "confirmed"
    DENIED = "denied"
    UNKNOWN = "unknown"


class AnswerProblemKind(StrEnum):
    """Why an answer, or a part of it, has no effect. Only the first two are made now; notes of older releases have the others."""

    NOT_READ = "unread"
    """It is no closed form, and no model read it. Nothing of it has an effect."""
    CONTRADICTION = "contradiction"
    """Both yes and no to the same item, which is kept as unknown."""
    OUT_OF_RANGE = "out_of_range"
    AMBIGUOUS = "ambiguous"
    ASSUMED = "assumed"
    NO_SUCH_ANSWER = "no_such_answer"
    NOT_TAKEN_BACK = "not_taken_back"


class AnswerProblem(Contract):
    """A part of an answer that has no effect."""

    kind: AnswerProblemKind
    text: str
    """The words or numbers concerned, as data: `1`."""


class UserQuery(StrEnum):
    """A question that the user asks instead of, or together with, an answer. It does not use a turn."""

    WHY = "why"
    """Why the system asks about these phenomena."""
    PROGRESS = "progress"
    """What is known so far: confirmed, denied, asked."""
    HYPOTHESES = "hypotheses"
    """Which causes are in question, and how likely each is."""
    HOW = "how"
    """How an item is checked, and where."""
    MEANING = "meaning"
    """What is asked, what an item means, and where it was seen."""


class AnswerReading(Contract):
    """The content of an answer: findings on the items asked, and observations that the user added."""

    findings: dict[str, Finding] = {}
    """phenomenon_id → finding. Only items of the question, and only those the answer speaks of."""
    observations: tuple[str, ...] = ()
    """Free text, unchanged: new symptoms that the user reported without being asked."""
    problems: tuple[AnswerProblem, ...] = ()
    queries: tuple[UserQuery, ...] = ()
    asked_items: tuple[int, ...] = ()
    """The items that questions of the user are about, by number. Empty: they name none."""
    system: str = ""
    """The system that the user names: in answer to the question for it, or by "system: MySQL"."""
    stops: bool = False
    """Whether the user wants no more questions."""
    corrects: bool = False
    """Whether it says something of items that were asked earlier."""
    quotes: dict[str, str] = {}
    """phenomenon_id → the words that a model took for the finding. Empty where code read a closed form."""

    @property
    def unread(self) -> bool:
        """Whether nothing of the answer has an effect, since nobody could read it."""
        return any(problem.kind is AnswerProblemKind.NOT_READ for problem in self.problems)

    @property
    def says_nothing(self) -> bool:
        """Whether the answer has neither a finding, nor an observation, nor a system."""
        return not (self.findings or self.observations or self.system)


EvidenceSource = Literal["asked", "told", "described", "alike", "unsaid", "read"]
"""How a finding is known: `asked`, an answer to a question; `told`, reported by the user without a question, in the words of a ticket;
`described`, said in the description in a ticket's words; `alike`, words of the user that resemble a phenomenon: they rank causes, and
confirm nothing; `unsaid`, missing from a description that lists phenomena one by one, which is weak evidence against the
phenomenon; `read`, found in the description by a model."""

VOLUNTEERED: Final = "told"
"""The source of what a user reported without a question. Deliverables store this word."""
DESCRIBED: Final = "described"
"""The source of what the description says in a ticket's words."""
ALIKE: Final = "alike"
"""The source of what only resembles the user's words."""
UNASKED: Final = (VOLUNTEERED, DESCRIBED, ALIKE)
"""The sources of what a user said without a question."""


class Evidence(Contract):
    """One phenomenon for or against a cause."""

    phenomenon_id: str
    description: str
    finding: Finding
    weight: float
    """Natural-log likelihood ratio of this finding for the cause against the average of the others; positive: for it."""
    tickets: tuple[str, ...] = ()
    """Tickets of the cause that show it."""
    source: EvidenceSource = "asked"
    quote: str = ""
    """The user's own words that a model took for it. Empty: a closed answer, or what was looked up, says it."""

    @property
    def bears(self) -> bool:
        """Whether it was seen and speaks for the cause. What only a model read, or what only resembles the user's words, was not."""
        return self.finding is Finding.CONFIRMED and self.weight > 0 and self.source not in ("read", ALIKE)


class ReadFinding(Contract):
    """A phenomenon that a description or an answer states or rules out in other words, as a model reads it."""

    phenomenon_id: str
    finding: Finding
    quote: Text = Field(min_length=1, max_length=1_000)
    """The words of the person that say so."""


class HeardTurn(Contract):
    """What a model heard in one answer that is no closed form, as far as the answer bears it."""

    turn: int = Field(ge=1)
    """Of the question."""
    answer: str
    """The user's words."""
    findings: tuple[ReadFinding, ...] = ()
    """On the items of the question."""
    corrections: tuple[ReadFinding, ...] = ()
    """On items that were asked earlier; `unknown` takes an answer back."""
    remarks: tuple[str, ...] = ()
    """What else the person saw, in their words."""
    system: str = ""
    """The system that it names."""
    corrected: tuple[ReadFinding, ...] = ()
    """What later answers say of the items of this question."""


class Hypothesis(Contract):
    """One cause with its confidence and an explanation."""

    cause_id: str
    root_cause: str
    confidence: float = Field(ge=0, le=1)
    """Posterior probability among the causes of the evidence and `none of them`."""
    prior: float = Field(ge=0, le=1)
    symptom_similarity: float = Field(ge=-1, le=1)
    """Similarity of the description to this cause's tickets: the highest cosine."""
    evidence: tuple[Evidence, ...] = ()
    ticket_ids: tuple[str, ...] = ()


class Verdict(StrEnum):
    """How a dialogue may end."""

    DIAGNOSED = "diagnosed"
    UNCERTAIN = "uncertain"
    """The most likely cause, below the threshold. It is marked as forced, with what is missing."""
    UNKNOWN = "unknown"
    """The history does not support any diagnosis. This is a valid result."""


class Noted(Contract):
    """What the user said beside the answers, in their words, and what became of it."""

    text: str
    like: str = ""
    """The phenomenon of tickets that it was taken for. Empty: it was searched for, and no phenomenon says it."""
    is_seen: bool = False
    """Whether it says that phenomenon in its very words, which counts as seen; else it ranks causes, and confirms nothing."""


class Fix(Contract):
    """What helped in tickets of the named cause."""

    solution: str
    tickets: tuple[str, ...] = Field(min_length=1)
    """Those with this text."""


class Diagnosis(Contract):
    """The deliverable of stage `diagnosis`."""

    verdict: Verdict
    root_cause: str | None = None
    cause_id: str | None = None
    confidence: float = Field(ge=0, le=1)
    forced: bool = False
    """Concluded because no turn was left, not because the threshold was reached."""
    solution: str | None = None
    """The solution that the history has for the cause: the longest of its tickets, in the user's language if there is one."""
    fixes: tuple[Fix, ...] = ()
    """What helped in the tickets that are cited, each text once. Empty where the solution is of no ticket."""
    evidence_for: tuple[Evidence, ...] = ()
    evidence_against: tuple[Evidence, ...] = ()
    cited_tickets: tuple[str, ...] = ()
    """At least one, all existing, unless the verdict is `unknown` or the cause was found in the system itself."""
    reported: tuple[str, ...] = ()
    """What a person added to the incident without being asked."""
    to_check: tuple[PhenomenonItem, ...] = ()
    """What may be looked at next, with how: the open questions, else what the named cause shows and nobody asked about."""
    not_checked: tuple[str, ...] = ()
    """Descriptions of phenomena whose observation would help to decide."""
    alternatives: tuple[Hypothesis, ...] = ()
    """The other hypotheses, best first; at most 4."""
    explanation: Sayable
    """The reasons, one per line."""
    turns: int = Field(ge=0)
    method: DiagnosisMethod = DiagnosisMethod.GAR
    """The method that drew the conclusion. For `hybrid`, the method whose conclusion was accepted."""
    together: tuple[str, ...] = ()
    """Ids of the causes that act at once, where there are several. `root_cause` names all of them, and `cause_id` is that of a ticket
    with these causes."""
    words: str = ""
    """The conclusion in a model's words. Empty: there are none; nothing is missing without them."""
    words_left_out: bool = False
    """Sentences of them are left out: they have a figure, a name or a command that nobody gave, or another language."""
    unread: tuple[str, ...] = ()
    """Words of the user that nobody could read; they changed nothing."""
    noted: tuple[Noted, ...] = ()
    """What the user said beside the answers."""
    ruled_out: tuple[str, ...] = ()
    """Causes that a person ruled out, in the words of the history: nothing of them was weighed."""
    heard: tuple[HeardTurn, ...] = ()
    """What a model heard in the answers."""
    gathered: Gathered | None = None
    """What was found in the system without asking anybody. None: no system was looked at."""
    by_data: bool = False
    """Whether the cause was found in the system itself. It then needs no ticket; those that are cited have its like."""
    downgraded: Sayable | None = None
    """Why a stronger conclusion was rejected: a citation that does not exist, or a cause that its tickets do not support."""


class RarRecommendation(Contract):
    """One check that RAR proposes."""

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
    """Ids of the tickets that support it; only tickets that were shown count."""


class RarAnswer(Contract):
    """One turn of RAR by a model or by rules. Both use the same contract and are checked by the same guardrails."""

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


class HeardItem(Contract):
    """What an answer says of one item, as a model reads it."""

    number: int
    """Of the item in the question."""
    finding: Finding
    quote: Text = Field(max_length=1_000)
    """The words of the answer that say it, copied."""


class HeardAnswer(Contract):
    """A model's reading of an answer to a question."""

    items: tuple[HeardItem, ...] = Field(max_length=10)
    """Those items that the answer speaks of."""
    earlier: tuple[HeardItem, ...] = Field(default=(), max_length=10)
    """Items of the list of earlier answers that the answer corrects or takes back (`unknown`)."""
    remarks: tuple[Text, ...] = Field(default=(), max_length=10)
    """What else the person observed, each copied from the answer."""
    system: Text = Field(default="", max_length=200)
    """The system that the person says the incident is about, copied from the answer; empty: they name none."""


class RarRanking(Contract):
    """A model's order of the candidate tickets."""

    ticket_ids: tuple[Text, ...] = Field(max_length=100)
    """The most relevant tickets first. Only tickets that were shown count; missing ones follow in the old order."""


class TurnFinding(Contract):
    """Something that the person said or that was looked up, as a model reads it."""

    quote: Text = Field(max_length=1_000)
    """The words that say it, copied."""
    present: bool
    """False: they say that it is not so."""
    item: int = 0
    """Number of the item of the latest question that they answer; 0: of none."""
    shown_in: tuple[Text, ...] = Field(default=(), max_length=10)
    """Phenomena of tickets that say the same, as they are numbered: `T-1/2`."""


class TurnItem(Contract):
    """One thing that the person is to look at."""

    text: Text = Field(min_length=1, max_length=500)
    how: Text = Field(default="", max_length=1_000)
    """A command, a query or a place."""
    shown_in: tuple[Text, ...] = Field(default=(), max_length=10)
    why: Text = Field(default="", max_length=500)
    """What an answer would tell."""


class TurnCause(Contract):
    """A cause of the history."""

    tickets: tuple[Text, ...] = Field(min_length=1, max_length=10)
    """Ids of the tickets with it, the likest first."""
    probability: float = Field(ge=0, le=1)


class DiagnoserTurn(Contract):
    """One turn of a diagnosis that a model leads."""

    reasoning: Text = Field(max_length=1_500)
    """First, so that a model which writes in this order thinks before it decides."""
    findings: tuple[TurnFinding, ...] = Field(default=(), max_length=30)
    causes: tuple[TurnCause, ...] = Field(default=(), max_length=3)
    """The likeliest first; what they leave of 1 is for causes that the history does not have."""
    action: Literal["ask", "diagnose", "unknown"]
    items: tuple[TurnItem, ...] = Field(default=(), max_length=3)
    """With `ask`."""
    summary: Text = Field(default="", max_length=1_500)
    """With `diagnose` and `unknown`: for the person."""

    @model_validator(mode="after")
    def _complete(self) -> "DiagnoserTurn":
        if self.action == "ask" and not self.items:
            raise ValueError("action `ask` needs items")
        if self.action == "diagnose" and not self.causes:
            raise ValueError("action `diagnose` needs causes")
        return self
