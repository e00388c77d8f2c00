"""kombu's Redis transport without the SDK of OpenTelemetry.

redis-py imports that SDK wherever it is installed, for metrics of its own that nothing here switches on: 0.12 s of each command's start
and some megabytes of each worker. It takes a missing SDK for what it is, so the SDK is left out while redis-py is imported. Traces of the
fleet are not touched: they are of ours, and use it as before. Modules that are loaded early take redis-py's exceptions from here: an import
of their own would come first.
"""

import sys
from collections.abc import Generator
from contextlib import contextmanager

_SDK = "opentelemetry.sdk.metrics"


@contextmanager
def _without(module: str) -> Generator[None]:
    """Within the block the module cannot be imported, unless it already is."""
    if module in sys.modules:
        yield
        return
    sys.modules[module] = None  # pyright: ignore[reportArgumentType] what Python documents for a module that must not be found
    try:
        yield
    finally:
        del sys.modules[module]


with _without(_SDK):
    from kombu.transport import redis
    from redis import Redis, exceptions

__all__ = ["Redis", "exceptions", "redis"]
