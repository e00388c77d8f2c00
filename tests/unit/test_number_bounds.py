"""Every number of a contract and of the settings has bounds that Postgres, Python's timers and sums can hold."""

import importlib
import math
import pkgutil
import types
from collections.abc import Iterator
from typing import Annotated, Any, Union, get_args, get_origin

import annotated_types
import pytest
from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

import contracts
from contracts.base import Contract
from contracts.commands import AdvanceJob, RunStep, upcast
from contracts.jobs import Budget, SubmitJob
from contracts.limits import MOST_CALLS, MOST_COST_USD, MOST_INTEGER, MOST_TOKENS
from contracts.reports import Usage
from contracts.wire import NotJson, read_json
from workers.llm.pricing import priced
from workers.llm.replies import reported_usage
from workers.settings import Settings

CONTENT = "the content of a deliverable: jsonb, which holds any finite number; no SQL reads a number from it"
REASONS = {
    **dict.fromkeys(
        (
            "contracts.artefacts", "contracts.bundles", "contracts.code", "contracts.scope", "contracts.spark", "contracts.statements",
            "contracts.spark_time", "contracts.verdicts", "contracts.whatif",
            "contracts.tickets", "contracts.diagnose.deliverables", "contracts.tune.plan", "contracts.tune.runs", "contracts.tune.steps",
            "contracts.ask.results", "contracts.ask.steps", "contracts.charts",
            "contracts.drawings", "contracts.queries", "contracts.questions",
            "contracts.log_questions", "contracts.logs", "contracts.sql_errors", "contracts.sql_repair", "contracts.sql_review",
            "contracts.tables", "contracts.times",
            "contracts.analyze.answer", "contracts.analyze.steps", "contracts.network", "contracts.network_calls",
            "contracts.pipelines.analysis", "contracts.pipelines.package", "contracts.pipelines.trial",
            "contracts.pipelines.workflow", "contracts.procedure_results", "contracts.procedures",
        ),
        CONTENT,
    ),
    **dict.fromkeys(
        (
            *("contracts.catalogue", "contracts.faults", "contracts.log_sources", "contracts.metric_sources"),
            *("contracts.sessions", "contracts.tools"),
        ),
        "counted and measured by the fleet itself",
    ),
    "contracts.sources": "measured by the fleet; an operator's limits are bounded but for the cost, whose unit is the engine's own",
    "contracts.tune.answers": "a model's answer: checked against the plan before any of it becomes content",
}  # fmt: skip
"""Modules whose numbers need no bounds of their own."""


def models() -> list[type[BaseModel]]:
    for module in pkgutil.walk_packages(contracts.__path__, "contracts."):
        importlib.import_module(module.name)
    found: dict[str, type[BaseModel]] = {"Settings": Settings}
    waiting: list[type[BaseModel]] = [Contract]
    while waiting:
        for model in waiting.pop().__subclasses__():
            waiting.append(model)
            if model.__module__.startswith("contracts.") and "[" not in model.__name__:
                found[f"{model.__module__}.{model.__name__}"] = model
    return [found[name] for name in sorted(found)]


def numbers(annotation: Any, metadata: list[Any]) -> Iterator[list[Any]]:
    """The metadata of each int or float in a type, wherever it is nested."""
    if get_origin(annotation) is Annotated:
        inner, *more = get_args(annotation)
        yield from numbers(inner, [*metadata, *more])
    elif annotation in (int, float):
        yield metadata
    elif get_origin(annotation) in (Union, types.UnionType):
        for part in get_args(annotation):
            yield from numbers(part, metadata)
    else:
        for part in get_args(annotation):
            yield from numbers(part, [])


def is_bounded(metadata: list[Any]) -> bool:
    flat = [item for entry in metadata for item in (entry.metadata if isinstance(entry, FieldInfo) else [entry])]
    lower = any(isinstance(item, annotated_types.Ge | annotated_types.Gt) for item in flat)
    upper = [item for item in flat if isinstance(item, annotated_types.Le)]
    return lower and bool(upper) and all(float(str(item.le)) <= MOST_INTEGER for item in upper)


UNBOUNDED = {
    f"{model.__module__}.{model.__name__}.{name}"
    for model in models()
    for name, field in model.model_fields.items()
    if not all(is_bounded(found) for found in numbers(field.annotation, list(field.metadata)))
}
CHECKED_BY_A_VALIDATOR = {"workers.settings.Settings.model_prices"}


def test_every_number_has_bounds_or_a_reason() -> None:
    unexplained = {name for name in UNBOUNDED if name.rpartition(".")[0].rpartition(".")[0] not in REASONS}

    assert unexplained == CHECKED_BY_A_VALIDATOR, "give these ge/gt and le (contracts/limits.py), or their module a reason"


def test_every_reason_is_needed() -> None:
    used = {name.rpartition(".")[0].rpartition(".")[0] for name in UNBOUNDED}

    assert set(REASONS) <= used


@pytest.mark.parametrize(
    "budget", [{"wall_time_s": 1e13}, {"tokens": 2**63}, {"cost_usd": 1e300}, {"wall_time_s": math.inf}, {"tokens": 0}], ids=str
)
def test_a_budget_that_nobody_can_mean_is_refused(budget: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match=next(iter(budget))):
        SubmitJob(job={"kind": "diagnose", "description": "x"}, budget=Budget.model_validate(budget))


@pytest.mark.parametrize("text", ["9223372036854775808", "-9223372036854775808", "1" + "0" * 400])
def test_a_whole_number_of_more_than_64_bits_is_refused_where_it_is_read(text: str) -> None:
    with pytest.raises(NotJson, match="too large"):
        read_json(f'{{"job": {{"n": [{text}]}}}}'.encode())


def test_a_message_of_a_version_beyond_counting_is_no_message() -> None:
    with pytest.raises(ValueError, match="not a positive whole number"):
        upcast({"v": 10**30})


@pytest.mark.parametrize("hostile", [{"at": 1e300}, {"at": -1}], ids=str)
def test_commands_take_no_time_beyond_the_calendar(hostile: dict[str, Any]) -> None:
    ids = {"job_id": "0" * 32, "step_id": "0" * 32, "stage": "s"}
    for command in (RunStep, AdvanceJob):
        with pytest.raises(ValidationError, match="at"):
            command.model_validate({**ids, **hostile})
    with pytest.raises(ValidationError, match="attempt"):
        RunStep.model_validate({**ids, "attempt": 2**15})


def test_usage_out_of_bounds_counts_as_the_bound() -> None:
    """A step's work is not lost because of what a server says it cost."""
    most = Usage(input_tokens=2**70, output_tokens=-5, cost_usd=1e300, model_calls=10**30)

    assert most == Usage(input_tokens=MOST_TOKENS, output_tokens=0, cost_usd=MOST_COST_USD, model_calls=MOST_CALLS)
    assert most.plus(most) == most
    assert Usage.model_validate({"cost_usd": math.nan}).cost_usd == 0
    assert priced(most, "m", {"m": (1e6, 1e6)}).cost_usd == MOST_COST_USD


@pytest.mark.parametrize(
    ("reported", "counted"),
    [
        ({"input_tokens": 1e300, "output_tokens": 5}, (MOST_TOKENS, 5)),
        ({"input_tokens": "many", "output_tokens": [5]}, None),
        ({"input_tokens": -7, "output_tokens": True}, (0, 0)),
        ({"input_tokens": math.inf, "output_tokens": 3.0}, (0, 3)),
        ({}, None),
    ],
)
def test_what_a_server_reports_is_a_count_or_is_left_out(reported: dict[str, Any], counted: tuple[int, int] | None) -> None:
    usage = reported_usage(reported)

    assert (usage and (usage.input_tokens, usage.output_tokens)) == counted


def test_settings_take_no_duration_beyond_a_year(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("lease_s", "step_timeout_s", "sweep_s", "resend_after_s"):
        with pytest.raises(ValidationError, match=name):
            Settings.model_validate({name: 1e13})
