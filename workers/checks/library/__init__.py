"""The shipped checks, a file for each engine."""

from functools import cache
from importlib import resources

import yaml

from contracts.checks import Check
from contracts.sources import SourceKind


@cache
def library(kind: SourceKind) -> tuple[Check, ...]:
    """The checks of an engine; none where there is no library for it."""
    file = resources.files(__name__).joinpath(f"{kind.value}.yaml")
    if not file.is_file():
        return ()
    return tuple(Check.model_validate({"kind": kind, **item}) for item in yaml.safe_load(file.read_text("utf-8")))
