"""The one line of an error that says what went wrong."""

import re
from collections.abc import Sequence

from contracts.spark import FailureKind

CHARS = 160

FRAME = re.compile(r'File "[^"\n]{1,300}", line (\d{1,7}), in (\w+)')
"""Of a Python traceback: line and function."""

LAST_ATTEMPT = re.compile(r"most recent failure: Lost task [^:\n]{1,300}: ")
"""Behind it a job's failure has the message of the attempt after which Spark gave up."""


def line_of_kind(kind: FailureKind) -> str:
    """The end of a Python traceback, the beginning of any other message."""
    return line_of_text(kind.message) or kind.error or kind.reason


def line_of_failure(failure: str) -> str:
    """Of a job's or stage's failure: what the last attempt died of, else how it begins."""
    found = LAST_ATTEMPT.search(failure)
    return line_of_text(failure[found.end() :] if found else failure)


def line_of_text(text: str) -> str:
    """Cut; empty where there is none."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if "Traceback" in text or FRAME.search(text):
        lines = [line for line in lines if not line.startswith(("at ", "File "))][::-1]
    return lines[0][:CHARS] if lines else ""


def heaviest(kinds: Sequence[FailureKind]) -> list[FailureKind]:
    """Those that are failures, the most frequent first: what Spark itself killed as superfluous is none."""
    return sorted((kind for kind in kinds if kind.reason != "TaskKilled"), key=lambda kind: -kind.count)
