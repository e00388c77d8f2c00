"""What becomes of a model's SQL: right queries and wrong ones, given as a model's answers, through the reviews and the trial.

A package that a model had a part in is a draft and never done, so wrong SQL cannot be shipped as done; what counts is how much of it
is stopped before a person sees the draft, and how much right SQL is stopped too."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from contracts.pipelines.analysis import AnalysisResult, AnalysisStep, EtlTarget, Origin, SourceWork, TargetColumn
from contracts.pipelines.package import PackageState
from contracts.pipelines.review import ReviewPart, ReviewResult
from contracts.pipelines.wishes import Component, Environment
from contracts.sql_review import WriteMode
from contracts.tables import TableDetail
from workers.engines.sql.trees import NotParsed
from workers.engines.steps import NotWritable
from workers.kinds.etl.evaluation.cases import Case, read_cases
from workers.kinds.etl.roles.finalizer import needs_person
from workers.kinds.etl.rules.architecture import Known, design
from workers.kinds.etl.rules.assignment import job_spec
from workers.kinds.etl.rules.writing import as_statements, script_of
from workers.kinds.etl.work.trying import review_scripts, try_scripts


@dataclass(frozen=True, slots=True)
class Draft:
    """A query as a model's answer to a case."""

    case: Case
    sql: str
    is_right: bool
    target: EtlTarget


def measure_drafts(folder: Path) -> dict[str, float]:
    """How many of the right and of the wrong queries are stopped, and how many packages with one would be called done."""
    found: dict[str, float] = dict.fromkeys(
        ("draft_right_kept", "draft_right_stopped", "draft_wrong_stopped", "draft_wrong_kept", "draft_wrong_and_shipped"), 0
    )
    for draft in drafts(folder):
        is_stopped, state = play_draft(draft)
        found[f"draft_{'right' if draft.is_right else 'wrong'}_{'stopped' if is_stopped else 'kept'}"] += 1
        found["draft_wrong_and_shipped"] += not draft.is_right and not is_stopped and state is PackageState.DONE
    return found


def drafts(folder: Path) -> Iterator[Draft]:
    """The right query of each case that has a target, and the wrong one that a review should stop."""
    cases = {case.id.rpartition("-")[0]: case for case in read_cases(folder) if case.target and case.language == "en"}
    for path in sorted((folder / "cases").glob("*/case.json")):
        raw = json.loads(path.read_text("utf-8"))
        case, target = cases[raw["id"]], _target(raw["target"])
        yield Draft(case, ";\n".join(raw["gold_sql"]), True, target)
        yield Draft(case, ";\n".join(raw["review_bug"]["sql"]), False, target)


def _target(raw: dict[str, Any]) -> EtlTarget:
    return EtlTarget(
        table=raw["table"],
        mode=WriteMode(raw["mode"]),
        key=tuple(raw["key"]),
        columns=tuple(TargetColumn(name=column) for column in raw["columns"]),
    )


def play_draft(draft: Draft) -> tuple[bool, PackageState]:
    """Whether a review or the trial stops the query, and what a package with it would be called."""
    tables = draft.case.tables
    analysis = _analysis(draft, tables)
    workflow = design(analysis, Component.SQL, Environment.DEV, "duckdb", Known())
    spec = job_spec(analysis, workflow, workflow.jobs[0])
    try:
        statements, temporary = as_statements(draft.sql, spec, tables)
    except (NotParsed, NotWritable):
        return True, PackageState.DRAFT
    scripts = [script_of(spec, statements, tables, temporary=temporary, written_by=Origin.MODEL)]
    reviewed = review_scripts(analysis, workflow, scripts, tables)
    issues, warnings = reviewed.issues, reviewed.warnings
    trial = try_scripts(analysis, workflow, scripts, tables)
    review = ReviewResult(
        part=ReviewPart.DEVELOPMENT, passed=not issues, score=100, summary="", issues=tuple(issues), warnings=tuple(warnings), trial=trial
    )
    is_stopped = bool(issues) or not trial.has_run
    is_draft = is_stopped or needs_person(analysis, tuple(scripts), (review,))
    return is_stopped, PackageState.DRAFT if is_draft else PackageState.DONE


def _analysis(draft: Draft, tables: tuple[TableDetail, ...]) -> AnalysisResult:
    """The steps of a model: tables that are read, and words."""
    read = [table for table in tables if table.name != draft.target.table]
    sources = tuple(
        AnalysisStep(id=table.name, name="read", inputs=(table.full_name,), work=SourceWork(table=table.full_name)) for table in read
    )
    ids = tuple(step.id for step in sources)
    words = AnalysisStep(id="words", name="as the requirement says", inputs=ids, depends_on=ids)
    exists = any(table.name == draft.target.table for table in tables)
    return AnalysisResult(
        source="case", summary="", steps=(*sources, words), target=draft.target.model_copy(update={"exists": exists}),
        tables=tuple(table.full_name for table in read), confidence=0.9, read_by=Origin.MODEL, requirement=draft.case.requirement,
    )  # fmt: skip
