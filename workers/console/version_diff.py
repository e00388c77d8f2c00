"""What a version of a stage changed: for a reader, and in the JSON, which holds what a reader's view leaves out."""

import difflib
import json
from collections.abc import Sequence
from typing import Any

from contracts.statements import count, say
from workers.saying.document import Block, Diff, Fold, Paragraph, Tone

MOST_LINES = 2_000
"""Lines that are compared from the first one on that differs."""


def version_diff(old: Any, new: Any, read: tuple[Sequence[str], Sequence[str]] | None) -> tuple[Block, ...]:
    """The differences of two contents, the reader's first; none: they are equal. `read`: their lines for a reader, if both have some."""
    stored = _changed(_stored(old), _stored(new))
    shown = () if read is None else _changed(*read)
    return (*shown, Fold(summary=say("console.stage.json"), blocks=stored)) if shown and stored else shown or stored


def _stored(content: Any) -> list[str]:
    return json.dumps(content, ensure_ascii=False, indent=2, sort_keys=True).splitlines()


def _changed(old: Sequence[str], new: Sequence[str]) -> tuple[Block, ...]:
    if old == new:
        return ()
    same = next((place for place, (before, after) in enumerate(zip(old, new, strict=False)) if before != after), min(len(old), len(new)))
    end = same + MOST_LINES
    lines = list(difflib.unified_diff(old[:end], new[:end], "", "", lineterm="", n=1))[2:]
    blocks = (Diff(text="\n".join(lines)),) if lines else ()
    if max(len(old), len(new)) <= end:
        return blocks
    return (*blocks, Paragraph(text=say("console.stage.compared", n=count(MOST_LINES, exact=True)), tone=Tone.DIM))
