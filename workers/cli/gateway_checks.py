"""The checks of `bullpen doctor` through a gateway: the gateway, the key, and the fleet as the gateway sees it."""

from collections.abc import Callable
from types import ModuleType

from contracts.statements import count, name, names, say, seconds
from workers.cli.check import Check
from workers.cli.reach.remote import Remote, gateway
from workers.errors import BullpenError
from workers.reading.fleet import FleetFacts
from workers.saying.reasons import reason_of
from workers.settings import load_settings

LONG_S = 60.0
"""Seconds that a step waits before somebody should look whether its role has workers."""

Run = Callable[[], list[Check]]


def gateway_checks() -> list[Run]:
    """All of them."""
    return [check_gateway, check_key, check_fleet]


def _away() -> Remote:
    found = gateway()
    assert found is not None, "a gateway is set"  # noqa: S101  the caller has looked
    return found


def _calls() -> ModuleType:
    """The addresses of the fleet. The client is loaded where there is a gateway to ask."""
    from bullpen_client.calls import fleet

    return fleet


def check_gateway() -> list[Check]:
    """Whether it answers, and its database."""
    try:
        _away().send(_calls().health())
    except BullpenError as error:
        return [Check("gateway", "fail", reason_of(error), say("doctor.set_url", setting=name("BULLPEN_URL"), command=name("bullpen up")))]
    return [Check("gateway", "ok", say("doctor.gateway_answers", address=name(load_settings().url)))]


def check_key() -> list[Check]:
    """Whose it is, and what it allows."""
    try:
        me = _away().send(_calls().me())
    except BullpenError as error:
        return [
            Check("key", "fail", reason_of(error), say("doctor.set_key", setting=name("BULLPEN_KEY"), command=name("bullpen keys create")))
        ]
    return [Check("key", "ok", say("doctor.key_of", key=name(me.key), owner=name(me.owner), scopes=names(me.scopes)))]


def check_fleet() -> list[Check]:
    """What waits for workers, and what for a human."""
    try:
        facts = _away().read(FleetFacts, _calls().fleet())
    except BullpenError as error:
        return [Check("fleet", "fail", reason_of(error))]
    found = [
        Check("fleet", "warn",
              say("doctor.oldest_waits", n=count(role.waiting), role=name(role.role), time=seconds(round(role.oldest_s or 0.0))),
              say("doctor.look_for_worker", role=name(role.role), command=name("bullpen doctor")))
        for role in facts.roles if role.waiting and (role.oldest_s or 0.0) > LONG_S
    ]  # fmt: skip
    paused = [role.role for role in facts.roles if role.state != "running"]
    if paused:
        found.append(Check("fleet", "warn", say("doctor.paused", roles=names(paused)), f"bullpen resume {paused[0]}"))
    return found or [Check("fleet", "ok", say("doctor.no_long_wait"))]
