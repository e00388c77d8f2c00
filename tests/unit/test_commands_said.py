"""What a command prints is said in the reader's language: no English text is written out where it is printed."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from workers import cli

ROOT = Path(cli.__file__).parent

PRINTED_BY = frozenset(
    {
        "_box", "_say", "_tell", "add_column", "add_row", "add_task", "blank", "confirm", "confirmed", "echo", "input", "note", "print",
        "print_changes", "print_line", "print_note", "prompt", "say_values", "status", "tell", "track", "typed", "update", "warn",
    }
)  # fmt: skip
"""Functions and methods that print what they are given, or keep it to be printed."""
PRINTED_BY_FUNCTIONS = frozenset({"Column", "Panel", "Table", "command", "table", "wide"})
"""Functions that do so; a method of such a name takes the key of a word, or is typer's."""
CHECK = "Check"
"""A check of `bullpen doctor`. Its name and its state are keys of words, what follows is printed."""

NOT_PRINTED = frozenset({"align", "border_style", "end", "justify", "overflow", "style", "title_align", "title_justify"})
"""Arguments that are no text."""

NO_TEXTS = {
    "bullpen answer {} \"...\"": "a command line",
    "[bold cyan]$ bullpen doctor --model[/]": "a command line",
    "bullpen jobs --status waiting_human": "a command line",
    "bullpen quarantine list": "a command line",
    "bullpen resume {}": "a command line",
    "bullpen show {} --steps": "a command line",
    "bullpen up": "a command line",
    "bullpen {}": "the program and its version",
    "cyan": "a colour",
    "app=payment level=error per 1h 2025-09-16": "a question in a command line",
    "secrets file": "a key of the words for where a setting comes from",
    "yellow": "a colour",
    "[dim]null[/]": "SQL's own word",
}  # fmt: skip
"""What is printed and is no English text, and why."""

_MARKUP = re.compile(r"\[/?[a-z ]*\]")
_WORD = re.compile(r"[A-Za-z]{2,}")
_WORDS = re.compile(r"[A-Za-z]{2,}[^A-Za-z{}]*\s[^A-Za-z{}]*[A-Za-z]{2,}")


class Module:
    """A source file: what its calls print."""

    def __init__(self, source: str) -> None:
        self.tree = ast.parse(source)
        self.functions = {node.name: node for node in ast.walk(self.tree) if isinstance(node, ast.FunctionDef)}

    def english(self) -> list[tuple[int, str]]:
        """Line and text of what is printed and written out in this file: a word where a call prints it; of what comes there through a
        variable or a function of this file, which may as well be a key of a word, two words."""
        given = [argument for node in ast.walk(self.tree) if isinstance(node, ast.Call) for argument in printed_by(node)]
        found = {place for argument in given for place in texts_in(argument) if _WORD.search(own_words(place[1]))}
        for value in self._brought(given):
            found |= {place for place in texts_in(value) if _WORDS.search(own_words(place[1]))}
        return sorted(found)

    def _brought(self, given: list[ast.expr]) -> Iterator[ast.expr]:
        """What variables hold and functions return that are printed."""
        used, waiting = set[str](), given
        while waiting:
            names = {node.id for value in waiting for node in ast.walk(value) if isinstance(node, ast.Name)} - used
            used |= names
            waiting = [*self._assigned(names), *self._returned(names)]
            yield from waiting

    def _assigned(self, names: set[str]) -> Iterator[ast.expr]:
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign) and node.value is not None:
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                if any(isinstance(part, ast.Name) and part.id in names for target in targets for part in ast.walk(target)):
                    yield node.value

    def _returned(self, names: set[str]) -> Iterator[ast.expr]:
        for name in names & self.functions.keys():
            for node in ast.walk(self.functions[name]):
                if isinstance(node, ast.Return | ast.Yield) and node.value is not None:
                    yield node.value


def own_words(text: str) -> str:
    """The text without markup."""
    return _MARKUP.sub("", text)


def printed_by(call: ast.Call) -> Iterator[ast.expr]:
    """The arguments of a call that it prints."""
    match call.func:
        case ast.Name(id=name) if name in PRINTED_BY | PRINTED_BY_FUNCTIONS:
            printed = call.args
        case ast.Attribute(attr=name) if name in PRINTED_BY:
            printed = call.args
        case ast.Name(id=name) if name == CHECK:
            printed = call.args[2:]
        case _:
            return
    yield from printed
    yield from (keyword.value for keyword in call.keywords if keyword.arg not in NOT_PRINTED)


def texts_in(node: ast.AST) -> Iterator[tuple[int, str]]:
    """The texts that an expression writes out, with `{}` for what it puts into them. The literals that it gives to a call are not among
    them: they are codes of messages, or printed by that call."""
    match node:
        case ast.Constant(value=str(text)):
            yield node.lineno, text
        case ast.JoinedStr(values=parts):
            yield node.lineno, "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in parts)
            inner = [part.value for part in parts if isinstance(part, ast.FormattedValue)]
        case ast.Call(func=ast.Attribute(value=value, attr="format" | "join" | "rstrip" | "strip"), args=args):
            inner = [value, *args]
        case ast.Call(func=ast.Name(id="shown" | "brief" | "str" | "escape"), args=args):
            inner = args
        case ast.IfExp(body=body, orelse=orelse):
            inner = [body, orelse]
        case ast.Subscript(value=value):
            inner = [value]
        case ast.Dict(values=values):
            inner = values
        case ast.Call() | ast.Compare() | ast.comprehension():
            return
        case _:
            inner = list(ast.iter_child_nodes(node))
    for part in inner if not isinstance(node, ast.Constant) else ():
        yield from texts_in(part)


def found_in_commands() -> list[tuple[str, str]]:
    """Place and text."""
    paths = sorted(ROOT.rglob("*.py"))
    return [
        (f"{path.relative_to(ROOT).as_posix()}:{line}", text) for path in paths for line, text in Module(path.read_text("utf-8")).english()
    ]


def test_no_command_prints_a_text_that_it_writes_out_in_english() -> None:
    assert [(place, text) for place, text in found_in_commands() if text not in NO_TEXTS] == []


def test_each_exception_is_still_there() -> None:
    assert NO_TEXTS.keys() - {text for _, text in found_in_commands()} == set()


PLANTED = """
HINT = "Run it there, or here."
TITLES = ("the title", term("said.title"))

def command(voice):
    console.print("Done.")
    tell(say("said.done", job=name("a job")))
    tell(f"Job {job} of {shown(owner or 'nobody')} is over.")
    errors.print(HINT if late else voice(HINT_SAID), style="dim blue")
    text = "Cancelled. It " + "ends."
    say_values([text])
    console.print(_summary(done), soft_wrap=True)
    rows = table("job", voice(term("said.kind")), title="Jobs")
    rows.add_row("-", state("fresh"), words.word("kind"))
    rows.add_row(*TITLES)
    return Check("broker", "ok", f"{n} answers", "bullpen up")

def _summary(done):
    return f"{done} files written."

def _unprinted():
    log.warning("it is not printed")
    raise ValueError("nor is this")
"""


def test_a_text_in_english_would_be_found() -> None:
    assert [text for _, text in Module(PLANTED).english()] == [
        "Run it there, or here.", "the title", "Done.", "Job {} of {} is over.", "nobody", "Cancelled. It ", "Jobs", "job", "bullpen up",
        "{} answers", "{} files written.",
    ]  # fmt: skip
