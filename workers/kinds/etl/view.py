"""The package as a data engineer reads it: what was made and whether it has run, the SQL, and what is open."""

from collections.abc import Iterator, Sequence

from pydantic import ValidationError

from contracts.base import Json
from contracts.pipelines.analysis import AnalysisResult, Demand
from contracts.pipelines.package import EtlPackage, PackageState
from contracts.pipelines.review import ReviewResult
from contracts.pipelines.script import SqlScript
from contracts.pipelines.trial import TrialCheck, TrialReport
from contracts.pipelines.workflow import Workflow
from contracts.sql_review import SampleTable, SqlReview
from contracts.statements import Sayable, Shown, Statement, Term, code, count, member_term, name, names, number, quote, say, term
from workers.engines.steps import spoken_names
from workers.kinds.base import ShowOptions
from workers.kinds.etl.lineage import lineage_section
from workers.saying.document import Block, CodeBlock, Column, Diff, Document, Fact, Facts, Heading, Paragraph, Table, Tone, bullets
from workers.saying.sql_review import checks_shown, review_blocks


def show_result(content: Json, options: ShowOptions) -> Document | None:
    """The package; None when the content is not one."""
    try:
        package = EtlPackage.model_validate(content)
    except ValidationError:
        return None
    tone = Tone.GOOD if package.state is PackageState.DONE else Tone.WARNING
    return Document(title=name(package.analysis.target.table), tone=tone, blocks=tuple(_blocks(package, options)))


def _blocks(package: EtlPackage, options: ShowOptions) -> Iterator[Block]:
    yield Paragraph(text=package.headline, tone=Tone.STRONG)
    yield from target_shown(package.analysis)
    yield from steps_shown(package.analysis)
    yield from sentences_shown(term("etl.heading.demands"), tuple(map(demand_said, package.demands)))
    yield from jobs_shown(package.workflow)
    for script in package.scripts:
        yield from script_shown(script, options)
    if options.details:
        yield from lineage_section(package.scripts, package.analysis.target.table)
    for review in package.reviews:
        yield from review_shown(review, package.scripts, options)
    if package.reviews and (trial := package.reviews[-1].trial) is not None:
        yield from trial_shown(trial)
    yield from sentences_shown(term("etl.heading.decisions"), package.decisions)
    yield from sentences_shown(term("etl.heading.open"), package.open)
    if package.files:
        yield Heading(text=term("etl.heading.files"))
        rows = tuple((name(file.path), number(file.bytes, 0)) for file in package.files)
        yield Table(columns=(Column(title=term("etl.column.path")), Column(title=term("etl.column.bytes"))), rows=rows)


def sentences_shown(title: Term, texts: tuple[Sayable, ...]) -> Iterator[Block]:
    """Sentences under a heading; nothing without any."""
    if texts:
        yield Heading(text=title)
        yield bullets(texts)


def demand_said(demand: Demand) -> Statement:
    """A demand with what became of it."""
    if demand.by:
        return say("etl.demand.met", demand=quote(demand.text), by=code(demand.by))
    return say("etl.demand.open", demand=quote(demand.text))


def target_shown(analysis: AnalysisResult) -> Iterator[Block]:
    """What is built, from what, and how it is written."""
    target = analysis.target
    facts = [
        Fact(label=term("etl.fact.source"), value=name(analysis.source)),
        Fact(label=term("etl.fact.tables"), value=names(analysis.tables)),
    ]
    facts.append(Fact(label=term("etl.fact.mode"), value=member_term("etl.mode", target.mode)))
    if target.key:
        facts.append(Fact(label=term("etl.fact.grain"), value=names(target.key)))
    if target.partition_by:
        facts.append(Fact(label=term("etl.fact.partition"), value=names(target.partition_by)))
    if analysis.schedule:
        facts.append(Fact(label=term("etl.fact.schedule"), value=name(analysis.schedule)))
    yield Facts(facts=tuple(facts))
    yield Paragraph(text=analysis.summary)


def steps_shown(analysis: AnalysisResult) -> Iterator[Block]:
    """The steps of the analysis."""
    yield Heading(text=term("etl.heading.steps"))
    spoken = spoken_names(analysis.steps)
    rows = tuple(
        (name(spoken.get(step.id, step.id)), step.name, names(spoken.get(item, item) for item in step.inputs) if step.inputs else name(""))
        for step in analysis.steps
    )
    titles = (term("etl.column.step"), term("etl.column.does"), term("etl.column.inputs"))
    yield Table(columns=tuple(Column(title=title) for title in titles), rows=rows)


def jobs_shown(workflow: Workflow) -> Iterator[Block]:
    """The jobs of the workflow, with what the plan follows and what may go wrong."""
    yield Heading(text=term("etl.heading.jobs"))
    layer = {job: place for place, jobs in enumerate(workflow.layers, 1) for job in jobs}
    rows = tuple(
        (name(job.id), name(layer.get(job.id, 0)), name(job.component), names(job.depends) if job.depends else name(""), name(job.output))
        for job in workflow.jobs
    )
    titles = (
        term("etl.column.job"),
        term("etl.column.layer"),
        term("etl.column.component"),
        term("etl.column.after"),
        term("etl.column.leaves"),
    )
    yield Table(columns=tuple(Column(title=title) for title in titles), rows=rows)
    texts = (*workflow.followed, *workflow.deviations, *workflow.risks)
    if texts:
        yield bullets(texts)


def script_shown(script: SqlScript, options: ShowOptions) -> Iterator[Block]:
    """The SQL of a job; with details what it was adapted from, and where its columns come from."""
    yield Heading(text=say("etl.heading.script", job=name(script.job)), level=2)
    yield CodeBlock(text=script.sql, language="sql")
    if script.adapted is not None and options.details:
        text = say("etl.adapted.confirmed") if script.adapted.confirmed else say("etl.adapted.known")
        yield Paragraph(text=text)
        yield Diff(text=script.adapted.diff, language="sql")
    if options.details and script.lineage:
        yield origins_table(script)


def origins_table(script: SqlScript) -> Table:
    """The columns of a script's target with those that they are computed from."""
    rows = tuple((name(item.column), names(f"{table}.{column}" for table, column in item.origins)) for item in script.lineage)
    return Table(columns=(Column(title=term("etl.column.column")), Column(title=term("etl.column.from"))), rows=rows)


def review_shown(review: ReviewResult, scripts: Sequence[SqlScript], options: ShowOptions) -> Iterator[Block]:
    """A review; with details each finding with the rows on which it shows."""
    yield Heading(text=say("etl.heading.review", part=member_term("etl.part", review.part), score=number(review.score, 0)))
    yield Paragraph(text=review.summary, tone=Tone.GOOD if review.passed else Tone.BAD)
    findings = tuple(issue.finding for issue in (*review.issues, *review.warnings) if issue.finding is not None)
    if findings and options.details:
        texts = scripts[-1].statements if len(scripts) == 1 else ()
        yield from review_blocks(SqlReview(findings=findings), texts, level=3)
    rest: list[Sayable] = [issue.text for issue in (*review.issues, *review.warnings) if issue.finding is None or not options.details]
    if rest:
        yield bullets(tuple(rest))
    yield from checks_shown(review.checked, review.not_checked)


def trial_shown(trial: TrialReport) -> Iterator[Block]:
    """The run in the sandbox: its checks, and the rows that show what failed."""
    yield Heading(text=term("etl.heading.trial"))
    rows = sum(table.rows for table in trial.tables)
    yield Paragraph(
        text=say(
            "etl.trial",
            engine=name(trial.engine),
            runs=count(trial.runs),
            tables=count(len(trial.tables)),
            rows=name(rows),
            left=name(trial.target_rows),
        )
    )
    titles = (term("etl.column.check"), term("etl.column.status"), term("etl.column.what"))
    made = tuple(_check(check) for check in trial.checks)
    if made:
        yield Table(columns=tuple(Column(title=title) for title in titles), rows=made)
    for check in trial.failures:
        for table in (*check.given, *check.shown):
            yield _sample(table)
    if trial.sample is not None and trial.sample.rows:
        yield _sample(trial.sample)


def _check(check: TrialCheck) -> tuple[Shown, ...]:
    return (member_term("etl.check", check.kind), member_term("etl.check_status", check.status), check.text)


def _sample(table: SampleTable) -> Table:
    rows = tuple(tuple(name(cell) if cell is not None else term("etl.null") for cell in row) for row in table.rows[:10])
    return Table(
        columns=tuple(Column(title=name(column)) for column in table.columns), rows=rows, caption=name(table.name) if table.name else None
    )
