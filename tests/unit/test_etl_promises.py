"""The tables of promises in docs/etl.md name tests, or named cases of tests, that there are."""

import re

import pytest

from tests.support.promises import docstrings, promises

ROWS = promises("etl.md")


def test_the_tables_have_every_promise() -> None:
    """E1 to E20; the contracts of the pipeline, and the decisions about it, follow."""
    tags = list(dict.fromkeys(tag for tag, _ in ROWS))

    assert tags[:20] == [f"E{number}" for number in range(1, 21)]
    assert {"Analysis", "Workflow", "Component", "Script", "Review", "C1", "C9", "C12", "C14", "C20"} <= set(tags)


@pytest.mark.parametrize(("tag", "test"), ROWS)
def test_a_promise_has_its_test(tag: str, test: str) -> None:
    assert test in docstrings(), f"there is no {test}"
    assert not tag.startswith("E") or re.search(rf"\b{tag}\b", docstrings()[test]), f"{test} does not name {tag}"
