"""docs/artefacts.md names every kind with what it tells, and its example of a kind works."""

import re
import shutil
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from contracts.artefacts import ShuffleLog
from tests.support.said import said
from workers.bundles.registry import GROUP, kind_of, load_kinds
from workers.engines.artefacts.kinds import ArtefactKind, ArtefactSource

PAGE = (Path(__file__).parents[2] / "docs" / "artefacts.md").read_text("utf-8")
EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "acme_kinds.py"
KINDS = load_kinds(())


def row_of(kind: ArtefactKind) -> str:
    return f"| `{kind.name}` | {said(kind.description)} | {', '.join(sorted(kind.tells)).replace('_', ' ') or 'nothing'} |"


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.name)
def test_every_kind_stands_in_the_table_as_it_is(kind: ArtefactKind) -> None:
    assert row_of(kind) in PAGE.splitlines()


def test_the_example_of_a_kind_of_ones_own_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (attribute,) = re.findall(r'acme_report = "acme_kinds:(\w+)"', PAGE)
    shutil.copy(EXAMPLE, tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    report = tmp_path / "report"
    report.write_text("ACME NIGHTLY REPORT\nSTAGE 3 WRITES 1000\n")

    kinds = load_kinds([EntryPoint("acme_report", f"acme_kinds:{attribute}", GROUP)])
    kind, _ = kind_of("report", report.read_bytes(), kinds)
    (log,) = kind.parse(ArtefactSource("report", report, report.stat().st_size)).facts

    assert kind.name == "acme_report"
    assert isinstance(log, ShuffleLog)
    assert [(row.line, row.stage_id, row.write_bytes) for row in log.rows] == [(2, 3, 1000)]
