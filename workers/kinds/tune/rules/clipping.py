"""A user's text on one line, and cut."""

SHOWN_CHARS = 120


def clipped(text: str, most: int = SHOWN_CHARS) -> str:
    """For a sentence: at most `most` characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"
