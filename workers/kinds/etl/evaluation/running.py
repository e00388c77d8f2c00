"""The evaluation of `etl` without a model: how many requirements are called done, how many of those are right, and upstream tables."""

from contracts.base import Contract, Text
from workers.errors import InvalidInput
from workers.kinds.base import Bench, EvaluationResult
from workers.kinds.etl.evaluation.cases import read_cases
from workers.kinds.etl.evaluation.drafts import measure_drafts
from workers.kinds.etl.evaluation.form import EtlEvaluation
from workers.kinds.etl.evaluation.playing import Result, play
from workers.kinds.etl.evaluation.upstream import measure_upstream


class CaseReport(Contract):
    """A requirement that was played."""

    id: str
    language: str
    status: str
    is_right: bool
    reason: Text = ""


class EtlReport(EvaluationResult):
    """What the evaluation of `etl` found."""

    cases: tuple[CaseReport, ...]


def run_evaluation(bench: Bench, form: EtlEvaluation) -> EtlReport:
    """Play the cases. Raises `InvalidInput` when the data is not there."""
    folder = form.data / "etl"
    if not (folder / "cases").is_dir():
        raise InvalidInput(f"{form.data} holds no etl/cases. Name the folder of the evaluation data: --data FOLDER")
    cases = [case for case in read_cases(folder) if case.id.startswith(form.only or "")]
    found: list[tuple[CaseReport, Result]] = []
    with bench.progress("requirements", len(cases)) as done:
        for number, case in enumerate(cases, start=1):
            result = play(case)
            found.append(
                (
                    CaseReport(
                        id=case.id, language=case.language, status=result.status, is_right=result.is_right, reason=result.reason[:300]
                    ),
                    result,
                )
            )
            done(number)
    figures = _figures([report for report, _ in found])
    if form.only is None:
        figures |= measure_upstream(folder) | measure_drafts(folder)
    return EtlReport(figures=figures, cases=tuple(report for report, _ in found))


def _figures(cases: list[CaseReport]) -> dict[str, float]:
    figures: dict[str, float] = {}
    for name, chosen in (("", cases), ("_en", [c for c in cases if c.language == "en"]), ("_zh", [c for c in cases if c.language == "zh"])):
        done = [case for case in chosen if case.status == "done"]
        figures |= {
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
    figures["coverage_trivial"] = 0.0  # the trivial method, which asks about every requirement
    return figures
