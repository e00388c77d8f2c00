"""What a command itself says: statements, printed in the reader's language."""

import typer
from rich.cells import cell_len
from rich.console import Console

from contracts.statements import Shown, Statement, name, say
from workers.cli.context import console, errors
from workers.cli.display import shown
from workers.cli.languages import asked_language
from workers.cli.lines import GLUE, print_line
from workers.cli.voice import Voice
from workers.saying import SpanKind, find_language, spans_of


def reader() -> Voice:
    """The voice of this command: in the language of `--language`, else of BULLPEN_LANGUAGE, else in English."""
    return Voice(find_language(asked_language()))


def words(text: Shown) -> str:
    """In the reader's language, to be put into markup."""
    return reader()(text)


def tell(text: Shown, *, indent: int = 0, style: str | None = None, to: Console = console, voice: Voice | None = None) -> None:
    """Print on standard output. No command, address or path in it is broken, so that it can be copied. `voice`: another than the reader's,
    such as that of the job that it is about."""
    voice = voice or reader()
    markup = voice(text)
    if to.is_terminal:
        whole = [span.text for span in spans_of(text, voice.language) if span.kind in (SpanKind.NAME, SpanKind.CODE)]
        if any(cell_len(part) + indent > to.width for part in whole):
            to.print(" " * indent + markup, style=style, soft_wrap=True)
            return
        for part in (shown(part) for part in whole if " " in part):
            markup = markup.replace(part, part.replace(" ", GLUE))
    print_line(markup, indent=indent, style=style, to=to)


def note(text: Shown, *, style: str | None = "dim") -> None:
    """Print on standard error, where it does not get into what is piped."""
    tell(text, style=style, to=errors)


def warn(text: Shown) -> None:
    """Print a warning on standard error."""
    voice = reader()
    print_line(f"[yellow]{voice.head(say('said.warning'))}[/]{voice(text)}", to=errors)


def tell_encoding(file: str, encoding: str) -> None:
    """Say in which encoding a file was read that does not say so itself."""
    tell(say("lists.import.encoding", file=name(file), encoding=name(encoding), option=name("--encoding")), style="yellow")


def followed(job_id: object) -> Statement:
    """The hint how to follow a job."""
    return say("fleet.follow", command=name(f"bullpen watch {job_id}"))


def confirmed(question: Shown) -> bool:
    """Whether somebody at the terminal says yes."""
    return typer.confirm(reader().plain(question), err=True)


def typed(prompt: Shown) -> str:
    """What somebody at the terminal types."""
    return str(typer.prompt(reader().plain(prompt), err=True))
