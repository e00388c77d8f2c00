"""The checks of `bullpen doctor` through a gateway: the gateway, the key, and the fleet as the gateway sees it."""

from collections.abc import Callable
from types import ModuleType

from workers.cli.check import Check
from workers.cli.display import counted, duration
from workers.cli.reach.remote import Remote, gateway
from workers.errors import BullpenError
from workers.reading.fleet import FleetFacts
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
        return [Check("gateway", "fail", str(error), "Set BULLPEN_URL to the gateway's address, or start it: bullpen up")]
    return [Check("gateway", "ok", f"{load_settings().url} and its database answer")]


def check_key() -> list[Check]:
    """Whose it is, and what it allows."""
    try:
        me = _away().send(_calls().me())
    except BullpenError as error:
        return [Check("key", "fail", str(error), "Set BULLPEN_KEY: bullpen keys create on the fleet's machine")]
    return [Check("key", "ok", f"{me.key} of the owner {me.owner}: {', '.join(me.scopes)}")]


def check_fleet() -> list[Check]:
    """What waits for workers, and what for a human."""
    try:
        facts = _away().read(FleetFacts, _calls().fleet())
    except BullpenError as error:
        return [Check("fleet", "fail", str(error))]
    found = [
        Check("fleet", "warn", f"the oldest of {counted(role.waiting, 'step')} of {role.role} waits for {duration(role.oldest_s)}",
              f"Look on the fleet's machine whether a worker of {role.role} runs: bullpen doctor")
        for role in facts.roles if role.waiting and (role.oldest_s or 0.0) > LONG_S
    ]  # fmt: skip
    paused = [role.role for role in facts.roles if role.state != "running"]
    if paused:
        found.append(Check("fleet", "warn", f"paused: {', '.join(paused)}", f"bullpen resume {paused[0]}"))
    return found or [Check("fleet", "ok", "no step waits for long")]
