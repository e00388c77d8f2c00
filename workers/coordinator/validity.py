"""Which requests still count: questions that nobody needs answered any more are void, and so are remarks that were overruled.

- A question to the human is void unless its asker would ask it again now: what the asker would be made from is what it was made
  from when it asked, and no human has pinned a version of it meanwhile.
- A remark is void when the human has decided against it before: they kept this very version of the stage although its
  author objected to it. It then counts for nobody, its author included.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from workers.blackboard.board import HUMAN, OPERATOR, UNROUTED, Board, Deliverable, Request
from workers.coordinator.by_stage import Requests


class Asker(Protocol):
    """What is asked here of the view of a stage."""

    @property
    def fresh(self) -> bool:
        """It has its deliverable."""
        ...

    @property
    def questions(self) -> frozenset[UUID]:
        """Its questions that wait for the human's answer."""
        ...


@dataclass(frozen=True, slots=True)
class OpenRequests:
    """What is still to be answered or done, and what is void."""

    human: tuple[Request, ...]
    delegations: tuple[Request, ...]
    void: frozenset[UUID]


def still_asked(asked: Requests, base_want: str | None, pinned: Deliverable | None) -> frozenset[UUID]:
    """Of all that a stage asked, the open questions to the human that it would ask again now."""
    if pinned is not None or base_want is None:
        return frozenset()
    return frozenset(r.id for r in asked if r.target == HUMAN and r.response_hash is None and r.made_from == base_want)


def overruled(board: Board) -> frozenset[UUID]:
    """Remarks on a version that the human kept when the same objector had objected to it. Once void they stay so: what comes
    after them is another version."""
    objections = {r.id: r for r in board.requests if r.kind == "remark" and r.asker != OPERATOR}
    kept: dict[tuple[str, str], int] = {}
    for question in board.requests:
        about = objections.get(question.about) if question.about else None
        if about is not None and question.response_hash is not None:
            kept[about.asker, about.target] = question.rev
    void = {r.id for r in objections.values() if r.void}
    return frozenset(void.union(r.id for r in objections.values() if _is_on_kept_version(r, kept, board)))


def _is_on_kept_version(remark: Request, kept: dict[tuple[str, str], int], board: Board) -> bool:
    since = kept.get((remark.asker, remark.target), remark.rev)
    return since < remark.rev and not any(d.stage == remark.target and since < d.rev < remark.rev for d in board.deliverables)


def open_requests(board: Board, views: Mapping[str, Asker], overruled: frozenset[UUID]) -> OpenRequests:
    """The questions and delegations that are open now that every stage was judged."""
    unplaced = {r.id for r in board.requests if r.held or r.target == UNROUTED}
    questions = [r for r in board.requests if r.target == HUMAN and r.response_hash is None]
    human = tuple(r for r in questions if _is_needed(r, views, unplaced))
    delegations = tuple(r for r in board.requests if r.kind == "delegation" and r.target in views and not views[r.target].fresh)
    return OpenRequests(human, delegations, overruled.union(r.id for r in questions if r not in human))


def _is_needed(question: Request, views: Mapping[str, Asker], unplaced: set[UUID]) -> bool:
    """Not where the stage that asked has left the plan, or the instruction that it is about was placed meanwhile."""
    if question.asker in views:
        return question.id in views[question.asker].questions
    return question.asker == OPERATOR and question.about in unplaced
