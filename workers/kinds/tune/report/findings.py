"""What was found: the verdicts with their places and figures, how the tasks' times differ, and how much speaks for each class."""

from collections.abc import Iterator, Sequence

from contracts.charts import Channel, Chart, Mark, Measure
from contracts.figures import FigureId
from contracts.statements import Join, Shown, Target, Value, count, listing, member_term, name, number, say, share, term
from contracts.tune.plan import TuningReport
from contracts.verdicts import Blame, Figure, KeyStatistics, Severity, Unit, Verdict
from workers.engines.verdicts import figure_of
from workers.kinds.tune.rules.classify import is_symptom
from workers.kinds.tune.rules.clipping import clipped
from workers.kinds.tune.rules.saying import (
    amount,
    class_term,
    column_name,
    key_value,
    kind_term,
    line_name,
    place_name,
    shown_name,
    stages_of,
    text_of_spot,
    value_of,
)
from workers.saying.document import Align, Block, Column, Fact, Facts, Heading, Item, Items, Table, Tone

MOST_PROBLEMS = 6
"""Verdicts of a brief report."""

LEAST_HINT = 0.01
"""Share of the run: a smaller hint is in the details."""

MOST_FIGURES = 4
"""Figures that are shown of a verdict."""

MOST_SPOTS, MOST_KEYS = 2, 3

FEWEST_BARS = 2
"""Stages from which on a chart compares something."""

TONES = {Severity.PROBLEM: Tone.BAD, Severity.HINT: Tone.WARNING, Severity.NOTE: Tone.DIM}


def findings_shown(report: TuningReport, *, details: bool) -> Iterator[Block]:
    """The problems, or all verdicts where there is no problem; with details all of them and their figures."""
    problems = [verdict for verdict in report.verdicts if verdict.severity is Severity.PROBLEM]
    others = [verdict for verdict in report.verdicts if verdict.severity is not Severity.HINT or _of_run(verdict) >= LEAST_HINT]
    of_plan = [verdict for verdict in report.verdicts if report.time is None and verdict.severity is Severity.HINT and not verdict.share]
    shown = report.verdicts if details else _in_order(report, [*(problems or others), *of_plan][:MOST_PROBLEMS])
    if not shown:
        return
    yield Heading(text=term("tune.report.found"))
    if details:
        yield _table(report)
    for first, row in _rows(report, shown):
        yield Items(items=tuple(_item(report, verdict, details=details) for verdict in row), is_numbered=True, first=first)
    yield from _task_times(shown)


def _in_order(report: TuningReport, wanted: Sequence[Verdict]) -> tuple[Verdict, ...]:
    """These, and those that a fix names which is no alternative of another."""
    named = {place for fix in report.fixes if not fix.instead_of for place in fix.verdicts}
    return tuple(verdict for place, verdict in enumerate(report.verdicts) if place in named or verdict in wanted)


def _rows(report: TuningReport, shown: Sequence[Verdict]) -> Iterator[tuple[int, list[Verdict]]]:
    """(the first one's number, verdicts whose numbers follow each other)."""
    row: list[Verdict] = []
    for place, verdict in enumerate(report.verdicts, start=1):
        if verdict in shown:
            row.append(verdict)
        elif row:
            yield place - len(row), row
            row = []
    if row:
        yield len(report.verdicts) + 1 - len(row), row


def scores_shown(report: TuningReport) -> Iterator[Block]:
    """How much speaks for each class."""
    scores = [score for score in report.classification.scores if score.score]
    if scores:
        yield Heading(text=term("tune.report.scores"))
        yield Facts(facts=tuple(Fact(label=class_term(score.tuning_class), value=number(score.score, 2)) for score in scores))
    reasons = report.classification.reasons
    if reasons:
        yield Items(items=tuple(Item(text=reason) for reason in reasons))


def _of_run(verdict: Verdict) -> float:
    return verdict.run_share or verdict.share


def _part_of_run(report: TuningReport, verdict: Verdict) -> float:
    """Zero for what a log, a plan or sums over all stages say where no run was measured: that is a share of something else."""
    return verdict.run_share or 0.0 if report.time is None and not verdict.stage_ids else _of_run(verdict)


def _table(report: TuningReport) -> Table:
    """An overview."""
    columns = (
        Column(title=term("tune.report.column.number"), align=Align.RIGHT, wraps=False),
        Column(title=term("tune.report.column.kind")),
        Column(title=term("tune.report.column.severity"), wraps=False),
        Column(title=term("tune.report.column.share"), align=Align.RIGHT, wraps=False),
        Column(title=term("tune.report.column.where")),
    )
    rows = tuple(
        (
            name(place),
            kind_term(verdict.kind),
            member_term("tune.severity", verdict.severity),
            share(part) if (part := _part_of_run(report, verdict)) else "",
            stages_of(verdict),
        )
        for place, verdict in enumerate(report.verdicts, start=1)
    )
    return Table(columns=columns, rows=rows)


def _item(report: TuningReport, verdict: Verdict, *, details: bool) -> Item:
    number = report.verdicts.index(verdict) + 1
    is_consequence = is_symptom(verdict, report.verdicts)
    severity = term("tune.report.consequence") if is_consequence else member_term("tune.severity", verdict.severity)
    values: dict[str, Value] = {
        "severity": severity,
        "kind": kind_term(verdict.kind),
        "finding": value_of(verdict.summary),
    }
    part = _part_of_run(report, verdict)
    text = say("tune.report.finding_share", share=share(part), **values) if part else say("tune.report.finding", **values)
    blocks = [*_origin(verdict.blame, _only_script(report))]
    if details and verdict.severity is not Severity.NOTE and verdict.figures:
        blocks.append(Facts(facts=tuple(map(_figure, verdict.figures[:MOST_FIGURES]))))
    return Item(to=Target.VERDICT, id=str(number), text=text, tone=TONES[verdict.severity], blocks=tuple(blocks))


def _origin(blame: Blame, script: str) -> Iterator[Block]:
    """Stage → operator → columns → lines → keys, as far as they are known."""
    facts: list[Fact] = []
    columns = [column_name(column) for column in blame.columns] or list(blame.tables)
    where: list[Value] = [shown_name(part) for part in (blame.operator, *columns) if part]
    if where:
        facts.append(Fact(label=term("tune.report.where"), value=listing(*where, join=Join.PLAIN)))
    for spot in blame.spots[:MOST_SPOTS]:
        artefact = spot.artefact or script
        place = place_name(artefact, spot) if artefact else say("tune.report.line", line=line_name(spot))
        facts.append(Fact(label=place, value=text_of_spot(spot)))
    facts += [Fact(label=term("tune.report.key"), value=_key(key)) for key in blame.keys[:MOST_KEYS]]
    if facts:
        yield Facts(facts=tuple(facts))


def _key(key: KeyStatistics) -> Shown:
    value = name(f"{key.column.column} = {clipped(key_value(key))}")
    return say("tune.report.key_rows", key=value, rows=count(key.rows), of=count(key.table_rows), share=share(key.share))


def _figure(figure: Figure) -> Fact:
    """With its threshold and source."""
    value, source = amount(figure.value, figure.unit), value_of(figure.source)
    if figure.threshold is None:
        return Fact(label=figure.name, value=say("tune.report.figure", value=value, source=source), tone=Tone.DIM)
    limit = amount(figure.threshold, figure.unit)
    return Fact(label=figure.name, value=say("tune.report.figure_limit", value=value, limit=limit, source=source), tone=Tone.DIM)


def _only_script(report: TuningReport) -> str:
    """The name of the script, where all the code that matters is in one."""
    names = {spot.artefact for spot in report.key_code}
    return names.pop() if len(names) == 1 else ""


def _task_times(verdicts: Sequence[Verdict]) -> Iterator[Block]:
    """How much longer the slowest task of each stage took than the usual one."""
    beyond: dict[int, float] = {}
    for verdict in verdicts:
        extra = _beyond_usual(verdict)
        if extra > 0 and len(verdict.stage_ids) == 1:
            stage = verdict.stage_ids[0]
            beyond[stage] = max(beyond.get(stage, 0), extra)
    if len(beyond) >= FEWEST_BARS:
        yield Chart(
            title=term("tune.report.chart.beyond_usual"),
            mark=Mark.BAR,
            x=Channel(field="stage", title=term("tune.report.chart.stage")),
            y=Channel(field="time", type="quantitative", title=term("tune.report.chart.time"), measure=Measure.SECONDS),
            data=tuple({"stage": str(stage), "time": extra / 1000} for stage, extra in beyond.items()),
        )


def _beyond_usual(verdict: Verdict) -> float:
    """Milliseconds; zero where no figures say so."""
    extra = figure_of(verdict, FigureId.TIME_BEYOND_USUAL)
    if extra is not None:
        return extra.value
    longest, usual = figure_of(verdict, FigureId.LONGEST_TASK), figure_of(verdict, FigureId.USUAL_TASK)
    is_time = longest is not None and usual is not None and longest.unit is usual.unit is Unit.MS
    return longest.value - usual.value if is_time and longest is not None and usual is not None else 0.0
