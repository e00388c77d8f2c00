"""The evaluation of `etl`: how many requirements are called done, and how many of those are right."""

import random
import tempfile
from collections.abc import Sequence
from pathlib import Path

from contracts.base import Contract, Text
from contracts.jobs import EngineChoice
from workers.kinds.base import Bench, EvaluationResult
from workers.kinds.etl.evaluation.by_model import play_by_model
from workers.kinds.etl.evaluation.cases import Case, read_cases
from workers.kinds.etl.evaluation.form import EtlEvaluation
from workers.kinds.etl.evaluation.playing import Result, play


class CaseReport(Contract):
    """A requirement that was played."""

    id: str
    language: str
    status: str
    is_right: bool
    reason: Text = ""
    by_model: bool = False
    """A model read it."""
    sql: Text = ""
    """What a model wrote."""


class EtlReport(EvaluationResult):
    """What the evaluation of `etl` found."""

    cases: tuple[CaseReport, ...]


def run_evaluation(bench: Bench, form: EtlEvaluation) -> EtlReport:
    """Play the cases of the folder. Raises `InvalidInput` when it holds none."""
    with tempfile.TemporaryDirectory(prefix="bullpen-") as databases:
        every = read_cases(form.cases, Path(databases))
        chosen = [case for case in every if case.id.startswith(form.only or "") and form.language in (None, case.language)]
        if form.sample is not None:
            chosen = random.Random(form.seed).sample(chosen, min(form.sample, len(chosen)))
        reports = _played(bench, chosen, form.engine)
    figures = _by_language(reports)
    if form.engine is not EngineChoice.RULES:
        figures |= _of_model([report for report in reports if report.by_model])
    return EtlReport(figures=figures, cases=tuple(reports))


def _played(bench: Bench, cases: Sequence[Case], engine: EngineChoice) -> list[CaseReport]:
    reports: list[CaseReport] = []
    database = bench.empty_database("etl") if engine is not EngineChoice.RULES else None
    with bench.progress("requirements", len(cases)) as done:
        for number, case in enumerate(cases, start=1):
            result = play(case) if engine is not EngineChoice.LLM or case.spec else Result("open")
            by_model = database is not None and result.status == "open" and not case.spec
            if database is not None and by_model:
                result = play_by_model(case, lambda role: bench.open_chat(role, database))
            reports.append(
                CaseReport(
                    id=case.id,
                    language=case.language,
                    status=result.status,
                    is_right=result.is_right,
                    reason=result.reason[:300],
                    by_model=by_model,
                    sql=result.sql if by_model else "",
                )
            )
            done(number)
    return reports


def _of_model(cases: Sequence[CaseReport]) -> dict[str, float]:
    """What became of the requirements that a model read."""
    kept = [case for case in cases if case.status == "draft"]
    caught = [case for case in cases if case.status == "caught"]
    return {
        "model_read": len(cases),
        "model_asked": sum(case.status == "asked" for case in cases),
        "model_refused": sum(case.status == "refused" for case in cases),
        "model_draft_right": sum(case.is_right for case in kept),
        "model_draft_wrong": sum(not case.is_right for case in kept),
        "model_caught_wrong": sum(not case.is_right for case in caught),
        "model_caught_right": sum(case.is_right for case in caught),
        "model_wrong_and_shipped": sum(case.status in ("done", "unproved") and not case.is_right for case in cases),
    }


def _by_language(cases: Sequence[CaseReport]) -> dict[str, float]:
    figures = _counted("", cases)
    for language in ("en", "zh"):
        figures |= _counted(f"_{language}", [case for case in cases if case.language == language])
    return figures


def _counted(name: str, chosen: Sequence[CaseReport]) -> dict[str, float]:
    done = [case for case in chosen if case.status == "done"]
    figures: dict[str, float] = {
        f"requirements{name}": len(chosen),
        f"called_done{name}": len(done),
        f"right{name}": sum(case.is_right for case in done),
        f"wrong_and_shipped{name}": sum(not case.is_right for case in done),
        f"unproved{name}": sum(case.status == "unproved" for case in chosen),
        f"caught{name}": sum(case.status == "caught" for case in chosen),
        f"coverage{name}": round(len(done) / max(1, len(chosen)), 4),
    }
    if done:
        figures[f"precision{name}"] = round(sum(case.is_right for case in done) / len(done), 4)
    return figures
