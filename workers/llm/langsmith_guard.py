"""Keeps LangChain's own tracing from sending prompts: a variable in the environment of a worker is not an operator's decision."""

from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def untraced(may_trace: bool) -> Generator[None]:
    """Within the block LangSmith is sent nothing, regardless of `LANGSMITH_TRACING`, unless the operator allows it
    (`BULLPEN_LANGSMITH`)."""
    if may_trace:
        yield
        return
    from langsmith import tracing_context  # pyright: ignore[reportUnknownVariableType] LangSmith's types

    with tracing_context(enabled=False):
        yield
