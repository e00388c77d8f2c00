"""Where the time of the run went: the first thing of a report, whether or not something is wrong."""

from collections.abc import Iterator

from contracts.spark_time import StageTime, TimeAccount, TimePart, TimeSlice
from contracts.statements import Join, Shown, Value, code, count, listing, member_term, milliseconds, name, say, share, term
from contracts.tune.plan import TuningReport
from workers.kinds.tune.rules.clipping import clipped
from workers.kinds.tune.rules.saying import line_name, shown_name
from workers.saying.document import Align, Block, Column, Heading, Paragraph, Table, Tone

LEAST_SHARE = 0.02
"""A smaller part is put together with the other small ones, unless details are asked for."""

MOST_PLACES = 2
"""Stages named of a part."""

MOST_STAGES = 3
"""Stages named of the run."""

WITHOUT_PLACE = (TimePart.START, TimePart.UNLOGGED, TimePart.DRIVER)
"""Parts that belong to no stage."""


def time_shown(report: TuningReport, *, details: bool) -> Iterator[Block]:
    """The parts of the wall time with their places, the heaviest stages, and what was computed again."""
    account = report.time
    if account is None or not (account.slices or account.stages):
        return
    wall = milliseconds(account.wall_ms)
    if account.slots:
        slots = say("tune.report.slots", n=count(account.slots))
        yield Heading(text=say("tune.report.where_time_slots", wall=wall, slots=slots))
    else:
        yield Heading(text=say("tune.report.where_time", wall=wall))
    large = [part for part in account.slices if details or part.share >= LEAST_SHARE]
    small = [part for part in account.slices if part not in large]
    rows: list[tuple[Shown, ...]] = [_row(part) for part in large]
    if small:
        took = sum(part.ms for part in small)
        rows.append((term("tune.report.time_rest"), milliseconds(took), share(took / account.wall_ms), ""))
    if rows:
        yield _parts(rows)
    yield from _stages(account)


def _parts(rows: list[tuple[Shown, ...]]) -> Table:
    return Table(
        columns=(
            Column(title=term("tune.report.column.part")),
            Column(title=term("tune.report.column.time"), align=Align.RIGHT, wraps=False),
            Column(title=term("tune.report.column.share"), align=Align.RIGHT, wraps=False),
            Column(title=term("tune.report.column.where")),
        ),
        rows=tuple(rows),
    )


def _row(part: TimeSlice) -> tuple[Shown, ...]:
    where = "" if part.part in WITHOUT_PLACE else _places(part.stages[:MOST_PLACES])
    return member_term("tune.time", part.part), milliseconds(part.ms), share(part.share), where


def _stages(account: TimeAccount) -> Iterator[Block]:
    shown: list[Value] = [
        say("tune.report.stage_share", stage=_place(stage), share=share(stage.ms / account.wall_ms))
        for stage in account.stages[:MOST_STAGES]
        if stage.ms >= LEAST_SHARE * account.wall_ms
    ]
    if shown:
        yield Paragraph(text=say("tune.report.heaviest_stages", stages=listing(*shown, join=Join.CLAUSES)), tone=Tone.DIM)
    if account.recomputed_ms >= LEAST_SHARE * account.wall_ms:
        again = say(
            "tune.report.computed_again",
            time=milliseconds(account.recomputed_ms),
            share=share(min(1.0, account.recomputed_ms / account.wall_ms)),
            stages=_places(account.recomputed[:MOST_PLACES]),
        )
        yield Paragraph(text=again, tone=Tone.WARNING)


def _places(stages: tuple[StageTime, ...]) -> Value:
    return listing(*map(_short_place, stages), join=Join.PLAIN)


def _short_place(stage: StageTime) -> Value:
    if stage.spot is None:
        return say("tune.report.time_stage", stage=name(stage.stage_id))
    return say("tune.report.time_stage_line", stage=name(stage.stage_id), line=line_name(stage.spot))


def _place(stage: StageTime) -> Value:
    if stage.spot is None:
        return say("tune.report.time_stage", stage=shown_name(stage.name) if stage.name else name(stage.stage_id))
    spot = stage.spot
    return say("tune.report.time_stage_code", stage=name(stage.stage_id), line=line_name(spot), text=code(clipped(spot.text)))
