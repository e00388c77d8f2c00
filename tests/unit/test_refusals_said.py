"""What a person is refused is said in the reader's language: errors that people meet are raised with statements, not English sentences."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import workers
from workers import errors

ROOT = Path(workers.__file__).parent
MET_BY_PEOPLE = (errors.InvalidInput, errors.NotFound, errors.Conflict, errors.Unavailable, errors.ToolFailed)
"""These, and what is derived from them, reach somebody who asked, answered, or named something."""

FOR_AUTHORS = {"InvalidPlan", "InvalidReport", "AskedTooOften", "NoTools"}
"""Met by who writes a kind of job, a role or a tool."""
FOR_OPERATORS = {"DatabaseUnavailable", "DatabaseNotMigrated", "BrokerUnavailable", "WebhookAway"}
"""About the servers of a deployment; they are written in its logs and in `bullpen doctor`."""

IN_ENGLISH = {
    "evaluation/": "`bullpen eval` measures; it has no language, and its figures and messages are for developers",
    "kinds/analyze/evaluation/": "as above",
    "kinds/ask/evaluation/": "as above",
    "kinds/diagnose/evaluation/": "as above",
    "kinds/etl/evaluation/": "as above",
    "kinds/tune/evaluation/": "as above",
    "roles/base.py": "the author of a role named something that its playbook does not give",
    "tools/toolbox.py": "the author of a tool returned a value of another type",
}
"""Where a sentence in English is right, and why."""

_CLASS = re.compile(r"^class (\w+)\(([^)]+)\):", re.MULTILINE)


@cache
def classes() -> frozenset[str]:
    """The names of all errors that people meet, also of those that a module derives for itself."""
    known = {name for name, value in vars(errors).items() if isinstance(value, type) and issubclass(value, MET_BY_PEOPLE)}
    made = {name: set(bases.split(", ")) for path in ROOT.rglob("*.py") for name, bases in _CLASS.findall(path.read_text("utf-8"))}
    while more := {name for name, bases in made.items() if bases & known} - known:
        known |= more
    return frozenset(known - FOR_AUTHORS - FOR_OPERATORS)


def is_text(node: ast.expr) -> bool:
    """Whether the source writes the text out: as it stands, joined, chosen between two, formatted, or taken from another error."""
    match node:
        case ast.JoinedStr() | ast.Constant(value=str()) | ast.Call(func=ast.Name(id="str")):
            return True
        case ast.BinOp(left=left, right=right) | ast.IfExp(body=left, orelse=right):
            return is_text(left) or is_text(right)
        case ast.Call(func=ast.Attribute(value=value, attr=called)):
            return called in ("format", "join") or (called != "of" and is_text(value))
        case ast.Subscript(value=value):
            return is_text(value)
        case _:
            return False


def sentences(path: Path, root: Path = ROOT) -> Iterator[str]:
    """Errors that people meet and that are made of a text instead of a statement, raised at once or later."""
    text = path.read_text("utf-8")
    if not re.search(rf"\b(?:{'|'.join(classes())})\(", text):
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in classes() and any(map(is_text, node.args)):
            yield f"{path.relative_to(root).as_posix()}:{node.lineno} {node.func.id}"


@cache
def found_in_the_project() -> list[str]:
    return [place for path in sorted(ROOT.rglob("*.py")) for place in sentences(path)]


def test_what_people_meet_is_refused_by_statements() -> None:
    assert [place for place in found_in_the_project() if not place.startswith(tuple(IN_ENGLISH))] == []


def test_each_place_that_stays_english_still_has_a_sentence() -> None:
    assert [place for place in IN_ENGLISH if not any(found.startswith(place) for found in found_in_the_project())] == []


def test_a_sentence_would_be_found(tmp_path: Path) -> None:
    path = tmp_path / "made.py"
    refusals = (
        "ValueError('a')", "Conflict(f'Job {x} is over.')", "Conflict.of(say('refused.x'))", "NotFound('gone')", "InvalidInput(str(error))",
        "AtAGateway('a' if x else 'b')", "InvalidInput(WORDS.format(x=x))", "InvalidInput(f'{x} '.strip())", "ConfigurationError('x')",
        "InvalidInput('a'[:3])", "StatementRefused(Lock.KNOWN, 'no')", "StatementRefused(Lock.KNOWN, say('refused.x'))",
    )  # fmt: skip
    path.write_text("".join(f"raise {refusal}\n" for refusal in refusals) + "def late():\n    return StoreUnavailable('away')\n")

    assert [place.removeprefix("made.py:") for place in sentences(path, tmp_path)] == [
        "2 Conflict", "4 NotFound", "5 InvalidInput", "6 AtAGateway", "7 InvalidInput", "8 InvalidInput", "10 InvalidInput",
        "11 StatementRefused", "14 StoreUnavailable",
    ]  # fmt: skip
