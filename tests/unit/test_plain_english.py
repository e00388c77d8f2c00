"""Prose and names use plain English, without words and phrases that read like a translation: see `tests/support/plain_words.py`."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.plain_words import NAMES, PROSE, ROOT, Finding, markdown_findings, python_findings

EXEMPT = (
    "tests/support/plain_words.py",  # names the words
    "tests/support/said.py",  # a function that fifty tests call
)
"""Files that stay as they are."""


def _files() -> Iterator[Path]:
    for folder in ("bullpen_client", "contracts", "workers", "docs", "tests/support", "tests/bench", "deploy"):
        yield from sorted(path for path in (ROOT / folder).rglob("*") if path.suffix in (".py", ".md"))
    yield ROOT / "README.md"


def _is_exempt(path: Path) -> bool:
    name = path.relative_to(ROOT).as_posix()
    return any(name == place or name.startswith(f"{place}/") for place in EXEMPT)


def _findings(path: Path) -> list[Finding]:
    return list(python_findings(path) if path.suffix == ".py" else markdown_findings(path))


def test_prose_and_names_are_plain_english() -> None:
    """The message of a finding says what to write instead."""
    findings = [str(finding) for path in _files() if not _is_exempt(path) for finding in _findings(path)]

    assert not findings, f"{len(findings)} places to rewrite:\n" + "\n".join(findings)


def test_every_exempt_file_exists() -> None:
    """A file that was renamed would otherwise be skipped unnoticed."""
    assert [place for place in EXEMPT if not (ROOT / place).exists()] == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("told", "The role is told of it."),
        ("so many", "At most so many bytes."),
        ("as like", "A case as like it as possible."),
        ("whoever", "Whoever waits for it asks again."),
        ("whatever", "Whatever the plan says."),
        ("anew", "The index is written anew."),
        ("is none of", "A setting that is none of Spark's."),
        ("is none", "A contract, or the reason why it is none."),
        ("of X alone", "The time of the join alone."),
        ("stands", "What stands in it was written by users."),
        ("apart", "The three ideas are kept apart."),
        ("one's own", "A kind of one's own."),
        ("is no X", "A cell that is no text."),
    ],
)
def test_each_rule_finds_its_phrase(name: str, text: str) -> None:
    """A rule that matches nothing would never fail."""
    assert [rule.name for rule in PROSE if _matches(rule.name, text)] == [name]


@pytest.mark.parametrize(
    "text",
    [
        "`shipped` stands for the packs of this release.",
        "Tasks that stand out.",
        "A stand-in key.",
        "The verdicts as they stand.",
        "Where do we stand now?",
        "Phenomena that tell the causes apart.",
        "Two messages 30 seconds apart.",
        "It depends on the tickets alone.",
        "There is no file of this name.",
        "So many small tasks that their start dominates.",
        "None of the accounts exists.",
    ],
)
def test_good_english_is_left_alone(text: str) -> None:
    """A false alarm would teach its reader to skip the true ones."""
    assert [rule.name for rule in PROSE if _matches(rule.name, text)] == []


@pytest.mark.parametrize(
    ("rule", "source"), [("told", "told = read()"), ("one", "[one.id for one in stages]"), ("said", "said = reply.text")]
)
def test_names_are_nouns(rule: str, source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names are checked where they are bound."""
    file = tmp_path / "module.py"
    file.write_text(source)
    monkeypatch.setattr("tests.support.plain_words.ROOT", tmp_path)

    assert [finding.rule for finding in python_findings(file)] == [next(name for name in NAMES if name.name == rule)]


def test_code_in_a_page_is_not_prose(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names of fields may be what they are."""
    page = tmp_path / "page.md"
    page.write_text("The field `told` of\n\n```python\ntold = 1\n```\n\nis given anew.\n")
    monkeypatch.setattr("tests.support.plain_words.ROOT", tmp_path)

    assert [(finding.rule.name, finding.line) for finding in markdown_findings(page)] == [("anew", 7)]


def _matches(name: str, text: str) -> bool:
    return any(
        rule.name == name and any(rule.unless is None or not rule.unless.search(match[0]) for match in rule.pattern.finditer(text))
        for rule in PROSE
    )
