"""`/v1/checks`: checks of systems that operators wrote."""

from fastapi import APIRouter, Response

from contracts.own_checks import OwnCheck, StoredCheck, Tried
from workers.gateway.access.caller import Here, MayAdminister, MayRead, MaySubmit
from workers.gateway.bodies import StrictRoute, answered
from workers.operations import own_checks as operations

router = APIRouter(prefix="/v1/checks", tags=["checks"], route_class=StrictRoute)


@router.get("", response_model=list[StoredCheck])
def checks(here: Here, caller: MayRead) -> Response:
    """The checks that operators approved, and those that the caller added."""
    return answered(operations.checks(here, caller))


@router.post("", status_code=201)
def add(here: Here, caller: MaySubmit, body: OwnCheck) -> StoredCheck:
    """Store a check under the hash of its content. It does not run unattended before it is approved."""
    return operations.add_check(here, caller, body)


@router.post("/{hash}/test")
def test(here: Here, caller: MayAdminister, hash: str) -> tuple[Tried, ...]:
    """Try a check on the data that it plants. Nothing real is read."""
    return operations.test_check(here, caller, hash)


@router.post("/{hash}/approve")
def approve(here: Here, caller: MayAdminister, hash: str) -> StoredCheck:
    """Let a check run unattended, if its own tests hold. An approved one of the same name gives way."""
    return operations.approve_check(here, caller, hash)


@router.delete("/{hash}")
def remove(here: Here, caller: MayAdminister, hash: str) -> operations.CheckGone:
    """Forget a check."""
    return operations.remove_check(here, caller, hash)
