"""What an edit changes, as lines: a field, its old and its new value."""

from collections.abc import Iterable

from contracts.base import canonical_json
from workers.cli.display import brief, shown
from workers.cli.lines import say
from workers.coordinator.edits import Change

VALUE_CHARACTERS = 120
"""Length to which a value is cut: what changed is seen, and a field stays within two lines of a terminal."""


def print_changes(changes: Iterable[Change], *, none: str = "") -> None:
    """A line for each change; `none` if there is no change."""
    listed = list(changes)
    for change in listed:
        before, after = (brief(canonical_json(value), VALUE_CHARACTERS) for value in (change.before, change.after))
        say(f"{shown(change.field)}: {before} -> {after}")
    if not listed and none:
        say(none)
