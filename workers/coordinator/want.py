"""The want of one stage: a hash of all that its deliverable would be made from now.

It is taken of the stage's own definition, the content hashes of its needs, the payloads of the requests to it, and the questions
that it asked (or must hear) with their responses. It exists only when every need is fresh and nothing that the stage asked
is open. Nothing else is hashed: no ids, no prompt, no model, no release, no state of the knowledge base.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from uuid import UUID

from contracts.base import content_hash
from contracts.statements import Statement, names, say
from workers.blackboard.board import HUMAN, Deliverable, Stage
from workers.coordinator.by_stage import ByStage, Requests
from workers.coordinator.validity import still_asked

BY_HUMAN = "human:"
"""Before the want in `made_from` of a version that a human wrote: it is current only while it is pinned, so that unpinning
brings the role's own version back."""


@dataclass(frozen=True, slots=True)
class StageView:
    """What the rule says of one stage. `want` None: a need is stale or something it asked is open; `why` says which."""

    stage: Stage
    needs: tuple[str, ...] = ()
    """The stages it needs, families as their members, and those of its delegations."""
    want: str | None = None
    current: Deliverable | None = None
    drifted: bool = False
    """Pinned although its want has moved."""
    why: Statement | None = None
    base_want: str | None = None
    """`want` as if no question to a human were open: what a question must still match, or it is void."""
    questions: frozenset[UUID] = frozenset()
    """Its questions that wait for the human's answer."""
    request_ids: tuple[UUID, ...] = ()
    """What its next step hears: requests to it, those it asked that are answered, and answers it must hear."""
    need_ids: tuple[UUID, ...] = ()
    """The current deliverables of its needs."""

    @property
    def fresh(self) -> bool:
        """Nothing to do here."""
        return self.current is not None


def judge(stage: Stage, needs: tuple[str, ...], views: Mapping[str, StageView], rows: ByStage) -> StageView:
    """Apply the rule to a stage whose needs were judged before, and are in `views`."""
    pinned = rows.pinned.get(stage.name)
    if stage.role is None:
        return StageView(stage, needs, want=pinned.made_from if pinned else None, current=pinned)
    asked = rows.asked.get(stage.name, ())
    to_it, answered = rows.to.get(stage.name, ()), _answered(stage.name, rows)
    made_of = [current for need in needs if (current := views[need].current) is not None]
    waits = _waits_for(needs, asked, views)
    base_want = None if waits else _want(stage, made_of, to_it, answered)
    questions = still_asked(asked, base_want, pinned)
    want = None if questions else base_want
    return StageView(
        stage,
        needs,
        want=want,
        current=pinned or (rows.made.get((stage.name, want)) if want is not None else None),
        drifted=pinned is not None and want is not None and want != pinned.made_from.removeprefix(BY_HUMAN),
        why=say("fleet.why.asked_human") if questions else waits,
        base_want=base_want,
        questions=questions,
        request_ids=tuple(request.id for request in (*to_it, *answered)),
        need_ids=tuple(item.id for item in made_of),
    )


def _waits_for(needs: tuple[str, ...], asked: Requests, views: Mapping[str, StageView]) -> Statement | None:
    """The reason why a stage has no want yet; None if there is no such reason."""
    stale = tuple(need for need in needs if not views[need].fresh)
    if stale:
        return _needs(stale)
    if not asked:
        return None
    targets = [r.target for r in asked if r.target != HUMAN and not r.held and r.target in views and not views[r.target].fresh]
    return say("fleet.why.asked", stages=names(targets)) if targets else None


@lru_cache(1024)
def _needs(stale: tuple[str, ...]) -> Statement:
    """The same words for the same stages: most boards are judged when the same few stages are missing."""
    return say("fleet.why.needs", stages=names(stale))


def _answered(name: str, rows: ByStage) -> Requests:
    """The requests whose answers this stage must take into account, in id order. Open questions to the human are not among them."""
    if name not in rows.asked and name not in rows.heard:
        return ()
    asked = {r.id: r for r in rows.asked.get(name, ()) if r.target != HUMAN or r.response_hash is not None}
    heard = {r.id: r for r in rows.heard.get(name, ()) if r.response_hash is not None}
    return tuple(sorted((asked | heard).values(), key=lambda r: r.id))


def _want(stage: Stage, made_of: list[Deliverable], to_it: Requests, answered: Requests) -> str:
    """The hash of everything that a version is made from. The keys are part of it, so a changed key makes every stored version stale."""
    return content_hash(
        {
            "stage": [stage.name, stage.role, stage.task, stage.params],
            "needs": [[item.stage, item.content_hash] for item in made_of],
            "told": [request.payload_hash for request in to_it],
            "said": [[request.payload_hash, request.response_hash] for request in answered],
        }
    )
