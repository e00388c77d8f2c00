"""A user's word on an answer: a right statement becomes an example that the next question finds, a definition is used by it."""

from dataclasses import dataclass

from pydantic import Field, ValidationError, model_validator
from sqlglot import exp

from contracts.ask.results import Queried, SqlMade
from contracts.ask.steps import AskAnswer, AskPlan
from contracts.base import Contract, Json, Text
from contracts.queries import QueryPlan
from contracts.statements import Sayable, Statement, code, passage, quote, say, term
from contracts.statements import name as identifier
from workers.blackboard.engine import Database
from workers.catalogue import Catalogue
from workers.coordinator.feedback import EndedJob, read_ended, tell_feedback
from workers.engines.sql.names import KnownTables
from workers.engines.sql.trees import NotParsed, parse_statement, table_name
from workers.errors import Conflict, InvalidInput
from workers.kinds.ask.defining import Wanted, keep, wanted
from workers.kinds.ask.formulas import formula_in
from workers.kinds.ask.playbook import PLAYBOOK
from workers.kinds.base import FeedbackChoice, FeedbackGiven, FeedbackPlace, Giving
from workers.settings import load_settings
from workers.sources import Sources


class AskSaid(Contract):
    """A user's feedback on an answer."""

    good: bool = Field(default=False, description="An answer to a question about data: it was right, and may serve as an example.")
    bad: bool = Field(default=False, description="An answer to a question about data: it was wrong.")
    instead: Text = Field(
        default="",
        max_length=20_000,
        description="With --bad: what is right. A SELECT becomes the example for the question; words are kept with the feedback.",
        json_schema_extra={"metavar": "TEXT"},
    )
    define: Text = Field(
        default="",
        max_length=800,
        description="What a word of an answer means in its source, NAME = FORMULA; every later question uses it.",
        json_schema_extra={"metavar": "TEXT"},
    )
    replace: bool = Field(default=False, description="With --define: in the place of another definition of the word.")

    @model_validator(mode="after")
    def _says_one(self) -> "AskSaid":
        if sum((self.good, self.bad, bool(self.define.strip()))) != 1:
            raise ValueError("say one of --good, --bad and --define")
        if self.instead and not self.bad:
            raise ValueError("--instead goes with --bad")
        return self


class AskLearnt(Contract):
    """What became of the feedback."""

    verdict: Text
    example: Text = ""
    """The place of the example in the catalogue; empty: there is none."""
    instead: Text = ""
    """What the user says is right, in words."""
    defined: Text = ""
    """The word that was defined."""


def give_feedback(given: Giving, form: AskSaid) -> FeedbackGiven:
    """Keep the statement of a good answer, or the right one of a wrong answer, as an example; or a definition. Raises what `read_ended`
    raises, `InvalidInput` for a statement that would not run, and `Conflict` where there is no statement or another definition."""
    read = _read(given, form)
    learnt = AskLearnt(verdict="bad", instead=read.words)
    if (wrong := read.wrong) is not None:
        Catalogue(given.database, None).unconfirm(wrong.question, wrong.sql, source=wrong.source, owner=read.owner)
    if read.definition is not None:
        keep(given.database, read.definition, read.owner, replace=form.replace)
        learnt = AskLearnt(verdict="defined", defined=read.definition.name)
    elif read.example is not None:
        example = read.example
        known = Catalogue(given.database, given.embedder).confirm(
            example.question, example.sql, example.tables, source=example.source, owner=read.owner, plan=example.plan
        )
        learnt = AskLearnt(verdict="good" if form.good else "bad", example=known.place)
    with given.database.session() as connection, connection.transaction():
        tell_feedback(connection, given.job_id, read.stage, learnt.to_json())
    return FeedbackGiven(learnt, (read.done,))


def preview_feedback(given: Giving, form: AskSaid) -> tuple[Sayable, ...]:
    """What would be kept. Raises what `give_feedback` raises, but for a contradiction, which is shown."""
    read = _read(given, form)
    if read.definition is not None:
        return read.definition.lines
    if read.example is not None:
        example = read.example
        about = {"question": quote(example.question), "source": identifier(example.source)}
        return (say("ask.preview.example", sql=code(example.sql), **about),)
    return (say("ask.preview.words", text=passage(read.words)) if read.words else say("ask.preview.bad"),)


def places(content: Json, given: Json | None) -> tuple[FeedbackPlace, ...]:
    """The answer: right, or wrong and what it was instead; and what its figure is called here."""
    try:
        plan = AskPlan.model_validate(content)
    except ValidationError:
        return ()
    if plan.answer is None or not any(isinstance(result, Queried | SqlMade) and result.sql for result in plan.answer.results):
        return ()
    verdict = str((given or {}).get("verdict") or "")
    right = FeedbackChoice(term("ask.feedback.right"), {"good": True}, is_given=verdict == "good")
    wrong = FeedbackChoice(term("ask.feedback.wrong"), {"bad": True, "instead": ""}, asks=("instead",), is_given=verdict == "bad")
    own = FeedbackChoice(term("ask.feedback.define"), {"define": _begun(plan)}, asks=("define",), needs=True, is_given=verdict == "defined")
    return (FeedbackPlace(term("ask.feedback.about"), (right, wrong, own)),)


def _begun(plan: AskPlan) -> str:
    """The line of a definition as far as the answer says it: a definition that it used, else what it computed."""
    answer = plan.answer
    results = () if answer is None else answer.results
    used = next((item for result in results if isinstance(result, SqlMade | Queried) for item in result.definitions), None)
    made = None if answer is None else answer.state.plan
    formula = "" if made is None else formula_in(made)
    if used is not None:
        return f"{used.name} = {formula or used.text}"
    return f" = {formula}" if formula else ""


@dataclass(frozen=True, slots=True)
class _Example:
    """A statement that answers a question."""

    question: str
    sql: str
    tables: tuple[str, ...]
    source: str
    plan: QueryPlan | None = None


@dataclass(frozen=True, slots=True)
class _Said:
    """Feedback as it was read, before anything is kept."""

    stage: str
    owner: str
    done: Statement
    """The answer once it was kept."""
    example: _Example | None = None
    wrong: _Example | None = None
    """What the user says is wrong: it is no example any more."""
    definition: Wanted | None = None
    words: str = ""


def _read(given: Giving, form: AskSaid) -> _Said:
    ended = read_ended(given.database, given.job_id, PLAYBOOK.kind, ())
    stage, answer = _answer(ended)
    owner, question = _owner(given.database, given), answer.state.question
    if form.define.strip():
        definition = wanted(given.database, answer.state.source, form.define, owner, given.job_id)
        return _Said(stage, owner, say("ask.feedback.defined", name=quote(definition.name)), definition=definition)
    if form.good:
        kept = _example(answer)
        if kept is None:
            raise Conflict.of(say("ask.refused.no_example", job=identifier(given.job_id)))
        return _Said(stage, owner, say("ask.feedback.good", question=quote(question)), example=kept)
    wrong = _example(answer)
    if (right := _right_statement(given, answer, form.instead, owner)) is not None:
        return _Said(stage, owner, say("ask.feedback.corrected", question=quote(question)), example=right, wrong=wrong)
    words = form.instead.strip()
    return _Said(stage, owner, say("ask.feedback.bad_kept") if words else say("ask.feedback.bad"), words=words, wrong=wrong)


def _right_statement(given: Giving, answer: AskAnswer, text: str, owner: str) -> _Example | None:
    """The statement that a user brings in the place of a wrong one; None: it is words. Raises `InvalidInput` where it would not run."""
    source = answer.state.source
    try:
        tree = parse_statement(text, answer.state.dialect) if text.strip() else None
    except NotParsed:
        return None
    if not isinstance(tree, exp.Query) or not source:
        return None
    problem = Sources(given.database, given.data_dir or load_settings().data_dir).check(source, text, owner=owner)
    if problem is not None:
        raise InvalidInput.of(say("ask.refused.would_not_run", reason=passage(problem)))
    known = KnownTables(Catalogue(given.database, None).tables(source, owner=owner))
    found = (known.find(table_name(table)) for table in tree.find_all(exp.Table))
    return _Example(answer.state.question, text.strip(), tuple(dict.fromkeys(table.full_name for table in found if table)), source)


def _answer(ended: EndedJob) -> tuple[str, AskAnswer]:
    """What the last round of the plan answered."""
    rounds = sorted((stage for stage in ended.contents if stage.startswith("plan/")), key=lambda stage: int(stage.rpartition("/")[2]))
    for stage in reversed(rounds):
        plan = ended.read(AskPlan, stage)
        if plan.answer is not None:
            return stage, plan.answer
    raise Conflict.of(say("ask.refused.no_answer", job=identifier(ended.job_id)))


def _example(answer: AskAnswer) -> _Example | None:
    """The statement of an answer as one that answers its question; None: it has none."""
    for result in reversed(answer.results):
        if isinstance(result, Queried | SqlMade) and result.sql and not result.problems:
            sql = result.runs if isinstance(result, SqlMade) else result.sql
            plan = answer.state.plan if answer.state.sql == sql else None
            return _Example(answer.state.question, sql, result.tables, result.source, plan)
    return None


def _owner(database: Database, given: Giving) -> str:
    row = database.row("SELECT owner FROM jobs WHERE id = %(id)s", {"id": given.job_id})
    return str(row["owner"]) if row else ""
