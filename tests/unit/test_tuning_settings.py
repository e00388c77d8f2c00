"""Settings that are advised: only what is beyond what holds already, in the direction that helps."""

import pytest

from tests.support.tuning import run_of, stage_of
from workers.kinds.tune.rules.advice.case import Case
from workers.kinds.tune.rules.advice.container_memory import more_overhead
from workers.kinds.tune.rules.advice.failures import settings_for
from workers.kinds.tune.rules.advice.settings import lowered, raised
from workers.kinds.tune.rules.findings import find

THRESHOLD, IDLE = "spark.sql.autoBroadcastJoinThreshold", "spark.dynamicAllocation.executorIdleTimeout"


def case(**settings: str) -> Case:
    """A run with these settings, by their names with `_` for a point."""
    configuration = {name.replace("_", "."): value for name, value in settings.items()}
    run = run_of(stage_of(1, [1_000] * 8), spark_version="3.5.1", platform="kubernetes", configuration=configuration)
    return Case(find(run), run, [], (), None, {}, ())


@pytest.mark.parametrize(
    ("was", "value", "is_more"),
    [
        (None, "10485760", False),  # Spark's default
        ("104857600", "10485760", False),
        ("100m", "52428800", False),
        ("-1", "10485760", True),
        ("1m", "10485760", True),
        (None, "20971520", True),
    ],
)
def test_a_limit_is_raised_only_above_what_holds(was: str | None, value: str, is_more: bool) -> None:
    given = case() if was is None else case(spark_sql_autoBroadcastJoinThreshold=was)

    assert bool([*raised(given, (THRESHOLD, value))]) is is_more


@pytest.mark.parametrize(("was", "up", "down"), [(None, True, False), ("30m", False, True), ("120", True, True), ("10s", True, False)])
def test_a_time_is_compared_by_how_long_it_is(was: str | None, up: bool, down: bool) -> None:
    given = case() if was is None else case(spark_dynamicAllocation_executorIdleTimeout=was)

    assert bool([*raised(given, (IDLE, "300s"))]) is up
    assert bool([*lowered(given, (IDLE, "60s"))]) is down


def test_a_patient_fetch_is_not_made_less_patient() -> None:
    given = case(spark_network_timeout="800s", spark_shuffle_io_retryWait="60s", spark_shuffle_io_maxRetries="5")

    assert [setting.name for setting in settings_for(given, "fetch_failed", "")] == ["spark.shuffle.io.maxRetries"]


def test_the_overhead_that_is_doubled_is_the_share_that_was_set() -> None:
    """Python on Kubernetes has 0.4 of the heap."""
    given = case(spark_executor_memory="8g", spark_kubernetes_memoryOverheadFactor="0.4")

    assert [*more_overhead(given, "")] == [("spark.executor.memoryOverhead", "6656m")]
