"""What a command shows of a file of tickets whose form is not known: its shape, and a mapping to type."""

from collections.abc import Sequence
from pathlib import Path
from shlex import quote

from contracts.statements import count, name, say
from workers.cli.context import console
from workers.cli.display import brief, shown
from workers.cli.lines import print_line, table
from workers.cli.list_words import ListWords
from workers.cli.telling import tell
from workers.tickets.shape import ASKED, Shape, named_fields

_SHOWN_FIELDS = 60
_VALUES = 120
"""Characters of a field's values."""
_UNKNOWN = "..."


def import_lines(
    file: Path, pairs: Sequence[str], *, encoding: str = "", engine: str = "auto", strict: bool = False, dry_run: bool = False
) -> list[str]:
    """The command that imports a file so, in lines that a shell takes as one."""
    given = [f"--map {quote(pair)}" for pair in pairs]
    given += [f"--encoding {quote(encoding)}"] if encoding else []
    given += [f"--engine {engine}"] if engine != "auto" else []
    given += ["--strict"] if strict else []
    given += ["--dry-run"] if dry_run else []
    command = f"bullpen tickets import {quote(str(file))}"
    return [" ".join([command, *given])] if len(pairs) < 3 else [command, *given]


def print_command(lines: Sequence[str]) -> None:
    """A command as it can be copied."""
    for place, line in enumerate(lines):
        end = " \\" if place + 1 < len(lines) else ""
        console.print(f"{'  ' if place else ''}{shown(line)}{end}", soft_wrap=True)


def print_shape(shape: Shape, file: Path, words: ListWords, *, encoding: str = "", strict: bool = False) -> None:
    """The fields of a file that is not understood, and a mapping to fill in."""
    console.print()
    if shape.sort in ("table", "markdown"):
        tell(say("lists.import.shape.table", file=name(file.name), n=count(shape.number, exact=True), line=name(shape.where)))
        for line in shape.top.splitlines():
            print_line(shown(line), indent=2, style="dim")
    else:
        lists = ", ".join(f"{place} ({number})" for place, number in shape.lists)
        at = {"file": name(file.name), "n": count(shape.number, exact=True), "path": name(shape.where)}
        tell(say("lists.import.shape.records", **at, lists=name(lists)) if lists else say("lists.import.shape.record", **at))
    fields = table(words.wide("column"), words.word("records"), words.wide("examples"))
    for each in shape.fields[:_SHOWN_FIELDS]:
        values = ", ".join(" ".join(value.split()) for value, _ in each.values)
        fields.add_row(shown(each.path), str(each.filled), brief(values, _VALUES))
    console.print(fields)
    console.print()
    tell(say("lists.import.shape.fill", gap=name(_UNKNOWN), option=name("--map")))
    print_command(import_lines(file, template(shape), encoding=encoding, strict=strict, dry_run=True))


def template(shape: Shape) -> list[str]:
    """A mapping to fill in: a field whose name says what it holds is filled in, to be looked at."""
    path_of = {role: path for path, role in named_fields(shape).items()}
    return [*shape.pairs, *(f"{path_of.get(role, _UNKNOWN)}={role.value}" for role in ASKED)]
