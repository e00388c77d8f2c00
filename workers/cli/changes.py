"""What an edit changes, as lines: a field, its old and its new value."""

from collections.abc import Iterable

from contracts.base import canonical_json
from contracts.statements import Shown
from workers.cli.display import brief, shown
from workers.cli.lines import print_line
from workers.cli.telling import tell
from workers.operations.actions import Changed

VALUE_CHARACTERS = 120
"""Length to which a value is cut: what changed is seen, and a field stays within two lines of a terminal."""
SHOWN_BEFORE = 30
"""Characters of what two long values share that are shown before the place where they differ."""


def print_changes(changes: Iterable[Changed], *, none: Shown | None = None) -> None:
    """A line for each change; `none` if there is no change."""
    listed = list(changes)
    for change in listed:
        before, after = (brief(text, VALUE_CHARACTERS) for text in _apart(canonical_json(change.before), canonical_json(change.after)))
        print_line(f"{shown(change.field)}: {before} -> {after}")
    if not listed and none is not None:
        tell(none)


def _apart(before: str, after: str) -> tuple[str, str]:
    """Both texts from shortly before the place where they differ, if that would be cut off."""
    same = next((at for at, (left, right) in enumerate(zip(before, after, strict=False)) if left != right), min(len(before), len(after)))
    if same < VALUE_CHARACTERS - SHOWN_BEFORE:
        return before, after
    start = same - SHOWN_BEFORE
    return f"…{before[start:]}", f"…{after[start:]}"
