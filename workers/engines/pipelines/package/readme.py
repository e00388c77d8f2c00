"""The README of a package: what it makes, how to run it, what was decided, what is open, and what was tried."""

from collections.abc import Iterator, Sequence

from sqlglot import exp

from contracts.pipelines.analysis import Ambiguity, AnalysisResult
from contracts.pipelines.script import SqlScript
from contracts.pipelines.trial import CheckStatus, TrialCheck
from contracts.pipelines.wishes import PackageForm
from contracts.sql_review import SampleTable
from contracts.statements import Sayable, Statement, as_value, code, count, listing, member_term, name, names, number, say, term
from workers.engines.pipelines.package.contents import Contents
from workers.engines.pipelines.package.names import code_span, fenced, markdown
from workers.engines.sql.trees import parse


class Readme:
    """Writes it, in the language of the texts."""

    def __init__(
        self,
        contents: Contents,
        form: PackageForm,
        decisions: Sequence[Sayable],
        open_: Sequence[Sayable],
        demands: Sequence[Sayable] = (),
    ) -> None:
        self._contents = contents
        self._form = form
        self._decisions = decisions
        self._open = open_
        self._demands = demands

    def text(self) -> str:
        """The whole file."""
        blocks = [
            *self._head(),
            *self._how_to_run(),
            *self._target(),
            *self._steps(),
            *self._jobs(),
            *self._list(say("pipelines.readme.demands"), self._demands),
            *self._list(say("pipelines.readme.decisions"), self._decisions),
            *self._list(say("pipelines.readme.open"), self._open, empty=say("pipelines.readme.nothing_open")),
            *self._tried(),
            *self._reviewed(),
        ]
        return "\n\n".join(blocks) + "\n"

    def _say(self, text: Sayable) -> str:
        """A statement keeps its code in backticks; a user's or model's sentence is plain text."""
        shown = self._contents.text(text)
        return shown if isinstance(text, Statement) else markdown(shown)

    def _heading(self, text: Statement, level: int = 2) -> str:
        return f"{'#' * level} {self._say(text)}"

    def _head(self) -> Iterator[str]:
        analysis = self._contents.analysis
        yield f"# {markdown(analysis.target.table)}"
        yield self._say(analysis.summary)
        if (about := self._contents.about) and about != analysis.requirement.strip():
            yield markdown(about)
        if analysis.requirement:
            yield self._heading(say("pipelines.readme.requirement"))
            yield fenced(analysis.requirement.strip())

    def _how_to_run(self) -> Iterator[str]:
        yield self._heading(say("pipelines.readme.run"))
        match self._form:
            case PackageForm.DBT:
                yield self._say(say("pipelines.readme.run_dbt", profiles=code("profiles.yml")))
                yield "```sh\ndbt build --profiles-dir .\n```"
            case PackageForm.SQL:
                yield self._say(say("pipelines.readme.run_sql", variable=code("DATABASE_URL")))
                yield "```sh\npython run.py DATABASE\n```"
            case PackageForm.AIRFLOW:
                file = f"dags/{self._contents.workflow.name}.py"
                yield self._say(say("pipelines.readme.run_airflow", file=code(file), variable=code("PIPELINE_CONN_ID")))
        if self._form is not PackageForm.DBT:
            yield from (self._say(text) for text in self._schemas())
        schedule = self._contents.workflow.schedule
        zone = code(self._contents.zone)
        when = say("pipelines.readme.schedule", cron=code(schedule), zone=zone) if schedule else say("pipelines.readme.no_schedule")
        yield self._say(when)
        trees = [tree for script in self._contents.scripts for tree in self._trees(script)]
        if any(tree.find(exp.CurrentDate, exp.CurrentTimestamp) for tree in trees):
            yield self._say(say("pipelines.readme.day", day=code("CURRENT_DATE"), zone=zone))

    def _schemas(self) -> Iterator[Statement]:
        """Those of tables that a run makes, where no table of the source is in them: dbt makes them, a script does not."""
        there = {table.schema_name.lower() for table in self._contents.sources}
        made = dict.fromkeys(script.target.partition(".")[0] for script in self._contents.scripts if script.target.count(".") == 1)
        for schema in made:
            if schema and schema.lower() not in there and not self._contents.analysis.target.exists:
                statement = exp.Create(this=exp.Table(this=exp.to_identifier(schema)), kind="SCHEMA", exists=True)
                yield say("pipelines.readme.schema", schema=code(schema), statement=code(statement.sql(self._contents.dialect or None)))

    def _trees(self, script: SqlScript) -> Iterator[exp.Expr]:
        for statement in script.statements:
            yield from parse(statement, self._contents.dialect)

    def _target(self) -> Iterator[str]:
        target = self._contents.analysis.target
        yield self._heading(say("pipelines.readme.target"))
        facts = [say("pipelines.readme.mode", mode=member_term("pipelines.mode", target.mode))]
        facts.append(say("pipelines.readme.grain", key=names(target.key)) if target.key else say("pipelines.readme.no_grain"))
        facts += [say("pipelines.readme.partitions", columns=names(target.partition_by))] if target.partition_by else []
        if (kept := target.history) is not None:
            origins = [code(f"{table}.{column}") for table, column in self._contents.sources_of(kept.valid_from)]
            since, until = code(kept.valid_from), code(kept.valid_to)
            facts.append(say("pipelines.readme.versions", since=since, until=until, end=code(kept.open_end)))
            facts.append(
                say("pipelines.readme.since_change", since=since, origins=listing(*origins))
                if origins
                else say("pipelines.readme.since_run", since=since)
            )
        facts += [say("pipelines.readme.keeps", table=code(target.keeps_all))] if target.keeps_all else []
        facts.append(say("pipelines.readme.reads", tables=names(table.full_name for table in self._contents.sources)))
        yield "\n".join(f"- {self._say(fact)}" for fact in facts)
        heads = [
            say("pipelines.readme.column"),
            say("pipelines.readme.type"),
            say("pipelines.readme.meaning"),
            say("pipelines.readme.from"),
        ]
        yield self._table([self._say(head) for head in heads], [self._column(column.name) for column in target.columns])

    def _column(self, column: str) -> list[str]:
        target = self._contents.analysis.target
        found = next(item for item in target.columns if item.name == column)
        edges = self._contents.sources_of(column)
        origins = ", ".join(code_span(f"{table}.{source}") for table, source in edges)
        return [
            code_span(column),
            code_span(kind) if (kind := self._contents.type_of(column)) else "",
            self._say(found.description) if found.description else "",
            origins,
        ]

    def _steps(self) -> Iterator[str]:
        steps = self._contents.analysis.steps
        if steps:
            yield self._heading(say("pipelines.readme.steps"))
            shown = [
                " ".join(filter(None, (self._say(step.name), self._say(step.description) if step.description else ""))) for step in steps
            ]
            yield "\n".join(f"{place}. {text}" for place, text in enumerate(shown, 1))

    def _jobs(self) -> Iterator[str]:
        workflow = self._contents.workflow
        yield self._heading(say("pipelines.readme.jobs"))
        heads = [say("pipelines.readme.job"), say("pipelines.readme.makes"), say("pipelines.readme.after"), say("pipelines.readme.by")]
        rows = [
            [code_span(job.id), code_span(job.output), ", ".join(map(code_span, job.depends)), f"{job.component.value}"]
            for job in workflow.jobs
        ]
        yield self._table([self._say(head) for head in heads], rows)
        followed = [item for item in workflow.followed if item not in self._decisions]
        yield from self._list(say("pipelines.readme.followed"), followed, level=3)
        yield from self._list(say("pipelines.readme.risks"), workflow.risks, level=3)
        for script in self._contents.scripts:
            if script.adapted is not None:
                yield self._say(say("pipelines.readme.adapted", job=code(script.job), query=code(script.adapted.place)))

    def _list(self, heading: Statement, items: Sequence[Sayable], *, empty: Statement | None = None, level: int = 2) -> Iterator[str]:
        if items or empty is not None:
            yield self._heading(heading, level)
            yield "\n".join(f"- {self._say(item)}" for item in dict.fromkeys(items)) if items else self._say(empty or heading)

    def _tried(self) -> Iterator[str]:
        trial = self._contents.trial
        yield self._heading(say("pipelines.readme.trial"))
        if trial is None or not trial.checks:
            yield self._say(say("pipelines.readme.not_tried"))
            return
        if trial.has_run:
            tables = len(trial.tables)
            yield self._say(
                say("pipelines.readme.ran", engine=name(trial.engine), runs=number(trial.runs), n=count(tables), seed=name(trial.seed))
            )
        if trial.translated:
            yield self._say(say("pipelines.readme.translated", dialect=name(trial.dialect), engine=name(trial.engine)))
        yield "\n".join(f"- {self._mark(check)} {self._say(check.text)}" for check in trial.checks)
        if trial.sample is not None and trial.sample.rows:
            yield self._say(say("pipelines.readme.sample"))
            yield self._rows(trial.sample)

    def _mark(self, check: TrialCheck) -> str:
        match check.status:
            case CheckStatus.PASSED:
                word = term("pipelines.status.passed")
            case CheckStatus.FAILED:
                word = term("pipelines.status.failed")
            case CheckStatus.NOT_TRIED:
                word = term("pipelines.status.not_tried")
        return f"**{self._contents.text(word)}**"

    def _reviewed(self) -> Iterator[str]:
        reviews = self._contents.reviews
        if not reviews:
            return
        yield self._heading(say("pipelines.readme.review"))
        lines = list[str]()
        for review in reviews:
            part = member_term("pipelines.part", review.part)
            score = say("pipelines.readme.score", part=part, score=number(review.score))
            lines.append(f"- {self._say(score)} {self._say(review.summary)}")
            lines += [f"  - {self._say(issue.text)}" for issue in (*review.issues, *review.warnings)]
        yield "\n".join(lines)

    def _rows(self, sample: SampleTable) -> str:
        rows = [[markdown(cell) if cell is not None else "" for cell in row] for row in sample.rows]
        return self._table([code_span(column) for column in sample.columns], rows)

    def _table(self, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        lines = [heads, ["---"] * len(heads), *rows]
        return "\n".join("| " + " | ".join(cell.replace("\n", " ") for cell in line) + " |" for line in lines)


def open_of(analysis: AnalysisResult, contents: Contents) -> tuple[Sayable, ...]:
    """What nobody confirmed and what could not be tried, where the caller does not say it."""
    found = [reading_of(item) for item in analysis.ambiguities if item.assumed is not None]
    found += [issue for script in contents.scripts for issue in script.issues]
    return (*found, *(contents.trial.not_tried if contents.trial is not None else ()))


def reading_of(item: Ambiguity) -> Sayable:
    """What was left open, with how it was understood: an answer without its question says nothing."""
    if item.assumed is None:
        return item.question
    return say("pipelines.taken_as", question=as_value(item.question), answer=as_value(item.assumed))
