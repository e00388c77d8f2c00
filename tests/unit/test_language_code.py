"""Code that reads people's words stays small: what reads them is a model, and without one closed forms, which data files hold."""

import io
import re
import tokenize
from pathlib import Path

ROOT = Path(__file__).parents[2] / "workers"
READERS = (
    "engines/questions", "engines/requirements", "engines/logql/asking", "engines/closed_answers.py", "kinds/ask/rules",
    "kinds/diagnose/rules/closed.py", "kinds/diagnose/rules/closed_tokens.py", "kinds/diagnose/rules/figures.py",
    "kinds/diagnose/rules/replies.py", "kinds/diagnose/rules/volunteered.py",
)  # fmt: skip
MOST_LINES = 5_385
MOST_PATTERNS = 60
"""Calls of regular expressions; 1,063 of them read questions, requirements, answers and logs before."""

_PATTERN = re.compile(r"\bre\.(?:compile|search|match|fullmatch|sub|subn|split|findall|finditer)\(")
_NO_CODE = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


def files() -> list[Path]:
    found = [path for name in READERS for path in ([ROOT / name] if name.endswith(".py") else sorted((ROOT / name).rglob("*.py")))]
    assert all(path.exists() for path in found)
    return found


def code_lines(path: Path) -> int:
    tokens = tokenize.generate_tokens(io.StringIO(path.read_text("utf-8")).readline)
    return len({line for token in tokens if token.type not in _NO_CODE for line in range(token.start[0], token.end[0] + 1)})


def test_readers_of_words_have_few_lines() -> None:
    assert sum(map(code_lines, files())) <= MOST_LINES


def test_readers_of_words_have_few_patterns() -> None:
    assert sum(len(_PATTERN.findall(path.read_text("utf-8"))) for path in files()) <= MOST_PATTERNS
