"""What a model answers for the architect: jobs with the tables on the way, what runs them, and what may go wrong.

It is asked where the requirement wants tables kept on the way, or says how it is run. Every other requirement is one job, by code.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from contracts.base import Json
from contracts.etl.answers import DesignAnswer, ProposedJob
from contracts.pipelines.analysis import AnalysisResult, AnalysisStep, Origin, SourceWork, TargetColumn
from contracts.pipelines.wishes import Component
from contracts.pipelines.workflow import ComponentKind, ComponentSpec, Workflow, WorkflowJob, WorkflowStage
from contracts.statements import Sayable, name, passage, say
from workers.engines.requirements.naming import free_name
from workers.engines.sql.names import KnownTables
from workers.engines.sql.names.given import given_name
from workers.kinds.etl.roles.by_model import (
    SHARE_MEMORY,
    SHARE_REMARKS,
    SHARE_REQUIREMENT,
    Known,
    column_text,
    objections,
)
from workers.kinds.etl.rules.architecture import base_name
from workers.llm.brief import Brief
from workers.llm.checked import ask_checked
from workers.llm.client import ChatClient, Tools
from workers.saying.numbers import language_name

_SHARE_SAID = 0.05
"""Share of the model's window for what the analyst says of tables on the way, and of how the jobs are run."""
_LONGEST_JOB = 56
"""Characters of a job's id before a number."""


def has_a_choice(analysis: AnalysisResult) -> bool:
    """The requirement leaves something to an architect."""
    return analysis.read_by is Origin.MODEL and bool(analysis.intermediate or analysis.running)


def design_by_model(
    chat: ChatClient,
    analysis: AnalysisResult,
    usual: Workflow,
    known: Known,
    components: Sequence[ComponentSpec],
    *,
    settled: Component | None,
    readers: Sequence[str],
    language: str,
    tools: Tools,
    remarks: Sequence[Json] = (),
) -> Workflow:
    """The jobs as a model designs them. `usual`: the workflow of one job, as code makes it; what a model does not say stays as it is there.
    `settled`: what the user or an operator chose to run the jobs. `readers`: tables that are made from the target. Raises
    `ModelAnswerUnusable`, and what `chat.work` raises."""
    brief = Brief.of(chat)
    runs_sql = {spec.component.value: spec for spec in components if spec.kind is ComponentKind.SQL}
    from_user = {  # made first, so that it has room
        "requirement": brief.text("requirement", analysis.requirement, SHARE_REQUIREMENT),
        "remarks": brief.text("remarks", objections(remarks), SHARE_REMARKS),
        "intermediate": brief.items("tables on the way", list(analysis.intermediate), _SHARE_SAID),
        "running": brief.text("running", analysis.running, _SHARE_SAID),
    }
    shown = known.shown(brief, [table for table in known.tables if table.full_name in analysis.tables])
    answer = ask_checked(
        chat,
        DesignAnswer,
        lambda answer: _problem(answer, analysis, KnownTables(known.tables), runs_sql),
        calls=tools,
        prompt="architect/etl",
        **{part: shown[part] for part in ("tables", "joins", "queries", "today")},
        memory=brief.text("session", known.memory, SHARE_MEMORY),
        **from_user,
        dialect=usual.dialect,
        target=analysis.target.table,
        mode=analysis.target.mode.value,
        columns="\n".join(column_text(column) for column in analysis.target.columns),
        steps="\n".join(f"{number}. {step.name}" for number, step in enumerate(in_words(analysis), 1)),
        components="\n".join(f"{name_}: settings {', '.join(spec.settings) or 'none'}" for name_, spec in runs_sql.items()),
        settled=settled.value if settled is not None else "",
        usual=usual.jobs[-1].component.value,
        readers=", ".join(readers),
        language=language_name(language),
        prompt_cuts=brief.cut_rows(),
    )
    component = settled or (runs_sql[answer.component.strip().upper()].component if answer.component.strip() else usual.jobs[-1].component)
    known_settings = runs_sql[component.value].settings if component.value in runs_sql else ()
    settings = {item.name.strip(): item.value for item in answer.settings if item.name.strip() in known_settings}
    jobs = _jobs(answer, analysis, component, settings)
    return usual.model_copy(
        update={
            "jobs": jobs,
            "layers": _layers(jobs),
            "risks": (*usual.risks, *(passage(risk).text for risk in answer.risks)),
            "confidence": min(usual.confidence, answer.confidence),
        }
    )


def in_words(analysis: AnalysisResult) -> list[AnalysisStep]:
    """The steps that a model named, which have numbers in its prompt."""
    return [step for step in analysis.steps if step.work is None]


def _problem(answer: DesignAnswer, analysis: AnalysisResult, known: KnownTables, components: Mapping[str, ComponentSpec]) -> str | None:
    """What is wrong with a design, for the model."""
    steps, target = len(in_words(analysis)), analysis.target.table
    carried = Counter(step for job in answer.jobs for step in job.steps)
    if wrong := [step for step in {*carried, *range(1, steps + 1)} if carried[step] != 1 or step > steps]:
        return f"Each step from 1 to {steps} belongs to exactly one job. It is not so with: {', '.join(map(str, sorted(wrong)))}."
    if empty := [job.table for job in answer.jobs if not job.steps]:
        return f"The job of {empty[0]} carries out no step."
    if answer.jobs[-1].table.strip().lower() != target.lower():
        return f"The last job fills {target}, not {answer.jobs[-1].table}."
    if (chosen := answer.component.strip().upper()) and chosen not in components:
        return f"`component` is one of {', '.join(components)}."
    return _problem_of_tables(answer, known) or _problem_of_reads(answer, analysis)


def _problem_of_tables(answer: DesignAnswer, known: KnownTables) -> str | None:
    taken = {answer.jobs[-1].table.strip().lower()}
    for job in answer.jobs[:-1]:
        table, columns = job.table.strip(), [_column(item.name) for item in job.columns]
        if not table or table.lower() in taken or known.made_as(table) is not None:
            return f"There is a table {table} already: a job reads it, or leaves one of another name."
        if any(part != given_name(part, "table") for part in table.split(".")):
            return f"{table} is not a name of a table: letters, digits and _."
        if not columns or any(not item.type.strip() for item in job.columns) or len({*columns}) < len(columns):
            return f"The table {table} on the way has `columns`, each with a name of its own and a type."
        if missing := [item for item in job.key if _column(item) not in columns]:
            return f"`key` of {table} has columns of it: {', '.join(missing)} is not among them."
        taken.add(table.lower())
    return None


def _problem_of_reads(answer: DesignAnswer, analysis: AnalysisResult) -> str | None:
    sources = {table.lower() for table in analysis.tables}
    left, read = set[str](), set[str]()
    for job in answer.jobs:
        own = {item.strip().lower() for item in job.reads}
        if unknown := sorted(own - sources - left):
            return f"The job of {job.table} reads {', '.join(unknown)}, which is not in the list, and no job before it leaves it."
        if not own:
            return f"Say what the job of {job.table} reads."
        read |= own
        left.add(job.table.strip().lower())
    if unread := sorted((sources | left) - read - {answer.jobs[-1].table.strip().lower()}):
        return f"No job reads {', '.join(unread)}."
    return None


def _column(text: str) -> str:
    return given_name(text, "value")


def _jobs(answer: DesignAnswer, analysis: AnalysisResult, component: Component, settings: Json) -> tuple[WorkflowJob, ...]:
    """Jobs as the workflow has them; tables of the source by their full names."""
    source_steps = {step.work.table.lower(): step for step in analysis.steps if isinstance(step.work, SourceWork)}
    numbered = in_words(analysis)
    made, ids = dict[str, ProposedJob](), dict[str, str]()
    taken = set[str]()
    jobs: list[WorkflowJob] = []
    for job in answer.jobs:
        is_last = job is answer.jobs[-1]
        table = analysis.target.table if is_last else job.table.strip()
        own = [item.strip().lower() for item in job.reads]
        id_ = free_name(base_name(table.rpartition(".")[2])[:_LONGEST_JOB], taken)
        taken.add(id_)
        step_ids = (*(source_steps[item].id for item in dict.fromkeys(own) if item in source_steps), *_numbered(numbered, job.steps))
        stage = WorkflowStage(
            id=id_,
            step_ids=step_ids,
            inputs=tuple(source_steps[item].inputs[0] if item in source_steps else made[item].table.strip() for item in dict.fromkeys(own)),
            output=table,
            columns=() if is_last else _columns(job),
            key=() if is_last else tuple(_column(item) for item in job.key),
        )
        given = {"retries": job.retries, "retry_delay_s": job.retry_delay_s, "timeout_s": job.timeout_s}
        jobs.append(
            WorkflowJob(
                id=id_,
                name=_said(table, is_last),
                step_ids=step_ids,
                depends=tuple(ids[item] for item in dict.fromkeys(own) if item in ids),
                stages=(stage,),
                component=component,
                settings=settings,
                **{what: value for what, value in given.items() if value is not None},
            )
        )
        made[table.lower()], ids[table.lower()] = job, id_
    return tuple(jobs)


def _said(table: str, is_last: bool) -> Sayable:
    return say("etl.job.target", table=name(table)) if is_last else say("etl.job.on_the_way", table=name(table))


def _columns(job: ProposedJob) -> tuple[TargetColumn, ...]:
    return tuple(TargetColumn(name=_column(item.name), type=item.type.strip(), description=item.description) for item in job.columns)


def _numbered(steps: Sequence[AnalysisStep], numbers: Sequence[int]) -> tuple[str, ...]:
    return tuple(steps[number - 1].id for number in sorted(numbers))


def _layers(jobs: Sequence[WorkflowJob]) -> tuple[tuple[str, ...], ...]:
    """Jobs that may run at the same time."""
    depth = dict[str, int]()
    for job in jobs:
        depth[job.id] = 1 + max((depth[item] for item in job.depends), default=-1)
    return tuple(tuple(job.id for job in jobs if depth[job.id] == layer) for layer in range(max(depth.values()) + 1))
