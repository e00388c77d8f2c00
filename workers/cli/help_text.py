"""The help of commands as text that flows: a paragraph of a docstring wraps at the terminal's width, not where its source does."""

import inspect
from typing import Any

_KEPT = ("- ", "• ", " ", "\b")
"""What a line begins with that is one for itself: an item of a list, an example."""


def flowing(text: str | None) -> str | None:
    """The text with each paragraph on one line; paragraphs that hold a list or an example stay as they are."""
    if not text:
        return text
    paragraphs = inspect.cleandoc(text).split("\n\n")
    return "\n\n".join(_one_line(paragraph) for paragraph in paragraphs)


def let_flow(command: Any) -> Any:
    """The command, its help and that of its subcommands made to flow."""
    command.help = flowing(command.help)
    for sub in getattr(command, "commands", {}).values():
        let_flow(sub)
    return command


def _one_line(paragraph: str) -> str:
    lines = paragraph.split("\n")
    return paragraph if any(line.startswith(_KEPT) for line in lines) else " ".join(lines)
