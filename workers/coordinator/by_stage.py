"""The rows of a board by the stage that they concern."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from uuid import UUID

from workers.blackboard.board import UNROUTED, Board, Deliverable, Request

Requests = tuple[Request, ...]

CHOOSE = "choose"
"""Task, and first part of the name, of the stages that route an instruction."""


@dataclass(frozen=True, slots=True)
class ByStage:
    """Stage → its rows. A stage without any is not a key. Requests are in id order."""

    pinned: dict[str, Deliverable]
    made: dict[tuple[str, str], Deliverable]
    """By stage and `made_from`: the newest version."""
    to: dict[str, Requests]
    """What it was asked; held remarks take no effect and are left out. An instruction without a stage is also to its chooser."""
    asked: dict[str, Requests]
    """What it asked."""
    heard: dict[str, Requests]
    """What others asked and it must hear the answer to."""
    delegated: dict[str, Requests]
    """Its delegations to roles: each adds a stage."""


def by_stage(board: Board, without: Collection[UUID]) -> ByStage:
    """The rows of a board, without the requests that are void for good."""
    counted = [request for request in board.requests if request.id not in without]
    return ByStage(
        pinned={item.stage: item for item in board.deliverables if item.pinned},
        made={(item.stage, item.made_from): item for item in board.deliverables},
        to=_grouped(counted, lambda request: () if request.held else _receivers(request)),
        asked=_grouped(counted, lambda request: (request.asker,)),
        heard=_grouped(counted, lambda request: request.also),
        delegated=_grouped(counted, lambda request: (request.asker,) if _adds_a_stage(request) else ()),
    )


def _receivers(request: Request) -> tuple[str, ...]:
    return (request.target, chooser_of(request)) if request.target == UNROUTED else (request.target,)


def _adds_a_stage(request: Request) -> bool:
    return request.kind == "delegation" and request.role is not None


def chooser_of(request: Request) -> str:
    """The stage that finds out what stage an instruction is meant for."""
    return f"{CHOOSE}/{request.rev}"


def _grouped(requests: Iterable[Request], stages_of: Callable[[Request], Iterable[str]]) -> dict[str, Requests]:
    found: dict[str, list[Request]] = {}
    for request in requests:
        for stage in stages_of(request):
            found.setdefault(stage, []).append(request)
    return {stage: tuple(items) for stage, items in found.items()}
