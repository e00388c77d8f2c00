"""A step's context without a worker: for testing a role's task alone."""

from typing import Any, cast
from uuid import uuid4

from workers.llm import ChatClient
from workers.roles.base import HeardRequest, Services, StepContext


def step_context(
    *,
    stage: str = "stage",
    needs: dict[str, Any] | None = None,
    remarks: list[str] | None = None,
    requests: tuple[HeardRequest, ...] = (),
    services: Services | None = None,
    chat: ChatClient | None = None,
    **more: Any,
) -> StepContext:
    """What a step would be given. Without `services` the task must not use them."""
    heard = tuple(HeardRequest("review", stage, "remark", {"text": text}, None) for text in remarks or ())
    return StepContext(
        job_id=uuid4(),
        step_id=uuid4(),
        stage=stage,
        kind="test",
        attempt=1,
        params={},
        needs=needs or {},
        requests=(*heard, *requests),
        services=cast("Services", services),
        open_chat=lambda: chat,
        **more,
    )
