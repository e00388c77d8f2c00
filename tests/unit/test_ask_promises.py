"""The table of promises in tests/promises/ask.md names tests that there are, and that name the promise."""

import re

import pytest

from tests.support.promises import docstrings, promises

ROWS = promises("ask.md")


def test_the_table_has_every_promise() -> None:
    """All of the supervisor's, and those of the floor."""
    wanted = [f"S{number}" for number in range(1, 40)] + [f"E{number}" for number in (5, 6, 7, 8, 9, 12, 13, 15)]

    assert [tag for tag, _ in ROWS] == wanted


@pytest.mark.parametrize(("tag", "test"), ROWS)
def test_a_promise_has_its_test(tag: str, test: str) -> None:
    assert re.search(rf"\b{tag}\b", docstrings().get(test, "")), f"{test} does not name {tag}"
