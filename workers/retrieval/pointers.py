"""What the pointers that a search answers with have in common."""


def in_line(text: str, characters: int = 160) -> str:
    """A text as one line of a pointer."""
    line = " ".join(text.split())
    return line if len(line) <= characters else line[: characters - 1] + "…"
