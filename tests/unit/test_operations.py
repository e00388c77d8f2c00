"""Operations: each is declared once, with a call of the client that takes the same arguments."""

import inspect
import pkgutil
from importlib import import_module

import pytest

import workers.operations
from workers.gateway.access import key_operations
from workers.operations.base import at_a_gateway, declared_operations

FOUND = pkgutil.iter_modules(workers.operations.__path__)
MODULES = [key_operations, *(import_module(f"workers.operations.{found.name}") for found in FOUND)]
DECLARED = {f"{made.__module__}.{made.__name__}": made for made in declared_operations()}


def arguments(made: object, *, without: tuple[str, ...] = ()) -> list[tuple[str, object]]:
    found = inspect.signature(made).parameters.values()  # type: ignore[arg-type]
    return [(item.name, item.kind) for item in found if item.name not in without]


def test_every_public_function_is_an_operation() -> None:
    """A helper has a name with an underscore; what has none can be reached over HTTP."""
    public = {
        f"{module.__name__}.{name}"
        for module in MODULES
        if module.__name__ != "workers.operations.base"
        for name, made in inspect.getmembers(module, inspect.isfunction)
        if made.__module__ == module.__name__ and not name.startswith("_")
    }

    assert public == set(DECLARED)


@pytest.mark.parametrize("name", sorted(DECLARED))
def test_an_operation_takes_what_its_call_takes(name: str) -> None:
    """Positional arguments by their order, named ones by their names; a call may take more."""
    made = DECLARED[name]
    module, _, called = at_a_gateway(made).call.partition(".")
    call = getattr(import_module(f"bullpen_client.calls.{module}"), called)
    ours, theirs = arguments(made, without=("here", "asker", "tell")), arguments(call)
    positional = inspect.Parameter.POSITIONAL_OR_KEYWORD

    assert list(inspect.signature(made).parameters)[:2] == ["here", "asker"]
    assert len([each for each in ours if each[1] is positional]) == len([each for each in theirs if each[1] is positional])
    assert [each for each in ours if each[1] is not positional and each not in theirs] == []
    assert not at_a_gateway(made).in_background or "tell" in inspect.signature(made).parameters
