"""Lines of text: on a terminal wrapped at words, with the indent kept; in a pipe left whole, so that they can be searched and copied."""

from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.table import Column, Table
from rich.text import Text

from workers.cli.context import console
from workers.cli.display import shown
from workers.saying.wrapping import wrapped

GLUE = "\u00a0"
"""Stands for a space at which no line is broken, as within a command."""
NARROWEST = 20
"""Cells of a line that are used even if a terminal says it has fewer."""


def print_line(markup: str, *, indent: int = 0, style: str | None = None, to: Console = console, whole: bool = False) -> None:
    """Print a text, which may have several lines. Text from outside in it has been through `shown`. What a command says itself is a
    statement: `telling.tell`. `whole`: of a file to be copied, whose lines stay as they are."""
    if whole:
        to.print(Text.from_markup(" " * indent + markup.replace(GLUE, " "), emoji=False), soft_wrap=True)
    elif to.is_terminal:
        text = Text.from_markup(markup, style=style or "", emoji=False)
        text.expand_tabs(4)
        for line in wrapped(text, max(to.width - indent, NARROWEST)):
            line.plain = line.plain.replace(GLUE, " ")
            to.print(Text.assemble(" " * indent, line), soft_wrap=True)
    else:
        pad = " " * indent
        to.print("\n".join(pad + line for line in markup.split("\n")), style=style, soft_wrap=True)


def say_values(lines: list[str]) -> None:
    """Print `name: value` lines of text from outside; what a line wraps to keeps its indent."""
    for line in lines:
        text = line.lstrip(" ")
        print_line(shown(text), indent=len(line) - len(text))


def command(head: str, line: str, *, indent: int = 0) -> None:
    """Print a command to be copied: never wrapped, on a line of its own where it does not fit beside its label (`Voice.head`)."""
    label, text = f"{' ' * indent}[yellow]{head}[/]", shown(line)
    if console.is_terminal and indent + cell_len(head) + cell_len(line) > console.width:
        console.print(label.rstrip(), soft_wrap=True)
        console.print(text, soft_wrap=True)
    else:
        console.print(label + text, soft_wrap=True)


def table(*columns: str | Column, title: str | None = None) -> Table:
    """A table without lines. Names of columns; those that may take several lines are given as `wide(...)`."""
    heads = [column if isinstance(column, Column) else Column(column, no_wrap=True, overflow="fold") for column in columns]
    return Table(*heads, title=title, box=None, padding=(0, 2, 0, 0), pad_edge=False, title_justify="left")


def wide(name: str, *, share: int = 1) -> Column:
    """A column whose cells wrap at words; `share` of the room that is left beside other wide ones."""
    return Column(name, overflow="fold", ratio=share, min_width=8)


def blank(renderable: RenderableType) -> None:
    """Print something after an empty line."""
    console.print()
    console.print(renderable)
