"""Which errors of a step a further attempt may mend."""

import pytest

from workers.app.run_step import is_retryable
from workers.errors import InvalidInput, SourceUnavailable


def test_a_process_without_memory_is_tried_once_more_and_not_again() -> None:
    assert is_retryable(MemoryError(), attempt=1)
    assert not is_retryable(MemoryError(), attempt=2)


@pytest.mark.parametrize(
    ("error", "retryable"),
    [(ConnectionError(), True), (TimeoutError(), True), (SourceUnavailable("x"), True), (InvalidInput("x"), False), (ValueError(), False)],
)
def test_a_server_that_is_away_is_tried_again_and_a_wrong_value_is_not(error: Exception, retryable: bool) -> None:
    assert [is_retryable(error, attempt=attempt) for attempt in (1, 2)] == [retryable, retryable]
