"""The help of commands as text that flows: a paragraph of a docstring wraps at the terminal's width, not where its source does."""

import inspect
import sys
from importlib import import_module
from types import ModuleType
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


_UNUSED = {"rich.markdown": "Markdown", "rich.traceback": "Traceback"}
"""What Typer's printer of help imports for other forms of help and of errors than ours: a fifth of the CPU of `bullpen --help`."""


def load_printer() -> None:
    """Import Typer's printer of help without `_UNUSED`. Who imports those modules later gets them as they are."""
    stand_ins = [name for name in _UNUSED if name not in sys.modules and "typer.rich_utils" not in sys.modules]
    for name in stand_ins:
        sys.modules[name] = ModuleType(name)
        setattr(sys.modules[name], _UNUSED[name], object)
    import_module("typer.rich_utils")
    for name in stand_ins:
        del sys.modules[name]


def _one_line(paragraph: str) -> str:
    lines = paragraph.split("\n")
    return paragraph if any(line.startswith(_KEPT) for line in lines) else " ".join(lines)
