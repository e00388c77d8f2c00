"""What a person is refused is said in the reader's language: modules that meet people raise statements, not English sentences."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import workers
from workers import errors

ROOT = Path(workers.__file__).parent
PLACES = (
    "tickets",
    "console",
    "gateway/routes",
    "coordinator/actions.py",
    "coordinator/edits.py",
    "coordinator/feedback.py",
    "coordinator/intake.py",
    "coordinator/replay.py",
    "coordinator/sessions.py",
    "coordinator/taking_back.py",
    "app/quarantine.py",
)
"""Where nothing is refused by a sentence in one language."""


def sentences(path: Path) -> Iterator[str]:
    """Errors whose first argument is a text that the source writes out."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if not isinstance(node, ast.Raise) or not isinstance(node.exc, ast.Call) or not node.exc.args:
            continue
        raised, first = ast.unparse(node.exc.func), node.exc.args[0]
        if raised in vars(errors) and isinstance(first, ast.JoinedStr | ast.Constant | ast.BinOp):
            yield f"{path.relative_to(ROOT)}:{node.lineno} {raised}"


@pytest.mark.parametrize("place", PLACES)
def test_what_people_meet_refuses_by_statements(place: str) -> None:
    where = ROOT / place
    files = sorted(where.rglob("*.py")) if where.is_dir() else [where]

    assert files
    assert [found for path in files for found in sentences(path)] == []


def test_a_sentence_would_be_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    path = tmp_path / "made.py"
    refusals = ("ValueError('a')", "Conflict(f'Job {x} is over.')", "Conflict.of(say('refused.x'))", "NotFound('gone')")
    path.write_text("".join(f"raise {refusal}\n" for refusal in refusals))

    assert list(sentences(path)) == ["made.py:2 Conflict", "made.py:4 NotFound"]
