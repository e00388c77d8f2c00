"""The kept runs of the pairs that the what-if replay is held against: whole, small, of no machine in particular, and foretold."""

import re

import pytest
from backports import zstd

from tests.bench.spark_pairs.measured import speed_ups
from tests.bench.spark_pairs.pairs import PAIRS, Pair
from tests.bench.spark_pairs.prediction import TARGET, median_error, predictions
from workers.engines.spark.eventlog import read_run

MEASURED = speed_ups()
MOST_BYTES = 60_000
LEAST_ROUNDS = 5
pairs = pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)


@pairs
def test_every_pair_was_run_five_times_or_more(pair: Pair) -> None:
    assert MEASURED[pair.name].rounds >= LEAST_ROUNDS


@pairs
def test_the_kept_log_of_a_pair_is_a_whole_run(pair: Pair) -> None:
    run = read_run(pair.log)

    assert run.reading.malformed_lines == 0
    assert run.end_from == "application_end"
    assert {stage for change in pair.changes for stage in change.stage_ids} <= {stage.stage_id for stage in run.stages}


@pairs
def test_the_kept_log_of_a_pair_is_small_and_names_no_machine(pair: Pair) -> None:
    text = zstd.decompress(pair.log.read_bytes()).decode()

    assert pair.log.stat().st_size < MOST_BYTES
    assert set(re.findall(r'"Host":"([^"]*)"', text)) == {"localhost"}
    assert not re.search(r"(?<![\w.:])/(?:tmp|home|root|usr|work|opt)/", text)


def test_the_replay_foretells_the_pairs_within_a_quarter() -> None:
    """Of the measured speed-up, in the median; what was measured and the logs it is foretold from are kept, so nothing here depends on
    the machine."""
    found = predictions()

    assert len(found) == len(PAIRS)
    assert median_error(found) <= TARGET


def test_most_measured_speed_ups_lie_in_the_estimates_interval() -> None:
    found = predictions()

    assert sum(one.inside for one in found) > len(found) / 2
