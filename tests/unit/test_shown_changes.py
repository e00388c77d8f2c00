"""Changes of a job as lines of a terminal."""

import pytest

from workers.cli.changes import VALUE_CHARACTERS, print_changes
from workers.coordinator.edits import Change


def test_long_values_are_shown_from_the_place_where_they_differ(capsys: pytest.CaptureFixture[str]) -> None:
    text = "a requirement of many words " * 12

    print_changes([Change(field="requirement", before=f"{text}status = 'completed'", after=f"{text}status = 'failed'")])

    shown = " ".join(capsys.readouterr().out.split())
    assert "status = 'completed'" in shown
    assert "status = 'failed'" in shown
    assert len(shown) < 3 * VALUE_CHARACTERS


def test_short_values_are_shown_whole(capsys: pytest.CaptureFixture[str]) -> None:
    print_changes([Change(field="component", before=None, after="HIVE")])

    assert capsys.readouterr().out.strip() == 'component: null -> "HIVE"'
