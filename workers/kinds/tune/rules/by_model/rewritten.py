"""Turns lines that a model rewrote into a diff: only lines it was shown, only few, and nothing that reaches out of the job.

The diff is advice and is not run here; but people who follow advice seldom read it word by word."""

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from contracts.tune.answers import LineRewrite
from workers.engines.scripts.given import NamedScript
from workers.kinds.tune.rules.advice.rewrites.patches import diff_of

MOST_LINES = 40
"""That go, or come: beyond them it is another script and no fix."""
MOST_CHARS = 8_000

ADDRESS = re.compile(r"\b[a-z][a-z0-9+.-]{1,20}://[^\s\"')]{1,300}", re.IGNORECASE)
REACHES_OUT = re.compile(
    r"\b(?:eval|exec|compile|open|getattr|__import__|__builtins__|importlib|os|sys|subprocess|shutil|socket|urllib|requests|ctypes|pickle"
    r"|ProcessBuilder|Runtime|addPyFile|addJar|addFile)\b"
    r"|\b(?:drop|truncate|alter|create|grant|revoke|delete)\s+(?:table|database|schema|view|function|user|role|from)\b"
    r"|\bimport\s+sys\.process\b",
    re.IGNORECASE,
)
"""Other programs, files and hosts, and statements that destroy."""
IMPORTS = re.compile(r"^[ \t]*(?:from|import)[ \t]+([\w.]+)", re.MULTILINE)
OF_SPARK = ("pyspark", "org.apache.spark", "__future__", "functools", "math", "datetime", "typing")
"""What a rewrite may import."""


def rewritten(
    rewrites: Sequence[LineRewrite], scripts: Sequence[NamedScript], lines: frozenset[tuple[int, int]]
) -> tuple[NamedScript, str] | None:
    """The script and the diff; None where any of the rewrites breaks a rule, since half of them do not make a fix. `lines`: (script, line)
    of the lines that were shown."""
    numbers = {rewrite.script for rewrite in rewrites}
    if len(numbers) != 1 or not 1 <= (number := numbers.pop()) <= len(scripts):
        return None
    script = scripts[number - 1]
    old = script.text.split("\n")
    new = list(old)
    ordered = sorted(rewrites, key=lambda rewrite: rewrite.from_line)
    if not all(_is_within(rewrite, lines) for rewrite in ordered) or _overlap(ordered) or _too_many(ordered):
        return None
    for rewrite in reversed(ordered):
        new[rewrite.from_line - 1 : rewrite.to_line] = _lines_of(rewrite.text)
    text = "\n".join(new)
    if any(_reaches_out(rewrite.text, script.text) for rewrite in ordered):
        return None
    diff = diff_of(script.name, script.text, text)
    return (script, diff) if diff else None


def _is_within(rewrite: LineRewrite, lines: frozenset[tuple[int, int]]) -> bool:
    size = rewrite.to_line - rewrite.from_line + 1
    return 1 <= size <= MOST_LINES and all((rewrite.script, line) in lines for line in range(rewrite.from_line, rewrite.to_line + 1))


def _overlap(ordered: Sequence[LineRewrite]) -> bool:
    return any(later.from_line <= before.to_line for before, later in pairwise(ordered))


def _too_many(rewrites: Sequence[LineRewrite]) -> bool:
    gone = sum(rewrite.to_line - rewrite.from_line + 1 for rewrite in rewrites)
    come = sum(len(_lines_of(rewrite.text)) for rewrite in rewrites)
    return max(gone, come) > MOST_LINES or sum(len(rewrite.text) for rewrite in rewrites) > MOST_CHARS


def _lines_of(text: str) -> list[str]:
    """The new lines, without the line break at the end, which the script has already. An empty text removes the lines."""
    whole = text.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n")
    return whole.split("\n") if whole else []


def _reaches_out(new: str, old: str) -> bool:
    """It names an address, a module or a function out of the job that the script does not use already."""
    return bool(
        _words(ADDRESS.findall(new)) - _words(ADDRESS.findall(old))
        or _words(REACHES_OUT.findall(new)) - _words(REACHES_OUT.findall(old))
        or any(not module.startswith(OF_SPARK) for module in set(IMPORTS.findall(new)) - set(IMPORTS.findall(old)))
    )


def _words(found: Iterable[str]) -> set[str]:
    return {" ".join(name.lower().split()) for name in found}
