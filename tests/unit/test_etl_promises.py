"""The tables of promises in tests/promises/etl.md name tests, or named cases of tests, that there are."""

import re

import pytest

from tests.support.promises import ROOT, docstrings, promises

ROWS = promises("etl.md")


def test_the_tables_have_every_promise() -> None:
    """E1 to E20; the contracts of the pipeline, and the decisions about it, follow."""
    tags = list(dict.fromkeys(tag for tag, _ in ROWS))

    assert tags[:20] == [f"E{number}" for number in range(1, 21)]
    assert {"Outcome", "Request", "Analysis", "Workflow", "Job", "Component", "Script", "Layers", "Review", "Third round"} <= set(tags)
    assert {"C1", "C9", "C11", "C12", "C13", "C14", "C20"} <= set(tags)


def test_each_place_that_is_named_is_there() -> None:
    rows = re.findall(r"^\|.*\|$", (ROOT / "tests" / "promises" / "etl.md").read_text(encoding="utf-8"), re.MULTILINE)
    places = [place for row in rows for place in re.findall(r"`((?:workers|contracts)/[\w/.]+)`", row)]

    assert len(places) > 40
    assert [place for place in places if not (ROOT / place).exists()] == []


@pytest.mark.parametrize(("tag", "test"), ROWS)
def test_a_promise_has_its_test(tag: str, test: str) -> None:
    assert test in docstrings(), f"there is no {test}"
    assert not tag.startswith("E") or re.search(rf"\b{tag}\b", docstrings()[test]), f"{test} does not name {tag}"
