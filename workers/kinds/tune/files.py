"""The files that a report holds: the changes of each fix as a patch for `git apply`, those of all fixes that go together as one, and the
settings."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pydantic import ValidationError

from contracts.base import Json
from contracts.tune.plan import Fix, TuningReport
from workers.kinds.base import ResultFile
from workers.kinds.tune.rules.advice.alternatives import first_of_each_problem
from workers.kinds.tune.rules.advice.rewrites.patches import LINE

ADVISED = "advised.patch"
SETTINGS = "spark-defaults.conf"
NOTEBOOK = ".ipynb"
"""Its diff is one of its cells' code, and its file is JSON."""

HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@")


@dataclass(frozen=True, slots=True)
class Hunk:
    """A part of a diff: the lines that it takes the place of, and its text below the head."""

    start: int
    old: int
    new: int
    """The first line, how many lines there were, and how many there are then."""
    body: tuple[str, ...]


def files(content: Json) -> tuple[ResultFile, ...]:
    """None for a report without changed lines and settings."""
    try:
        report = TuningReport.model_validate(content)
    except ValidationError:
        return ()
    return tuple(_files(report))


def _files(report: TuningReport) -> Iterator[ResultFile]:
    patched = [fix for fix in report.fixes if fix.diff and not fix.artefact.endswith(NOTEBOOK)]
    together = [fix for fix in first_of_each_problem(report.fixes) if fix in patched]
    diffs = going_together([fix.diff for fix in together])
    if diffs:
        yield ResultFile(ADVISED, patch_of(diffs), len(together) - len(diffs))
    for fix in patched:
        yield ResultFile(f"fixes/{fix.fix_id}.patch", fix.diff)
    settings = [line for fix in first_of_each_problem(report.fixes) for line in _settings(fix)]
    if settings:
        yield ResultFile(SETTINGS, "".join(settings))


def _settings(fix: Fix) -> Iterator[str]:
    if not fix.diff:  # else the script's own lines make them
        yield from (f"{setting.name} {setting.value}\n" for setting in fix.configuration)


def patch_of(diffs: Sequence[str]) -> str:
    """Several diffs of the same old files as one; what several of them change in the same way, as an import, once."""
    taken: dict[str, dict[Hunk, None]] = {}
    for diff in going_together(diffs):
        for head, hunks in _read(diff):
            taken.setdefault(head, {}).update(dict.fromkeys(hunks))
    return "".join(head + "".join(_written(sorted(hunks, key=lambda hunk: hunk.start))) for head, hunks in taken.items())


def going_together(diffs: Sequence[str]) -> list[str]:
    """Without those that change lines in another way than one before them: each has its own file."""
    taken: dict[str, list[Hunk]] = {}
    found: list[str] = []
    for diff in diffs:
        by_file = dict(_read(diff))
        pairs = ((hunk, other) for head, hunks in by_file.items() for hunk in hunks for other in taken.get(head, []))
        if not any(_meet(hunk, other) and hunk != other for hunk, other in pairs):
            found.append(diff)
            for head, hunks in by_file.items():
                taken.setdefault(head, []).extend(hunks)
    return found


def _read(diff: str) -> Iterator[tuple[str, list[Hunk]]]:
    """(the two lines that name the file, its hunks)."""
    lines = LINE.findall(diff)
    at = 0
    while at + 1 < len(lines) and lines[at].startswith("--- "):
        head, at = lines[at] + lines[at + 1], at + 2
        hunks: list[Hunk] = []
        while at < len(lines) and (found := HUNK.match(lines[at])):
            begin = at = at + 1
            while at < len(lines) and not HUNK.match(lines[at]) and not _is_head(lines, at):
                at += 1
            hunks.append(Hunk(int(found[1]), int(found[2] or 1), int(found[3] or 1), tuple(lines[begin:at])))
        yield head, hunks


def _is_head(lines: Sequence[str], at: int) -> bool:
    return lines[at].startswith("--- ") and at + 1 < len(lines) and lines[at + 1].startswith("+++ ")


def _meet(hunk: Hunk, other: Hunk) -> bool:
    """They share a line, those of context included."""
    return hunk.start < other.start + max(1, other.old) and other.start < hunk.start + max(1, hunk.old)


def _written(hunks: Sequence[Hunk]) -> Iterator[str]:
    """The hunks with the places that the ones before them move them to."""
    moved = 0
    for hunk in hunks:
        yield f"@@ -{hunk.start},{hunk.old} +{hunk.start + moved},{hunk.new} @@\n"
        yield from hunk.body
        moved += hunk.new - hunk.old
