"""`/v1/checks`: checks of systems that operators wrote."""

from fastapi import APIRouter, Response

from contracts.base import Contract
from contracts.own_checks import OwnCheck, StoredCheck, Tried
from workers.checks.own import add_check, approve_check, get_check, list_checks, remove_check, try_planted
from workers.gateway.access.caller import Here, MayAdminister, MayRead, MaySubmit
from workers.gateway.bodies import StrictRoute, answered

router = APIRouter(prefix="/v1/checks", tags=["checks"], route_class=StrictRoute)


class CheckGone(Contract):
    """A check that was forgotten."""

    removed: str


@router.get("", response_model=list[StoredCheck])
def checks(here: Here, caller: MayRead) -> Response:
    """The checks that operators approved, and those that the caller added."""
    only = caller.only_owner
    return answered([each for each in list_checks(here.db) if only is None or each.approved_at or each.added_by == only])


@router.post("", status_code=201)
def add(here: Here, caller: MaySubmit, body: OwnCheck) -> StoredCheck:
    """Store a check under the hash of its content. It does not run unattended before it is approved."""
    return add_check(here.db, body, by=caller.owner)


@router.post("/{hash}/test")
def test(here: Here, _: MayAdminister, hash: str) -> tuple[Tried, ...]:
    """Try a check on the data that it plants. Nothing real is read."""
    return try_planted(here.db, get_check(here.db, hash).check)


@router.post("/{hash}/approve")
def approve(here: Here, caller: MayAdminister, hash: str) -> StoredCheck:
    """Let a check run unattended, if its own tests hold. An approved one of the same name gives way."""
    return approve_check(here.db, hash, by=caller.owner)


@router.delete("/{hash}")
def remove(here: Here, _: MayAdminister, hash: str) -> CheckGone:
    """Forget a check."""
    return CheckGone(removed=remove_check(here.db, hash).hash)
