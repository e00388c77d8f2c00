"""Pieces of text into lines, of which none may be held that is longer than allowed."""

from collections.abc import Iterable, Iterator

TOO_LONG = None
"""In the place of a line that was skipped for its length."""


def split_lines(chunks: Iterable[bytes], max_bytes: int) -> Iterator[bytes | None]:
    """Every line without its end, `TOO_LONG` where one is longer than `max_bytes`. The last may lack its end."""
    pending: list[bytes] = []
    held = 0
    skipping = False
    for chunk in chunks:
        *complete, last = chunk.split(b"\n")
        for line in complete:
            if skipping or held + len(line) > max_bytes:
                yield TOO_LONG
            else:
                yield b"".join([*pending, line]) if pending else line
            pending, held, skipping = [], 0, False
        if skipping:
            continue
        held += len(last)
        if held > max_bytes:
            pending, skipping = [], True
        elif last:
            pending.append(last)
    if skipping:
        yield TOO_LONG
    elif pending:
        yield b"".join(pending)
