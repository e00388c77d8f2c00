"""An engine's message, read: its kind, the names in it, the place, and the engine's own proposals."""

import re

from contracts.sql_errors import SqlError, SqlErrorKind
from workers.engines.sql.errors.spark import read_spark
from workers.engines.sql.errors.wordings import WORDINGS
from workers.engines.sql.trees import dialect_of

PLACES = (
    re.compile(r"\bLINE (?P<line>\d+): (?P<text>.*)\n(?P<caret>\s*\^)"),
    re.compile(r"\bat line (?P<line>\d+)"),
    re.compile(r"\(line (?P<line>\d+), pos(?:ition)? (?P<pos>\d+)\)"),
    re.compile(r"\bline (?P<line>\d+)(?:, position |, pos |:)(?P<pos>\d+)"),
)
"""How messages say where the error is."""

HINTS = (
    re.compile(r"Perhaps you meant to reference the (?:column|table alias) \"(?P<names>[^\"]+)\"(?: or the column \"(?P<more>[^\"]+)\")?"),
    re.compile(r"Candidate bindings: (?P<names>.+)"),
    re.compile(r"Did you mean (?P<names>.+?)\?"),
)
"""How messages say what may be meant."""

QUOTED = re.compile(r"[`\"]([^`\"]+)[`\"]")
MOST_CHARACTERS = 5_000
"""Characters of a message that are read: its kind and names are at the beginning. Some wordings begin with any word, so that their search
takes the square of the length."""


def read_error(message: str, engine: str) -> SqlError:
    """The kind of an error, and what it speaks of. `engine`: any usual name of it; empty: found by its wording."""
    message, name = message[:MOST_CHARACTERS], dialect_of(engine)
    if name in {"spark", "databricks", ""} and (found := read_spark(message)) is not None:
        return found
    for other in [name] if name in WORDINGS else WORDINGS:
        for pattern, kind in WORDINGS[other]:
            if match := pattern.search(message):
                return _read(message, other, kind, match)
    return SqlError(engine=name, kind=SqlErrorKind.OTHER, message=message)


def _read(message: str, engine: str, kind: SqlErrorKind, match: re.Match[str]) -> SqlError:
    groups = {key: text.strip() for key, text in match.groupdict().items() if text}
    line, column = _place(message)
    return SqlError(
        engine=engine,
        kind=kind,
        names=tuple(_plain(groups[key]) for key in ("name", "other", "using") if key in groups),
        near=groups.get("near", ""),
        line=line,
        column=column,
        proposals=_split(groups["proposal"]) if "proposal" in groups else _hints(message),
        message=message,
    )


def _plain(name: str) -> str:
    return name if " " in name else name.replace("`", "").replace('"', "")


def _split(names: str) -> tuple[str, ...]:
    return tuple(_plain(name.strip()) for name in names.split(",") if name.strip())


def _place(message: str) -> tuple[int | None, int | None]:
    for pattern in PLACES:
        if match := pattern.search(message):
            groups = match.groupdict()
            if caret := groups.get("caret"):
                return int(groups["line"]), max(1, len(caret) - len(f"LINE {groups['line']}: "))
            return int(groups["line"]), int(groups["pos"]) + 1 if groups.get("pos") else None
    return None, None


def _hints(message: str) -> tuple[str, ...]:
    for pattern in HINTS:
        if match := pattern.search(message):
            quoted = [name for text in match.groupdict().values() if text for name in QUOTED.findall(text)]
            return tuple(quoted) or tuple(text for text in match.groupdict().values() if text)
    return ()
