"""How values look on a terminal: text from outside made harmless, ages, durations, values as indented lines.

Tickets, logs and answers are other people's text. A terminal obeys control characters, so none of them reaches it:
`SafeConsole` shows each of them as a visible sign.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.markup import escape
from rich.segment import Segment

from workers.saying.harmless import UNSAFE, clean

STATUS_STYLE = {
    "succeeded": "green", "fresh": "green", "ok": "green", "failed": "red", "fail": "red", "cancelled": "dim",
    "running": "cyan", "waiting_human": "yellow", "warn": "yellow", "paused": "yellow", "draining": "yellow",
    "drifted": "yellow",
}  # fmt: skip


def json_safe(text: str) -> str:
    """JSON text in which what a terminal might obey is escaped; equal as JSON."""
    return UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}" if ord(found[0]) >= 0x7F else found[0], text)


class SafeConsole(Console):
    """A rich console that never lets a control character of the text through."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """What rich renders, cleaned; rich's own control codes stay."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(clean(segment.text), segment.style)


def shown(text: object) -> str:
    """Text from outside, to be put into markup: cleaned, and its square brackets are only brackets."""
    return escape(clean(str(text)))


def brief(text: object, characters: int = 80) -> str:
    """The beginning of a text on one line, to be put into markup."""
    return shown(shortened(text, characters))


def shortened(text: object, characters: int) -> str:
    """The beginning of a text on one line, not cleaned."""
    flat = " ".join(str(text).split())
    return flat if len(flat) <= characters else flat[: characters - 1] + "…"


def short_id(value: object) -> str:
    """The end of an id, which differs even for ids made in the same minute. Every command accepts it."""
    return str(value).rpartition("-")[2]


def duration(seconds: float | None) -> str:
    """`0.21 s`, `42 s`, `3 min`, `5 h`, `12 d`."""
    if seconds is None:
        return "-"
    seconds = max(seconds, 0.0)
    if seconds < 60:
        return f"{seconds:.2f} s" if seconds < 10 else f"{seconds:.0f} s"
    for size, unit, below in ((60, "min", 3600), (3600, "h", 86_400)):
        if seconds < below:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds / 86_400:.0f} d"


def value_lines(value: Any, indent: int = 0) -> Iterator[str]:
    """A JSON value as indented `name: value` lines for a reader; not markup, not cleaned."""
    pad = "  " * indent
    if isinstance(value, dict):
        for name, item in value.items():  # pyright: ignore[reportUnknownVariableType] JSON has no static type
            yield from _named(f"{pad}{name}:", item, indent)
    elif isinstance(value, list):
        for item in value:  # pyright: ignore[reportUnknownVariableType] as above
            yield from _item(item, indent)
    else:
        yield pad + _plain(value)


def _named(name: str, item: Any, indent: int) -> Iterator[str]:
    if isinstance(item, dict | list) and item:
        yield name
        yield from value_lines(item, indent + 1)
    elif isinstance(item, str) and "\n" in item:
        yield name
        yield from ("  " * (indent + 1) + line for line in item.splitlines())
    else:
        yield f"{name} {_plain(item)}"


def _item(item: Any, indent: int) -> Iterator[str]:
    lines = list(value_lines(item, indent + 1))
    pad = "  " * indent
    for number, line in enumerate(lines):
        yield f"{pad}- {line[len(pad) + 2 :]}" if number == 0 else line


def _plain(value: Any) -> str:
    if value is None or value in ([], {}):
        return "-"
    return str(value).lower() if isinstance(value, bool) else str(value)
