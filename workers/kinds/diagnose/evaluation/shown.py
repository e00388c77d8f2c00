"""The report of `bullpen eval diagnose` as a terminal shows it."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.table import Table

from contracts.reports import Usage
from workers.kinds.diagnose.evaluation.figures import MethodFigures
from workers.kinds.diagnose.evaluation.running import EvaluationReport


def show_report(report: EvaluationReport) -> Iterator[RenderableType]:
    """Lines and the tables, each of a terminal's usual 80 columns."""
    yield (
        f"{report.cases} cases over {report.tickets} tickets with {report.causes} causes in {report.histories} "
        f"histor{'y' if report.histories == 1 else 'ies'}; {report.left_out} tickets left out. Chance: {report.chance:.3f}."
    )
    if report.dropped:
        yield f"{report.dropped} tickets are no cases: they have no group that the history has, or nothing to open with."
    yield _named(report)
    yield _asked(report)
    yield _stated(report)
    yield from (_used(figures) for figures in report.methods if figures.usage)


def _named(report: EvaluationReport) -> Table:
    """What was named, beside the baselines."""
    table = Table("method", "top-1", "95 %", "top-3", "unknown", title="causes named")
    for figures in report.methods:
        between = f"{figures.top1_low:.2f}-{figures.top1_high:.2f}"
        table.add_row(figures.name, f"{figures.top1:.3f}", between, f"{figures.top3:.3f}", f"{figures.unknown:.2f}")
    for baseline in report.baselines:
        table.add_row(baseline.name, f"{baseline.top1:.3f}", "", f"{baseline.top3:.3f}", "")
    return table


def _asked(report: EvaluationReport) -> Table:
    """What it took."""
    table = Table("method", "turns", "asked", "repeated", "of another system", "already said", "false cites", title="questions")
    for figures in report.methods:
        questions = figures.questions
        table.add_row(
            figures.name,
            f"{figures.mean_turns:.2f}",
            f"{figures.mean_questions:.1f}",
            str(figures.repeated_questions),
            str(questions.other_system) if questions else "-",
            str(questions.stated) if questions else "-",
            str(figures.false_citations),
        )
    return table


def _stated(report: EvaluationReport) -> Table:
    """How the confidence holds, and how long a turn takes."""
    table = Table("method", "wrong at 0.7 or more", "Brier", "ECE", "95 %", "p50 ms", "p95 ms", title="confidence and time")
    for figures in report.methods:
        calibration = figures.calibration
        table.add_row(
            figures.name,
            str(figures.knowing.sure_and_wrong) if figures.knowing else "-",
            f"{calibration.brier:.3f}" if calibration else "-",
            f"{calibration.ece:.3f}" if calibration else "-",
            f"{calibration.ece_low:.2f}-{calibration.ece_high:.2f}" if calibration else "-",
            f"{figures.p50_ms:.0f}",
            f"{figures.p95_ms:.0f}",
        )
    return table


def _used(method: MethodFigures) -> str:
    usage = method.usage or Usage()
    tokens = f"{usage.input_tokens} tokens in, {usage.output_tokens} out, {usage.cost_usd:.6g} USD"
    return f"{method.name}: {usage.model_calls} calls of models, {tokens}, {method.model_faults} turns by the rules"
