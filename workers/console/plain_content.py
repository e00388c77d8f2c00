"""What a stage holds, for a reader, where its kind has no report of it: labels, lists and tables in the place of JSON."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

from pydantic import ValidationError

from contracts.base import Json
from contracts.charts import Chart
from contracts.statements import Value, count, name, passage, say
from contracts.wire import MAX_DEPTH
from workers.console.pages import Look
from workers.console.stage_labels import known_text, plain_code
from workers.kinds.registry import find_kind
from workers.saying.content import in_words
from workers.saying.document import Block, CodeBlock, Column, Fact, Facts, Heading, Item, Items, Paragraph, Table, Tone

_SHORT = 60
"""Characters up to which the items of a list share a line."""
DEEPEST = 4
"""The last level of headings, and of what lies inside a line; what lies deeper is a line, and inside a line “…”."""
MOST_ROWS, MOST_COLUMNS = 50, 6
LONG = 400
"""Characters from which a text has a paragraph of its own."""
_LANGUAGES = {"sql": "sql", "spec": "yaml"}
"""The language of what a field holds, where it is always the same."""
_TELLING = ("summary", "says", "text", "title", "name", "value")
"""The fields by which an object is known inside a line, the best first."""
_OF_FIELDS = "en"
"""The language whose words the names of fields are."""
_LEFT_OUT = ("sha256",)
"""Fields that tell a reader nothing."""
_CELL = 200
"""Characters of what a cell shows of a list or an object."""


def content_blocks(content: Json, look: Look, kind: str = "") -> tuple[Block, ...]:
    """All that an object says; what is empty is left out. `kind`: of the job, whose words its members of enums have."""
    return tuple(_object(_with_words(in_words(content, look.language), kind, "", look), look, 2))


def request_blocks(kind: str, request: Json, files: str, look: Look) -> tuple[Block, ...]:
    """What a job was asked; what it left as it is by default is left out. `files`: the names of those that it brought."""
    known = find_kind(kind)
    if known is None:
        return content_blocks(request, look)
    usual = {name: field.default for name, field in known.request.model_fields.items()}
    held = {name: value for name, value in request.items() if name != "kind" and value != usual.get(name)}
    if known.files in held and files:
        held[known.files] = files
    return content_blocks(held, look, kind)


def _with_words(value: Any, kind: str, key: str, look: Look, level: int = 0) -> Any:
    """The same with the kind's words for members of enums: those of `severity` are `tune.severity.problem` and its like. What lies deeper
    than the wire allows is left as it is."""
    match value:
        case str() if kind and key and len(value) <= _SHORT and value.isidentifier():
            known = known_text(f"{plain_code(kind)}.{plain_code(key)}.{value}", look.language)
            return value if known is None or "{" in known else known
        case list() if level < MAX_DEPTH:
            return [_with_words(item, kind, key, look, level + 1) for item in cast("list[Any]", value)]
        case dict() if level < MAX_DEPTH and _chart(value) is None:
            return {name: _with_words(item, kind, name, look, level + 1) for name, item in cast("Json", value).items()}
        case _:
            return value


def label_of(key: str, look: Look) -> Value:
    """What a field is called; one without a word of ours by its name."""
    known = known_text(f"console.field.{plain_code(key)}", look.language)
    own = passage(key.replace("_", " ")) if look.language == _OF_FIELDS else name(key)
    return own if known is None else passage(known)


def _object(content: Json, look: Look, level: int) -> Iterator[Block]:
    held = {key: value for key, value in content.items() if _says(value) and key not in _LEFT_OUT}
    lines = {key: value for key, value in held.items() if _is_line(value)}
    if lines:
        yield Facts(facts=tuple(Fact(label=label_of(key, look), value=passage(_line(value, look))) for key, value in lines.items()))
    for key, value in held.items():
        if key not in lines:
            yield Heading(text=label_of(key, look), level=level)
            yield from _part(key, value, content, look, level)


def _part(key: str, value: Any, beside: Json, look: Look, level: int) -> Iterator[Block]:
    if isinstance(value, str):
        yield CodeBlock(text=value, language=_LANGUAGES.get(key, "")) if "\n" in value else Paragraph(text=passage(value))
    elif (chart := _chart(value)) is not None:
        yield chart
    elif isinstance(value, dict) and level < DEEPEST:
        yield from _object(cast("Json", value), look, level + 1)
    elif (grid := _grid(value, beside.get("columns"))) is not None:
        yield from _table(grid, look)
    else:
        items: list[Any] = cast("list[Any]", value) if isinstance(value, list) else [value]
        yield Items(items=tuple(Item(text=passage(_line(item, look))) for item in items[:MOST_ROWS]))
        yield from _unshown("console.content.items", len(items) - MOST_ROWS)


def _chart(value: Any) -> Chart | None:
    if not isinstance(value, dict) or cast("Json", value).get("kind") != "chart":
        return None
    try:
        return Chart.model_validate(value)
    except ValidationError:
        return None


@dataclass(frozen=True)
class _Grid:
    """Rows by their columns, of which several may have one title."""

    titles: list[str]
    rows: list[list[Any]]


def _grid(value: Any, columns: Any) -> _Grid | None:
    """Objects by the fields that any of them fills, or rows by the columns beside them; None: it is something else, or fits no columns."""
    if not isinstance(value, list) or not value:
        return None
    items = cast("list[Any]", value)
    if all(isinstance(item, dict) for item in items):
        filled: dict[str, bool] = {}
        for item in cast("list[Json]", items):
            for key, held in item.items():
                filled[key] = filled.get(key, False) or (_says(held) and key not in _LEFT_OUT)
        titles = [key for key in filled if filled[key]] or list(filled)[:1]
        rows = [[item.get(key) for key in titles] for item in cast("list[Json]", items)]
    elif isinstance(columns, list) and all(isinstance(item, list) for item in items):
        titles = [_title(column) for column in cast("list[Any]", columns)]
        rows = [row + [None] * (len(titles) - len(row)) for row in cast("list[list[Any]]", items)]
    else:
        return None
    return _Grid(titles, rows) if titles and all(len(row) == len(titles) for row in rows) else None


def _title(column: Any) -> str:
    """What a column is called; some are objects of a name and a type."""
    return str(cast("Json", column).get("name", "")) if isinstance(column, dict) else str(column)


def _table(grid: _Grid, look: Look) -> Iterator[Block]:
    """The columns that most rows fill, in their own order, and how much is not shown."""
    filled = [sum(_says(row[place]) for row in grid.rows) for place in range(len(grid.titles))]
    places = sorted(sorted(range(len(filled)), key=lambda place: -filled[place])[:MOST_COLUMNS])
    cells = tuple(tuple(passage(_line(row[place], look)) for place in places) for row in grid.rows[:MOST_ROWS])
    yield Table(columns=tuple(Column(title=label_of(grid.titles[place], look)) for place in places), rows=cells)
    yield from _unshown("console.content.rows", len(grid.rows) - MOST_ROWS)
    yield from _unshown("console.content.columns", len(grid.titles) - MOST_COLUMNS)


def _unshown(code: str, number: int) -> Iterator[Block]:
    if number > 0:
        yield Paragraph(text=say(code, n=count(number, exact=True)), tone=Tone.DIM)


def _says(value: Any) -> bool:
    """Whether there is something to read: an empty value and a flag that is not set are left out."""
    return value is not None and value is not False and value not in ("", [], {})


def _is_line(value: Any) -> bool:
    if isinstance(value, str):
        return "\n" not in value and len(value) <= LONG
    if isinstance(value, list):
        items = cast("list[Any]", value)
        return not any(isinstance(item, dict | list) or len(str(item)) > _SHORT for item in items) and len(items) <= MOST_COLUMNS * 2
    return not isinstance(value, dict)


def _line(value: Any, look: Look, level: int = 0) -> str:
    if value is None or value in ("", [], {}):
        return "–"
    match value:
        case bool():
            return look("console.answer.yes" if value else "console.answer.no")
        case float():
            return f"{value:.12g}"
        case list() | dict() if level == DEEPEST:
            return "…"
        case list():
            text = look("console.comma").join(_line(item, look, level + 1) for item in cast("list[Any]", value))
        case dict():
            held = cast("Json", value)
            text = next((_line(held[key], look, level + 1) for key in _TELLING if _says(held.get(key))), "…")
        case _:
            return str(value)
    return text if len(text) <= _CELL else f"{text[: _CELL - 1]}…"
