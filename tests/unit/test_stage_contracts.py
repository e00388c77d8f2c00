"""Every task of every shipped kind declares what it yields and which of its parameters may be edited."""

import re
import typing
from pathlib import Path

import pytest
from pydantic import BaseModel

from contracts.roles import RoleName
from workers.coordinator.playbooks import find_playbook
from workers.coordinator.stage_contracts import NoParameters, TaskContract, find_contract, register_contract
from workers.errors import InvalidPlan
from workers.kinds.registry import all_kinds
from workers.roles.registry import find_task
from workers.saying import text_of

SHIPPED = ("analyze", "ask", "diagnose", "etl", "tune")
TASKS = [(kind.name, role, task) for kind in all_kinds() if kind.name in SHIPPED for role, task in kind.tasks]
STAGES = [(kind, stage.role, stage.task) for kind in SHIPPED for stage in find_playbook(kind).stages]


def contract_of(role: RoleName, task: str) -> TaskContract:
    found = find_contract(role, task)
    assert found is not None
    return found


@pytest.mark.parametrize(("kind", "role", "task"), [*TASKS, ("fleet", RoleName.CLASSIFIER, "choose")])
def test_a_task_yields_what_its_contract_says(kind: str, role: RoleName, task: str) -> None:
    """The declared contract is the one in the task's signature: `Report[THIS]`."""
    report = typing.get_type_hints(find_task(role, task), _types_of(role, task))["return"]

    assert report.__pydantic_generic_metadata__["args"] == (contract_of(role, task).yields(),)


def _types_of(role: RoleName, task: str) -> dict[str, object]:
    """Names that its module imports for the type checker only."""
    return {"ChatClient": object, **vars(__import__(find_task(role, task).__module__, fromlist=["x"]))}


@pytest.mark.parametrize(("kind", "role", "task"), STAGES)
def test_every_stage_of_a_playbook_has_a_contract(kind: str, role: RoleName, task: str) -> None:
    assert issubclass(contract_of(role, task).yields(), BaseModel)


@pytest.mark.parametrize(("kind", "role", "task"), TASKS)
def test_a_form_of_parameters_needs_none_of_them_and_refuses_others(kind: str, role: RoleName, task: str) -> None:
    form = contract_of(role, task).edits()

    form.model_validate({})
    with pytest.raises(ValueError, match="nobody_reads_this"):
        form.model_validate({"nobody_reads_this": 1})


@pytest.mark.parametrize("kind", [kind for kind in all_kinds() if kind.name in SHIPPED], ids=lambda kind: kind.name)
def test_contracts_are_declared_for_tasks_that_there_are(kind: typing.Any) -> None:
    assert set(kind.yields) == set(kind.tasks)
    assert set(kind.edits) <= set(kind.tasks)


def test_the_docs_name_every_parameter_that_may_be_edited() -> None:
    page = (Path(__file__).parents[2] / "docs" / "submitting.md").read_text("utf-8").partition("## Edits")[2]

    for kind, role, task in TASKS:
        for name in contract_of(role, task).parameters:
            own, _, inner = name.partition(".")
            assert re.search(rf"^\| `{kind}`: .*`{own}`.*{f'`{inner}`' if inner else ''}", page, re.MULTILINE), f"{task}: {name}"


@pytest.mark.parametrize(("kind", "role", "task"), [*TASKS, ("fleet", RoleName.CLASSIFIER, "choose")])
def test_a_task_has_parameters_or_says_why_not(kind: str, role: RoleName, task: str) -> None:
    """An operator who edits a step finds something to edit, or the reason why there is nothing."""
    contract = contract_of(role, task)

    assert bool(contract.parameters) is (contract.why_none is None)
    if contract.why_none is not None:
        assert {text_of(contract.why_none, language) for language in ("en", "zh")}.isdisjoint({"", contract.why_none.code})


def _wrong(schema: dict[str, typing.Any], name: str) -> typing.Any:
    """A value that no form takes for this parameter: an object with a field that nobody knows, or a list of lists."""
    found = schema["properties"][name]
    return 7 if found.get("type") == "object" else {"nobody": ["reads", "this"]}


@pytest.mark.parametrize(("kind", "role", "task"), TASKS)
def test_a_wrong_value_of_a_parameter_is_refused_with_its_name(kind: str, role: RoleName, task: str) -> None:
    form = contract_of(role, task).edits()
    schema = form.model_json_schema()

    for name in form.model_fields:
        with pytest.raises(ValueError, match=name):
            form.model_validate({name: _wrong(schema, name)})


def test_a_task_has_one_contract() -> None:
    with pytest.raises(InvalidPlan, match="two contracts"):
        register_contract(RoleName.CLASSIFIER, "choose", TaskContract(lambda: NoParameters))
