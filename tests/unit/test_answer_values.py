"""A value in the place of a yes or no: against the item's threshold, or beside what another incident measured."""

import pytest

from contracts.diagnose.deliverables import Finding, PhenomenonItem, PhenomenonQuestion
from workers.kinds.diagnose.rules.answers import read_answer

LAG = "lag above 30 s"
PARSING = "Parsing takes (~80 s) per file"
OTHER = "the standby refuses queries"


def findings(reply: str, *items: str) -> list[str]:
    """What is read of each item: y, n, ? for don't know, and - where nothing is."""
    asked = tuple(
        PhenomenonItem(number=number, phenomenon_id=f"P-{number}", description=text, observation_method="", why="")
        for number, text in enumerate(items, start=1)
    )
    read = read_answer(reply, PhenomenonQuestion(turn=1, items=asked, hypotheses=(), notes=())).findings
    letters = {Finding.CONFIRMED: "y", Finding.DENIED: "n", Finding.UNKNOWN: "?", None: "-"}
    return [letters[read.get(item.phenomenon_id)] for item in asked]


@pytest.mark.parametrize(
    ("reply", "items", "read"),
    [
        ("1 90 s, 2 no", (LAG, OTHER), "yn"),
        ("1 45, 2 no", (LAG, OTHER), "yn"),
        ("1 0, 2 yes", (LAG, OTHER), "ny"),
        ("1 no, 2 12 s", (OTHER, LAG), "nn"),
        ("1 yes 2 30 minutes", (OTHER, LAG), "yy"),
        ("2 half an hour, 1 nope", (OTHER, LAG), "ny"),
        ("1 12000 a minute, 2 don't know", ("evictions above 100 per minute", OTHER), "y?"),
        ("1 三十分钟，2 没有", ("延迟超过 20 分钟", OTHER), "yn"),
    ],
)
def test_a_value_behind_the_number_is_compared_with_the_threshold(reply: str, items: tuple[str, ...], read: str) -> None:
    """D16."""
    assert "".join(findings(reply, *items)) == read


@pytest.mark.parametrize(
    ("reply", "items", "read"),
    [
        ("1 90 s, 2 no", (PARSING, OTHER), "yn"),
        ("1 about 3 s, 2 no", (PARSING, OTHER), "nn"),
        ("1 80 GB, 2 否定", ("metadata DB 92 GB, xcom table 80 GB", OTHER), "yn"),
        ("1 600000 files, 2 yes", ("folder has half a million small files", OTHER), "yy"),
        ("1 97 %, 2 no", ("heap at (~99 %)", OTHER), "yn"),
        ("1 30 %, 2 no", ("heap at (~99 %)", OTHER), "nn"),
        ("1 2 GB, 2 no", ("only (~1 GB) of the disk is free", OTHER), "yn"),
        ("1 50 GB, 2 no", ("only (~1 GB) of the disk is free", OTHER), "nn"),
        ("90 s", (PARSING,), "y"),
    ],
)
def test_a_value_is_compared_with_what_another_incident_measured(reply: str, items: tuple[str, ...], read: str) -> None:
    """D16: the order of magnitude decides, in the direction that the item complains about."""
    assert "".join(findings(reply, *items)) == read


@pytest.mark.parametrize("reply", ["1 90 % sure, 2 yes", "1 10 minutes ago, 2 yes"])
def test_how_sure_somebody_is_and_when_it_happened_are_no_values(reply: str) -> None:
    assert findings(reply, OTHER, LAG)[0] == "-"


def test_bare_numbers_are_items() -> None:
    assert findings("1 2", OTHER, LAG) == ["y", "y"]
    assert findings("1 2 no", OTHER, LAG) == ["n", "n"]
