"""What a file that somebody drops is, by the parsers that read bundles."""

from contracts.statements import Shown, passage, say
from workers.bundles.registry import kind_of, kinds_here

PASTED = "pasted.txt"
"""The name of the file that a text without one becomes."""


def is_artefact(name: str, head: bytes) -> Shown | None:
    """An event log, a plan, a script and the like, recognised from its content; None: nothing of a run. A text without a name is not a
    file."""
    if not name:
        return None
    kind, told_by = kind_of(name, head, kinds_here())
    return say("tune.opening.artefact", kind=passage(kind.name.replace("_", " "))) if told_by == "content" and kind.parser else None
