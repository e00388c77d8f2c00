"""`bullpen tickets import --dry-run | edit | delete | undo | changes`, over real Postgres."""

from pathlib import Path

import pytest

from tests.support.commands import Commands
from tests.support.ticket_exports import JIRA, OWN, OWN_MAP
from workers.kinds.diagnose.samples import sample_tickets_path


@pytest.fixture
def jira(tmp_path: Path) -> Path:
    path = tmp_path / "jira.csv"
    path.write_text(JIRA, encoding="utf-8")
    return path


def tickets(bullpen: Commands) -> int:
    return bullpen.json("tickets", "stats")["tickets"]


def test_a_dry_run_shows_what_is_understood_and_stores_nothing(bullpen: Commands, jira: Path) -> None:
    told = bullpen.out("tickets", "import", jira, "--dry-run", code=3)

    assert "Read as an export of Jira" in told
    assert "2 tickets with 2 causes; 3 refused." in told
    assert "the root cause was drawn from prose" in told
    assert "Nothing was imported." in told
    assert tickets(bullpen) == 0
    assert bullpen.json("tickets", "import", jira, "--dry-run", code=3)["tool"] == "Jira"


def test_columns_of_ones_own_are_mapped(bullpen: Commands, tmp_path: Path) -> None:
    path = tmp_path / "own.csv"
    path.write_text(OWN, encoding="utf-8")
    options = [part for pair in OWN_MAP for part in ("--map", pair)]

    bullpen.out("tickets", "import", path, *options)

    assert bullpen.json("tickets", "show", "C-1")["root_cause"] == "Missing join condition in a report"


def test_a_mapping_the_wrong_way_round_is_refused_with_the_right_one(bullpen: Commands, jira: Path) -> None:
    said = bullpen.fails("tickets", "import", jira, "--map", "description=what happened", code=2)

    assert '--map "what happened=description"' in said
    assert "is not COLUMN=FIELD. The fields: " in bullpen.fails("tickets", "import", jira, "--map", "what happened", code=2)


def test_the_tickets_that_ship_are_imported_to_try_and_taken_back(bullpen: Commands, jira: Path) -> None:
    bullpen.out("tickets", "import", "--sample")

    assert tickets(bullpen) == len(sample_tickets_path().read_text("utf-8").splitlines())
    bullpen.out("tickets", "undo")
    assert tickets(bullpen) == 0
    assert "tickets import --sample" in bullpen.fails("tickets", "import", code=2)
    assert "tickets import --sample" in bullpen.fails("tickets", "import", jira, "--sample", code=2)


def test_an_edit_counts_at_once_and_can_be_undone(bullpen: Commands, jira: Path) -> None:
    bullpen.out("tickets", "import", jira, code=3)
    before = bullpen.json("tickets", "show", "OPS-318")

    bullpen.out("tickets", "edit", "OPS-318", "--root-cause", "tape password expired", "--drop", "1", "--add", "RMAN fails since Monday")

    changed = bullpen.json("tickets", "show", "OPS-318")
    assert changed["root_cause"] == "tape password expired"
    assert [anomaly["description"] for anomaly in changed["anomalies"]][-1] == "RMAN fails since Monday"
    assert len(changed["anomalies"]) == len(before["anomalies"])
    bullpen.out("tickets", "undo", "OPS-318")
    assert bullpen.json("tickets", "show", "OPS-318") == before


def test_changes_are_undone_one_after_the_other(bullpen: Commands, jira: Path) -> None:
    bullpen.out("tickets", "import", jira, code=3)
    bullpen.out("tickets", "delete", "OPS-311")
    assert tickets(bullpen) == 1

    bullpen.out("tickets", "undo")
    assert tickets(bullpen) == 2
    bullpen.out("tickets", "undo")
    assert tickets(bullpen) == 0

    assert [change["what"] for change in bullpen.json("tickets", "changes")] == ["undo", "undo", "delete", "import"]
    assert "There is no change to undo" in bullpen.fails("tickets", "undo", code=4)
    report = bullpen.json("tickets", "reindex")
    assert not any(report["differed"].values())


def test_an_edit_that_does_not_fit_changes_nothing(bullpen: Commands, jira: Path) -> None:
    bullpen.out("tickets", "import", jira, code=3)

    assert "has no phenomenon 9" in bullpen.fails("tickets", "edit", "OPS-318", "--drop", "9", code=2)
    assert "Nothing was changed" in bullpen.fails("tickets", "edit", "OPS-318", "--root-cause", " ", code=2)
    assert "There is no ticket" in bullpen.fails("tickets", "edit", "OPS-999", "--solution", "x", code=4)


@pytest.mark.parametrize("width", ["40", "80", "200"])
def test_a_search_shows_id_score_and_ranks_at_every_width(
    bullpen: Commands, jira: Path, width: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    bullpen.out("tickets", "import", jira, code=3)
    monkeypatch.setenv("COLUMNS", width)

    told = bullpen.out("tickets", "search", "archiver error, FRA full")

    assert "OPS-318" in told
    score = bullpen.json("tickets", "search", "archiver error, FRA full")[0]["score"]
    assert f"{score:.3f}" in told
