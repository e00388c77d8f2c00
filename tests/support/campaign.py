"""The long forms of tests: with BULLPEN_CAMPAIGN=10, as in `make nightly`, what is random is tried ten times as often and what is sampled
is tried in full. The short forms run always."""

import os
from collections.abc import Sequence
from typing import TypeVar

TIMES = int(os.environ.get("BULLPEN_CAMPAIGN") or 1)
IS_LONG = TIMES > 1

Item = TypeVar("Item")


def sample(items: Sequence[Item], every: int) -> Sequence[Item]:
    """Every `every`-th of the items in the short form, all of them in the long one. Neighbours in a list are often alike."""
    return items if IS_LONG else items[::every]
