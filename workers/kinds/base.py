"""A kind of job, as it is registered once: what it takes, its stages and tasks, and how it is shown, judged and measured.

The fleet, the command line and the gateway ask a `Kind` and know none by name. What a worker does not need at its start is named by
a `Ref` and imported on first use.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar
from uuid import UUID

from pydantic import BaseModel

from contracts.base import Contract, Json
from contracts.jobs import EngineChoice, JobStatus
from contracts.roles import RoleName
from contracts.statements import name
from workers.coordinator.playbooks import Playbook

if TYPE_CHECKING:
    from contracts.checks import MethodRun
    from contracts.existing_sql import ExistingSql
    from contracts.faults import Fault, FaultAdvice, SolvedFault
    from contracts.plan_wishes import PlanWish
    from contracts.statements import Sayable, Shown, Statement
    from contracts.tables import TableDetail
    from workers.blackboard.engine import Database
    from workers.catalogue import Catalogue
    from workers.checks.gathering import Looking
    from workers.llm.client import ChatClient
    from workers.llm.embedder import Embedder
    from workers.llm.probe import ProbeCase
    from workers.llm.scripted import Script
    from workers.roles.base import RoleTask, Services
    from workers.saying.document import Document
    from workers.settings import Settings
    from workers.skills import Skill, SkillProblem
    from workers.skills.evals import Dialogue, DialoguePlayed

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Ref(Generic[T]):
    """Something of a module that is imported when it is first needed: `package.module:name`."""

    path: str

    def load(self) -> T:
        """The thing itself."""
        module, _, name = self.path.partition(":")
        found: T = getattr(import_module(module), name)
        return found


@dataclass(frozen=True, slots=True)
class FeedbackGiven:
    """The effect of feedback."""

    learnt: Contract
    """For programs."""
    lines: "tuple[Sayable, ...]"
    """For people."""


@dataclass(frozen=True, slots=True)
class Giving:
    """What a kind is given to learn from feedback."""

    database: "Database"
    embedder: "Embedder | None"
    job_id: UUID
    data_dir: "Path | None" = None
    """The fleet's data folder. None: that of this process's settings."""


@dataclass(frozen=True, slots=True)
class FeedbackChoice:
    """Something that a user may say of a place by a click."""

    label: "Shown"
    values: Json
    """What it fills in of the feedback's form."""
    asks: tuple[str, ...] = ()
    """The fields that the user fills in as well, beginning with what `values` has of them."""
    needs: bool = False
    """The first of `asks` has to be filled in."""
    suggested: "tuple[tuple[str, Shown], ...]" = ()
    """Values for the first of `asks` to choose from, each with its text."""
    is_given: bool = False
    """It was said already."""


@dataclass(frozen=True, slots=True)
class FeedbackPlace:
    """A part of a result that users rate where it is shown."""

    about: "Shown"
    choices: tuple[FeedbackChoice, ...]
    anchor: str = ""
    """The anchor of the report behind which it belongs, such as `fix:F1`; where the report has none: below it."""


@dataclass(frozen=True, slots=True)
class Feedback:
    """The feedback that users may give on a finished job of this kind."""

    form: Ref[type[BaseModel]]
    """Its fields with a description become options of `bullpen feedback`; it validates what was said."""
    give: Ref[Callable[[Giving, Any], FeedbackGiven]]
    """Learns from the validated form. Raises `NotFound`, `InvalidInput` or `Conflict`."""
    preview: "Ref[Callable[[Giving, Any], tuple[Sayable, ...]]] | None" = None
    """What `give` would store, for a person to see before it is stored. Raises what `give` raises. None: it is given at once."""
    confirms: bool = False
    """The terminal shows the preview and asks, too: what is stored is a text for others to read. A page always does."""
    places: "Ref[Callable[[Json, Json | None], tuple[FeedbackPlace, ...]]] | None" = None
    """What can be rated in a result, from its content and what the last feedback event says. None: the form as it is."""
    agreed: tuple[str, ...] = ()
    """Switches of the form that a user sets who has seen the preview and stores it."""
    how: "Sayable" = ""
    """One line for a user who chose options of another kind. `{job}` in it, or the statement's value `job`, stands for the job's id."""

    def how_for(self, job: str) -> "Sayable":
        """The same for this job."""
        if isinstance(self.how, str):
            return self.how.replace("{job}", job)
        return self.how.model_copy(update={"values": {**self.how.values, "job": name(job)}})


@dataclass(frozen=True, slots=True)
class FinishedJob:
    """A job that an evaluation ran until it stopped."""

    job_id: UUID
    status: JobStatus
    error: str | None
    result: Json | None
    """Its result, if it succeeded."""
    took_ms: int


class Bench(Protocol):
    """What an evaluation may use: servers that end with it, the deployment's settings, and a voice for progress."""

    @property
    def settings(self) -> "Settings":
        """The deployment's settings, on the servers of this evaluation."""
        ...

    def change_settings(self, **changed: object) -> None:
        """Other settings than the deployment's. Raises `InvalidInput` once the servers have started."""
        ...

    def script_model(self, script: "Script") -> None:
        """Steps of jobs ask this script in the place of a model."""
        ...

    @property
    def embedder(self) -> "Embedder | None":
        """The embedding model; None when the deployment has none."""
        ...

    @property
    def database(self) -> "Database":
        """The blackboard on which `run_job` works."""
        ...

    def empty_database(self, name: str) -> "Database":
        """A migrated database with nothing in it. It ends with the evaluation."""
        ...

    def run_job(self, request: Json, engine: EngineChoice, *, session_id: UUID | None = None) -> FinishedJob:
        """Submit a job and run it to the end, through the coordinator and the roles as in the fleet."""
        ...

    def answer(self, job_id: UUID, text: str) -> FinishedJob:
        """Answer the open question of a job, and continue it."""
        ...

    def open_chat(self, role: RoleName, database: "Database") -> "ChatClient":
        """A chat with the model of a role, without a job. Raises `ConfigurationError` if there is no model."""
        ...

    def progress(self, what: str, total: int) -> AbstractContextManager[Callable[[int], None]]:
        """Show how much of something is done; give it the number done so far."""
        ...

    def warn(self, text: str) -> None:
        """Print a line that is not part of the result."""
        ...


class EvaluationResult(Contract):
    """What an evaluation found. A kind's own report inherits from it."""

    figures: dict[str, float]
    """Every figure by its name, for comparison over releases, each with its baseline: `top1`, `top1_tfidf`."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """How `bullpen eval KIND` measures this kind."""

    form: Ref[type[BaseModel]]
    """Its fields with a description become options."""
    run: Ref[Callable[[Bench, Any], EvaluationResult]]
    """Measures, under the validated form."""
    show: Ref[Callable[[Any], Any]]
    """The report as something that the terminal prints: lines, tables."""
    help: str
    """The text of `bullpen eval KIND --help`."""


@dataclass(frozen=True, slots=True)
class SkillUse:
    """What this kind takes from skill packs that say `kind: NAME`."""

    listed: Ref[Callable[[Sequence["Skill"]], Mapping[str, Json]]]
    """Pack name → what `bullpen skills list` shows of it beside its name and title."""
    problems: Ref[Callable[[Sequence["Skill"]], Sequence["SkillProblem"]]]
    """What was left out of the packs."""
    reindex: Ref[Callable[["Database", "Embedder | None", "Settings"], Json]] | None = None
    """Make the index of the packs again; what was done, as counts by name."""
    play: Ref[Callable[[Bench, "Skill", Sequence["Dialogue"], EngineChoice], Iterable["DialoguePlayed"]]] | None = None
    """Play dialogues of a skill's `evals/` through whole jobs, for `bullpen skills test`. A dialogue is played when it is taken from the
    result, so that each can be shown before the next."""
    eval_faults: Ref[Callable[["Dialogue"], Iterable[tuple[int, "Statement"]]]] | None = None
    """What cannot be checked in a dialogue, such as a check that does not exist: the number of the turn, from 1, and why."""
    draw: Ref[Callable[["Skill", str], Sequence[str]]] | None = None
    """The steps of a skill as lines, in a language, for `bullpen skills show --graph`; empty if it has none."""
    mermaid: Ref[Callable[["Skill", str], str]] | None = None
    """The same as a Mermaid flow chart."""


@dataclass(frozen=True, slots=True)
class SpecFault:
    """What is wrong in a specification, and on which line and column of the file, both from 1."""

    line: int
    text: "Sayable"
    column: int = 0
    """From 1; 0: the line as a whole."""

    @property
    def place(self) -> str:
        """The line, with the column where it is known: `8:12`."""
        return f"{self.line}:{self.column}" if self.column else str(self.line)


class WrongSpec(Exception):
    """A specification that cannot be taken."""

    def __init__(self, faults: Sequence[SpecFault]) -> None:
        super().__init__(f"{len(faults)} faults")
        self.faults = tuple(faults)


@dataclass(frozen=True, slots=True)
class DraftedSpec:
    """A specification that was made from SQL that somebody has already."""

    text: str
    lacks: "tuple[Statement, ...]" = ()
    """What neither the SQL nor an option says, each with the option that says it. In the text these are TODO."""
    notes: "tuple[Statement, ...]" = ()
    """What will not be judged, and what was taken otherwise than it is written."""


@dataclass(frozen=True, slots=True)
class Specification:
    """A file that a user writes in the place of a requirement: what `bullpen spec` makes, checks and shows."""

    draft: Ref[Callable[["Catalogue", tuple[str, str], str, str, str, Sequence[str]], str]]
    """A file to edit: from the catalogue, the source with its dialect, the table that is needed, a requirement or "", the owner, and the
    tables that it is made from by their full names; none: the likely ones."""
    source: Ref[Callable[[str], str | None]]
    """The source that a file names. Raises `WrongSpec`."""
    read: Ref[Callable[[str, str, str, Sequence["TableDetail"]], Contract]]
    """What `task` would yield, from a file, a source, its dialect and its tables. Raises `WrongSpec`."""
    task: str
    """The task whose work the file replaces; `View.deliverable` shows its content."""
    field: str
    """The field of the request that takes the text."""
    again: Ref[Callable[[Json, Json | None, tuple[str, str], Sequence["TableDetail"]], str]]
    """The specification of a job that there is, to edit and run again: from its request, what `task` yielded or None, the source with its
    dialect, and its tables."""
    existing: Ref[Callable[["ExistingSql", str, str], DraftedSpec]]
    """A specification from SQL that somebody has already, for the name of a source and a dialect. Reads files of this machine. Raises
    `InvalidInput` or `NotFound`."""


@dataclass(frozen=True, slots=True)
class BuiltQuery:
    """A query that somebody filled in, before it is asked."""

    sql: str
    says: "tuple[Sayable, ...]"
    """How it is read back."""
    request: Json
    """The job that asks it."""


@dataclass(frozen=True, slots=True)
class DemoScript:
    """A scripted user for `bullpen demo`."""

    request: Json
    """The job that is submitted."""
    title: "Shown"
    """What the text is: `the incident`."""
    text: str
    """What the user brings, as it is shown."""
    prepare: Callable[["Database", "Embedder | None", "Path"], "Sayable"]
    """Fills the knowledge base, or makes a sample source in the fleet's data folder, and returns a line about it."""
    reply: Callable[[Json], str]
    """The answer to a question, from its payload's `detail`."""


@dataclass(frozen=True, slots=True)
class ShowOptions:
    """How much of a result is to be shown, and of which job."""

    job_id: UUID | None = None
    """For the commands that the text names."""
    details: bool = False
    has_buttons: bool = False
    """The reader's medium has buttons for what may be said or done next, so that the report names no commands."""
    by_person: bool = False
    """A person wrote or edited the result, so that it is not what a role concluded."""
    page: int | None = None
    """Only this page of the result's rows, from 1; None: the whole report. For kinds whose view has `rows`."""


@dataclass(frozen=True, slots=True)
class ResultRows:
    """The rows of a result: the statement that made them, which runs again, or the rows themselves."""

    source: str
    statement: str
    row_count: int
    is_cut: bool
    """A limit of the source cut the result."""
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[Any, ...], ...] = ()
    """Where the result holds its rows: then `source` and `statement` are empty."""


@dataclass(frozen=True, slots=True)
class Handing:
    """A job that is handed over to somebody else, as its kind's page needs it."""

    job_id: UUID
    request: Json
    answered: tuple[tuple[Json, str], ...]
    """The questions of the job's own roles that were answered and still count: each payload's `detail` with the answer, oldest first."""
    open: Json | None
    """The `detail` of the question that waits for an answer."""
    result: Json | None
    stage: Callable[[str], Json | None]
    """The content of a stage as it stands now; None where it has none."""
    by_person: bool = False
    """A person wrote or edited the result."""


@dataclass(frozen=True, slots=True)
class AskedItem:
    """A numbered thing that a question asks about: yes, no, or not known."""

    number: int
    text: "Shown"
    how: "Shown | None" = None
    """How to find it out."""
    why: "Shown | None" = None
    """What the answer would show."""


@dataclass(frozen=True, slots=True)
class AskedField:
    """A value that a question asks for."""

    name: str
    options: tuple[tuple[str, str], ...] = ()
    """Values to choose from, each with its label; empty: any text."""
    label: str = ""
    """The value in words. Empty: its name says it."""


@dataclass(frozen=True, slots=True)
class AskedForm:
    """A question as a form. Its answer is a text like one that is typed: `1 yes 2 no`, or a line `name=value` for each field."""

    lead: "tuple[Shown, ...]" = ()
    """What is said before the items, where they take the place of the question's text."""
    items: tuple[AskedItem, ...] = ()
    fields: tuple[AskedField, ...] = ()


@dataclass(frozen=True, slots=True)
class Part:
    """A page of its own for a part of a result."""

    name: str
    """In the address of the page: small letters, digits and `-`."""
    document: "Document"


@dataclass(frozen=True, slots=True)
class ResultFile:
    """A file that a result holds."""

    path: str
    """Relative, with `/`. It is data: nothing is written there before it was checked."""
    text: str
    left_out: int = 0
    """How many parts of the result, each with a file of its own, this file should hold and does not."""


@dataclass(frozen=True, slots=True)
class View:
    """How content of this kind is shown, in every medium and language. Each function takes content as it is stored on the board."""

    result: Ref[Callable[[Json, ShowOptions], "Document | None"]]
    """The result as a report; None for content that it cannot read, which is then shown value by value."""
    question: Ref[Callable[[Json], "Sayable | None"]] | None = None
    """A line shown with a question, made from its payload's `detail`: the current state of the work. None if there is nothing to show."""
    handover: Ref[Callable[[Handing], "Document | None"]] | None = None
    """A page for the person who takes the work over, at any time of the job. None for content that it cannot read."""
    form: Ref[Callable[[Json], "AskedForm | None"]] | None = None
    """The form of a question, from its payload's `detail`. None: any text, or one of its choices."""
    suggestions: Ref[Callable[[Json], "tuple[Sayable, ...]"]] | None = None
    """What the user may say next, from a result."""
    parts: Ref[Callable[[Json, ShowOptions], tuple[Part, ...]]] | None = None
    """Pages for parts of a result that the report leaves to a closer look, in the order of their links. Empty for content that it cannot
    read."""
    deliverable: Ref[Callable[[str, Json], "Document | None"]] | None = None
    """What a task yields, as a report: the task's name and the content. None for content that it cannot read or that only programs read,
    which is then shown as JSON."""
    files: Ref[Callable[[Json], tuple[ResultFile, ...]]] | None = None
    """The files that a result holds, for their page and for the archive."""
    rows: Ref[Callable[[Json], "ResultRows | None"]] | None = None
    """What a result's rows came from, for pages and for `bullpen export`. None for a result that holds no rows of a statement."""


class RunItem(Protocol):
    """Runs the method of an item of a question."""

    def __call__(self, looking: "Looking", job_id: UUID, request_id: UUID, number: int, *, by: str) -> "MethodRun":
        """What it gave."""
        ...


@dataclass(frozen=True, slots=True)
class Kind:
    """Everything that one kind of job defines."""

    playbook: Playbook
    summary: str
    """One line for `bullpen submit --help`."""
    tasks: "Mapping[tuple[RoleName, str], RoleTask | Ref[RoleTask]]"
    tools: Mapping[tuple[RoleName, str], tuple[str, ...]] = field(default_factory=dict[tuple[RoleName, str], tuple[str, ...]])
    """The allow-list of each task: names of tools that its steps may call if they hold the keys. A task that is left out may call none."""
    yields: Mapping[tuple[RoleName, str], Ref[type[BaseModel]]] = field(default_factory=dict[tuple[RoleName, str], Ref[type[BaseModel]]])
    """The contract of what each task yields. An operator's own version of a deliverable must fit it; for a task that is left out, any
    JSON object is accepted."""
    edits: Mapping[tuple[RoleName, str], Ref[type[BaseModel]]] = field(default_factory=dict[tuple[RoleName, str], Ref[type[BaseModel]]])
    """For tasks of `yields`: the parameters that `replay --edit` and `fork --edit` may change, as a form whose fields all have defaults.
    A task that is left out has none."""
    unedited: "Mapping[tuple[RoleName, str], Statement]" = field(default_factory=dict[tuple[RoleName, str], "Statement"])
    """For tasks of `yields` that are not in `edits`: why there is nothing to edit, which an edit's refusal says."""
    purpose: "Shown | None" = None
    """The summary as a text of the kind's catalogue, for pages in other languages. None: the summary is shown as it is."""
    example: str = ""
    """A command that a newcomer can type."""
    files: str | None = None
    """The field of the request that names a bundle; files after `bullpen submit KIND` are uploaded for it. Without this field, the
    arguments are the request's words (`Playbook.words`)."""
    talks: bool = False
    """Whether users talk to it: `bullpen NAME "..."`, with follow-ups in a session."""
    takes_alerts: bool = False
    """Whether alerts of monitoring become jobs of this kind. What an alert says goes to the request's words (`Playbook.words`)."""
    view: View | None = None
    feedback: Feedback | None = None
    settings: Ref[type[BaseModel]] | None = None
    """Settings of this kind, read from the environment like those of the fleet; see `StepContext.settings`."""
    evaluation: Evaluation | None = None
    probes: "Ref[tuple[ProbeCase, ...]] | None" = None
    """Fixed prompts by which `bullpen eval model` measures a model, one for each sort of task."""
    skills: SkillUse | None = None
    specification: Specification | None = None
    """For `bullpen spec`; the first kind that brings this is taken."""
    recognises: "Ref[Callable[[str, bytes], Shown | None]] | None" = None
    """What a text or a file is, where it has a form that the kind takes: from its name, which is empty for a text, and its beginning."""
    examples: "Ref[Callable[[Database, str, str], tuple[str, ...]]] | None" = None
    """Texts that a newcomer can submit, about the owner's own data: for an owner and the language of the reader."""
    builder: "Ref[Callable[[Database, PlanWish, str, str], BuiltQuery]] | None" = None
    """The job for a query that is filled in: from the wish, the owner and the language of the reader. Raises `InvalidInput`. The first kind
    that brings this is asked."""
    demo: Ref[Callable[[str], DemoScript]] | None = None
    """`bullpen demo KIND` plays it, in the language (`en`, `zh`) that is given, as far as the kind has it."""
    sample_history: Ref[Callable[[], Path]] | None = None
    """A file of tickets to try the kind on: `bullpen tickets import --sample`."""
    prompts: Path | None = None
    """Folder of its prompts: `ROLE/PURPOSE.j2`."""
    locale: Path | None = None
    """Folder of its texts: `LANGUAGE/LC_MESSAGES/*.po`."""
    run: "Ref[RunItem] | None" = None
    """Runs the method of an item of a question on the system that the job is about, for a person who decides so."""
    runnable: "Ref[Callable[[Database, UUID, Any], tuple[int, ...]]] | None" = None
    """The items of a question whose method `run` would run, by their numbers: from the job and the question's detail."""
    faults: "Ref[Callable[[Fault, Sequence[SolvedFault]], FaultAdvice | None]] | None" = None
    """Finds among the fleet's solved faults what helps with another one; the first kind that brings this is asked."""
    embed_next: "Ref[Callable[[Database, Embedder], bool]] | None" = None
    """Makes the next vectors that texts of the kind lack, and says whether there were any. A retriever calls it beside its steps."""
    rehearsal: "Ref[Callable[[Services], bool]] | None" = None
    """Loads and computes what a first step of the kind would, for a process that has nothing else to do; whether there was anything to do
    it with. It writes nothing."""
    schemas: Mapping[str, Ref[Any]] = field(default_factory=dict[str, Ref[Any]])
    """Contracts that are published as JSON schemas: name → contract."""

    @property
    def name(self) -> str:
        """The name of the kind in a submission."""
        return self.playbook.kind

    @property
    def request(self) -> type[BaseModel]:
        """The contract of its request."""
        return self.playbook.request
