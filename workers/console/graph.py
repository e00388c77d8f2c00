"""The stages of a job as a drawing: layers by the longest way from the input, left to right, each stage in the colour of its state. A
long plan goes on in the next line, as a text does.

The page's style sheet colours it, so the drawing has classes and no styles.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from contracts.jobs import StepStatus
from workers.console.pages import Look
from workers.reading.stages import StageFacts
from workers.saying.html_text import escaped
from workers.saying.layers import columns_of, rows_of
from workers.saying.svg_text import shortened

WIDTH, HEIGHT, GAP_X, GAP_Y, EDGE = 158, 46, 46, 16, 8
"""Units of a stage's box, the room between boxes, and around the drawing."""
COLUMNS = 5
"""Columns of a line: as many as a wide screen shows without scrolling."""
LINE_GAP = 26
_LETTERS = 20
_SMALL = 24


@dataclass(frozen=True, slots=True)
class Box:
    """A stage and its place in the grid."""

    stage: StageFacts
    state: str
    column: int
    row: int
    above: int = 0
    """Units of the lines above its own."""

    @property
    def line(self) -> int:
        """The number of its line."""
        return self.column // COLUMNS

    @property
    def left(self) -> int:
        """Of the box."""
        return EDGE + self.column % COLUMNS * (WIDTH + GAP_X)

    @property
    def top(self) -> int:
        """Of the box."""
        return EDGE + self.above + self.row * (HEIGHT + GAP_Y)


def state_of(stage: StageFacts, asking: Iterable[str]) -> str:
    """The word for a stage's state: what it does now, else what it holds."""
    if stage.step in (StepStatus.RUNNING, StepStatus.QUEUED):
        return str(stage.step)
    if stage.name in asking:
        return "waiting_human"
    if stage.fresh:
        return "drifted" if stage.drifted else "fresh"
    if stage.step == StepStatus.FAILED:
        return "failed"
    return "stale" if stage.versions else "missing"


def placed(stages: Sequence[StageFacts], asking: Iterable[str] = ()) -> list[Box]:
    """Each stage right of everything that it needs."""
    asks = frozenset(asking)
    origins = {stage.name: origins_of(stage) for stage in stages}
    columns = columns_of([stage.name for stage in stages], origins)
    rows = rows_of(columns, origins)
    above, tops = 0, list[int]()
    for line in range(max(columns.values(), default=0) // COLUMNS + 1):
        tops.append(above)
        tallest = max((rows[name] + 1 for name, column in columns.items() if column // COLUMNS == line), default=1)
        above += tallest * (HEIGHT + GAP_Y) - GAP_Y + LINE_GAP
    return [
        Box(stage, state_of(stage, asks), columns[stage.name], rows[stage.name], tops[columns[stage.name] // COLUMNS]) for stage in stages
    ]


def origins_of(stage: StageFacts) -> tuple[str, ...]:
    """What a stage is drawn right of: what it needs, and the stage that contributed it."""
    return stage.needs if stage.maker is None or stage.maker in stage.needs else (*stage.needs, stage.maker)


def draw_stages(job_id: object, stages: Sequence[StageFacts], asking: Iterable[str], look: Look) -> str:
    """The drawing as SVG. Each stage leads to its page."""
    boxes = placed(stages, asking)
    if not boxes:
        return ""
    by_name = {box.stage.name: box for box in boxes}
    width = max(box.left for box in boxes) + WIDTH + (GAP_X // 2 if any(box.above for box in boxes) else EDGE)
    height = max(box.top for box in boxes) + HEIGHT + GAP_Y // 2 + EDGE
    label = escaped(look("console.job.graph"))
    size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}" preserveAspectRatio="xMinYMin"'
    parts = [f'<svg class="graph" {size} role="group" aria-label="{label}">']
    for box in boxes:
        parts += [_edge(by_name[origin], box) for origin in origins_of(box.stage) if origin in by_name]
    parts += [_box(job_id, box, look) for box in boxes]
    return "\n".join([*parts, "</svg>"])


def _edge(start: Box, end: Box) -> str:
    x1, y1, x2, y2 = start.left + WIDTH, start.top + HEIGHT // 2, end.left, end.top + HEIGHT // 2
    if start.line != end.line:  # to the right, down between the lines, and back to the left
        between = end.above + EDGE - LINE_GAP // 2
        way = (
            f"M{x1} {y1}h{GAP_X // 3}V{between}H{x2 - GAP_X // 3}V{y2}H{x2}"
            if x2 > GAP_X // 3
            else f"M{x1} {y1}h{GAP_X // 3}V{between}H2V{y2}H{x2}"
        )
        return f'<path class="edge {start.state}" d="{way}"/>'
    if end.column - start.column > 1:  # below its row, so that it passes no box of the columns between
        below = start.top + HEIGHT + GAP_Y // 2
        return f'<path class="edge {start.state}" d="M{x1} {y1}h{GAP_X // 3}V{below}H{x2 - GAP_X // 3}V{y2}H{x2}"/>'
    bend = (x2 - x1) // 2
    return f'<path class="edge {start.state}" d="M{x1} {y1}C{x1 + bend} {y1} {x2 - bend} {y2} {x2} {y2}"/>'


def _box(job_id: object, box: Box, look: Look) -> str:
    stage, word = box.stage, look.state(box.state)
    below = word if stage.version is None else f"{word} · {look('console.graph.version', n=stage.version)}"
    address = f"/console/jobs/{job_id}/stages/{quote(stage.name, safe='')}"
    return (
        f'<a href="{escaped(address)}" aria-label="{escaped(stage.name)}: {escaped(word)}">'
        f'<rect class="stage {box.state}" x="{box.left}" y="{box.top}" width="{WIDTH}" height="{HEIGHT}" rx="7"/>'
        f'<text class="name" x="{box.left + 10}" y="{box.top + 19}">{escaped(shortened(stage.name, _LETTERS))}</text>'
        f'<text class="state" x="{box.left + 10}" y="{box.top + 36}">{escaped(shortened(below, _SMALL))}</text></a>'
    )
