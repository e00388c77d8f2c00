"""Systems that incidents are about."""

from contracts.checks import Gathered, System
from workers.cli.context import database
from workers.cli.reach.remote import gateway
from workers.settings import load_settings


def systems() -> list[System]:
    """All systems, or at a gateway those of the key's owner."""
    if (away := gateway()) is not None:
        from bullpen_client.calls import knowledge

        return away.read(list[System], knowledge.systems())
    from workers.checks.systems import list_systems

    return list_systems(database())


def add(system: System) -> System:
    """Add a system."""
    if (away := gateway()) is not None:
        from bullpen_client.calls import knowledge

        return away.read(System, knowledge.add_system(system.to_json()))
    from workers.checks.systems import add_system

    return add_system(database(), system)


def remove(name: str) -> None:
    """Forget a system."""
    if (away := gateway()) is not None:
        from bullpen_client.calls import knowledge

        away.value(knowledge.remove_system(name))
        return
    from workers.checks.systems import remove_system

    remove_system(database(), name)


def look(name: str, owner: str) -> Gathered:
    """What all checks find in a system now."""
    if (away := gateway()) is not None:
        from bullpen_client.calls import knowledge

        return away.read(Gathered, knowledge.look_at_system(name, owner=owner))
    from workers.checks.gathering import Looking, gather
    from workers.checks.systems import get_system

    return gather(Looking(database(), load_settings().data_dir, owner), get_system(database(), name))
