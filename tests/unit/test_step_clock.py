"""The clock of a step: the same in all its attempts, in the zone of those who ask."""

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests.support.context import step_context
from workers.kinds.ask.work.floor import Floor as AskFloor
from workers.kinds.etl.work.floor import Floor as EtlFloor
from workers.llm.brief import moment_text
from workers.settings import Settings

FROZEN = datetime(2026, 3, 4, 23, 30, tzinfo=UTC)


@pytest.mark.parametrize("floor", [AskFloor, EtlFloor])
def test_a_prompt_of_a_second_attempt_has_the_moment_of_the_first(floor: Any) -> None:
    """Else it would be another prompt, and what the first attempt paid for would be paid again."""
    services = cast("Any", SimpleNamespace(settings=Settings(timezone="Asia/Shanghai")))

    now = floor(step_context(services=services, clock=lambda: FROZEN)).now

    assert moment_text(now) == "Now it is Thursday, 2026-03-05 07:30 (Asia/Shanghai, UTC+08:00)."


def test_a_zone_without_a_name_is_named_by_its_offset() -> None:
    assert moment_text(FROZEN) == "Now it is Wednesday, 2026-03-04 23:30 (UTC, UTC+00:00)."
