"""Checks that operators wrote."""

from pydantic import TypeAdapter

from contracts.own_checks import OwnCheck, StoredCheck, Tried
from workers.checks import own
from workers.cli.context import database
from workers.cli.reach.remote import gateway

_RESULTS = TypeAdapter(tuple[Tried, ...])


def checks() -> list[StoredCheck]:
    """All that are stored."""
    if (away := gateway()) is not None:
        from bullpen_client.calls import knowledge

        return away.read(list[StoredCheck], knowledge.checks())
    return own.list_checks(database())


def add(check: OwnCheck, by: str) -> StoredCheck:
    """Store a check."""
    if (away := gateway()) is not None:
        from bullpen_client.calls import knowledge

        return away.read(StoredCheck, knowledge.add_check(check.to_json()))
    return own.add_check(database(), check, by=by)


def test(check: OwnCheck | str) -> tuple[Tried, ...]:
    """Try a check, or a stored one, on its planted data."""
    if (away := gateway()) is not None:
        from bullpen_client.calls import knowledge

        wanted = check if isinstance(check, str) else away.read(StoredCheck, knowledge.add_check(check.to_json())).hash
        return _RESULTS.validate_python(away.value(knowledge.test_check(wanted)))
    return own.try_planted(database(), own.get_check(database(), check).check if isinstance(check, str) else check)


def approve(wanted: str, by: str) -> StoredCheck:
    """Let a check run unattended."""
    if (away := gateway()) is not None:
        from bullpen_client.calls import knowledge

        return away.read(StoredCheck, knowledge.approve_check(wanted))
    return own.approve_check(database(), wanted, by=by)


def remove(wanted: str) -> str:
    """Forget a check; its hash."""
    if (away := gateway()) is not None:
        from bullpen_client.calls import knowledge

        return str(away.value(knowledge.remove_check(wanted))["removed"])
    return own.remove_check(database(), wanted).hash
