"""The report of `bullpen eval diagnose` as a terminal shows it."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.table import Table

from contracts.reports import Usage
from workers.kinds.diagnose.evaluation.figures import MethodFigures
from workers.kinds.diagnose.evaluation.running import EvaluationReport


def show_report(report: EvaluationReport) -> Iterator[RenderableType]:
    """Lines and the table."""
    yield (
        f"{report.cases} cases over {report.tickets} tickets with {report.causes} causes in {report.histories} "
        f"histor{'y' if report.histories == 1 else 'ies'}; {report.left_out} tickets left out. Chance: {report.chance:.3f}."
    )
    if report.dropped:
        yield f"{report.dropped} tickets are no cases: they have no group that the history has, or nothing to open with."
    table = Table("method", "top-1", "95 %", "top-3", "unknown", "turns", "asked", "repeated", "false cites", "Brier", "ECE", "p50/p95 ms")
    for figures in report.methods:
        calibration = figures.calibration
        table.add_row(
            figures.name,
            f"{figures.top1:.3f}",
            f"{figures.top1_low:.2f}-{figures.top1_high:.2f}",
            f"{figures.top3:.3f}",
            f"{figures.unknown:.2f}",
            f"{figures.mean_turns:.2f}",
            f"{figures.mean_questions:.1f}",
            str(figures.repeated_questions),
            str(figures.false_citations),
            f"{calibration.brier:.3f}" if calibration else "-",
            f"{calibration.ece:.3f} ({calibration.ece_low:.2f}-{calibration.ece_high:.2f})" if calibration else "-",
            f"{figures.p50_ms:.0f}/{figures.p95_ms:.0f}",
        )
    used = [_used(figures) for figures in report.methods if figures.usage]
    for baseline in report.baselines:
        table.add_row(baseline.name, f"{baseline.top1:.3f}", "", f"{baseline.top3:.3f}", *[""] * 8)
    yield table
    yield from used


def _used(method: MethodFigures) -> str:
    usage = method.usage or Usage()
    tokens = f"{usage.input_tokens} tokens in, {usage.output_tokens} out, {usage.cost_usd:.6g} USD"
    return f"{method.name}: {usage.model_calls} calls of models, {tokens}, {method.model_faults} turns by the rules"
