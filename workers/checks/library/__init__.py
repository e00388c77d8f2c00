"""The shipped checks, a file for each engine, one for logs and one for metrics."""

from functools import cache
from importlib import resources
from typing import Any

import yaml

from contracts.checks import Check, SensorCheck, SensorKind
from contracts.sources import SourceKind


@cache
def library(kind: SourceKind) -> tuple[Check, ...]:
    """The checks of an engine; none where there is no library for it."""
    return tuple(Check.model_validate({"kind": kind, **item}) for item in _read(kind.value))


@cache
def sensor_library(kind: SensorKind) -> tuple[SensorCheck, ...]:
    """The checks of logs or of metrics."""
    return tuple(SensorCheck.model_validate({"kind": kind, **item}) for item in _read(kind.value))


def _read(name: str) -> list[dict[str, Any]]:
    file = resources.files(__name__).joinpath(f"{name}.yaml")
    return yaml.safe_load(file.read_text("utf-8")) if file.is_file() else []
