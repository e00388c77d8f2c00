"""No text of a person makes a reader work for longer than it takes to read: patterns hold the interpreter while they backtrack, and with
it every lease, heartbeat and answer of the process."""

import pytest

from tests.support.attacking import attacked
from tests.support.attacks import Attack, attacks_of
from tests.support.campaign import IS_LONG

READERS = ("answer,opening,dialogue,feedback", "ticket,requirement,logs,skill", "message,question,walk,tuning")
"""Those of one process: it takes seconds to import what they read with."""
MOST = 100 if IS_LONG else 6
"""Attacks of each reader beside the plain ones. More of them: `python -m tests.support.attacked READER MOST`."""


@pytest.mark.timeout(3_300 if IS_LONG else 900)
@pytest.mark.parametrize("readers", READERS)
def test_no_reader_backtracks_over_an_attack_made_from_its_own_patterns(readers: str) -> None:
    """20 KB that its repeats accept, then a character that fails."""
    attacks, too_long = attacked("attacked", readers, str(MOST), timeout_s=600)

    assert too_long == []
    assert attacks > 4 * MOST


@pytest.mark.parametrize("pattern", [r"(?:a|aa)+b", r"\w+(?:和\w+)*，", r"\s*x?\s*y?\s*z", r"(?P<k>[\w ]+?(?:(?:, | and )[\w ]+?)*),x"])
def test_the_attacks_on_a_pattern_are_runs_of_what_its_repeats_accept(pattern: str) -> None:
    made = attacks_of([(pattern, 0)], 1_000)

    assert any(len(set(attack.pump)) <= 5 and attack.after == "\x00" for attack in made)
    assert Attack("", "a", "\x00").text(5) == "aaaaa\x00"
