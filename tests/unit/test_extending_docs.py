"""The example in docs/extending.md is a working extension."""

import re
import sys
from pathlib import Path
from types import ModuleType
from uuid import uuid4

import pytest

from contracts.roles import RoleName
from contracts.stages import INPUT
from tests.support.context import step_context
from workers.coordinator.playbooks import find_playbook
from workers.roles.registry import find_task

PAGE = Path(__file__).parents[2] / "docs" / "extending.md"


@pytest.fixture(scope="module")
def example() -> ModuleType:
    source = re.search(r"```python\n(.+?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert source is not None
    module = ModuleType(f"greetings_{uuid4().hex}")
    sys.modules[module.__name__] = module
    exec(compile(source[1], str(PAGE), "exec"), module.__dict__)  # noqa: S102  our own page
    return module


def test_the_example_registers_its_kind_and_its_tasks(example: ModuleType) -> None:
    playbook = find_playbook("greet")

    assert playbook.read_request({"kind": "greet", "name": "Ada"}) == {"kind": "greet", "name": "Ada"}
    assert find_task(RoleName.DEVELOPER, "greet.write") is example.write


def test_the_example_s_review_objects_once_and_then_passes(example: ModuleType) -> None:
    """E18: passed means no remark."""
    request = {"kind": "greet", "name": "Ada"}
    first = example.write(step_context(needs={INPUT: request}))
    objection = example.review(step_context(needs={"greeting": first.deliverable.to_json()}))
    second = example.write(step_context(needs={INPUT: request}, remarks=[objection.remarks[0].text]))
    passed = example.review(step_context(needs={"greeting": second.deliverable.to_json()}))

    assert (first.deliverable.text, second.deliverable.text) == ("Hi Ada", "Dear Ada")
    assert objection.remarks[0].stage == "greeting"
    assert passed.remarks == ()
