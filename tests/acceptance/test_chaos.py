"""The short form of `make chaos`: a few dozen jobs under faults of every kind that this machine can make."""

from pathlib import Path

import pytest

from tests.support.campaign import sample
from tests.support.chaos import brew

pytestmark = [pytest.mark.acceptance, pytest.mark.timeout(600)]


@pytest.mark.parametrize(
    ("kind", "together"),
    sample(
        [("mixed", True), ("mixed", False), ("every message tripled", True), ("connections exhausted", False), ("steps that hang", True)],
        every=2,
    ),
)
def test_under_faults_nothing_is_lost_doubled_or_stuck(tmp_path: Path, kind: str, together: bool) -> None:
    """F3, F4, F7: each job ends well, once, and each effect happens once."""
    done = brew(tmp_path, kind, jobs=30, seed=7, every_s=2.0, within_s=400, by_http=kind == "mixed", together=together)

    assert done.is_clean, done
