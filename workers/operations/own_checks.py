"""Checks of systems that operators wrote."""

from contracts.base import Contract
from contracts.own_checks import OwnCheck, StoredCheck, Tried
from workers.checks import own
from workers.operations.base import Asker, Here, operation


class CheckGone(Contract):
    """A check that was forgotten."""

    removed: str


@operation("knowledge.checks")
def checks(here: Here, asker: Asker) -> list[StoredCheck]:
    """The checks that operators approved, and those that the asker added."""
    only = asker.only_owner
    return [each for each in own.list_checks(here.db) if only is None or each.approved_at or each.added_by == only]


@operation("knowledge.add_check")
def add_check(here: Here, asker: Asker, check: OwnCheck) -> StoredCheck:
    """Store a check under the hash of its content."""
    return own.add_check(here.db, check, by=asker.name)


@operation("knowledge.test_check")
def test_check(here: Here, asker: Asker, hash: str) -> tuple[Tried, ...]:
    """Try a stored check on the data that it plants. Raises `NotFound`."""
    return own.try_planted(here.db, own.get_check(here.db, hash).check)


@operation("knowledge.approve_check")
def approve_check(here: Here, asker: Asker, hash: str) -> StoredCheck:
    """Let a check run unattended, if its own tests hold."""
    return own.approve_check(here.db, hash, by=asker.name)


@operation("knowledge.remove_check")
def remove_check(here: Here, asker: Asker, hash: str) -> CheckGone:
    """Forget a check; its whole hash."""
    return CheckGone(removed=own.remove_check(here.db, hash).hash)
