"""Functions among the options of a transport, such that the options can still be written as JSON."""

from collections.abc import Callable
from typing import Any, Generic, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


class TransportHook(Generic[P, R]):
    """A function that a transport calls. `celery inspect stats`, and Flower with it, sends a worker's transport options as JSON:
    there it is its name. A bare function would make that answer fail."""

    def __init__(self, function: Callable[P, R]) -> None:
        self._function = function

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Call the function."""
        return self._function(*args, **kwargs)

    def __json__(self) -> Any:
        """Its name: kombu's encoder asks for this."""
        return self._function.__qualname__
