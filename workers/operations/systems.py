"""Systems that incidents are about, and a look at one."""

from contracts.checks import Gathered, System
from contracts.statements import code, say
from contracts.statements import name as identifier
from workers.checks import systems as known
from workers.checks.gathering import Looking, gather
from workers.errors import NotFound
from workers.logs import list_logs
from workers.operations.base import Asker, Here, as_owner, operation
from workers.prometheus import list_metrics
from workers.sources import list_sources


@operation("knowledge.systems")
def systems(here: Here, asker: Asker) -> list[System]:
    """The systems that are looked at for the asker's incidents, each with the sensors that the asker may use."""
    only = asker.only_owner
    found = known.list_systems(here.db, only)
    if only is None:
        return found
    return [part for system in found if (part := _open_part(here, system, only)) is not None]


def _open_part(here: Here, system: System, owner: str) -> System | None:
    """A system with the sensors that an owner may use. None: it has none."""
    source = next((each for each in list_sources(here.db) if each.name == system.source), None)
    logs = next((each for each in list_logs(here.db) if system.logs and each.name == system.logs.name), None)
    metrics = next((each for each in list_metrics(here.db) if system.metrics and each.name == system.metrics.name), None)
    left = {
        "source": system.source if source is None or source.is_open_to(owner) else None,
        "logs": system.logs if logs is None or logs.is_open_to(owner) else None,
        "metrics": system.metrics if metrics is None or metrics.is_open_to(owner) else None,
    }
    return system.model_copy(update={**left, "owners": (owner,) if system.owners else ()}) if any(left.values()) else None


@operation("knowledge.add_system")
def add_system(here: Here, asker: Asker, system: System) -> System:
    """Add a system. Raises what `workers.checks.systems.add_system` raises."""
    return known.add_system(here.db, system)


@operation("knowledge.remove_system")
def remove_system(here: Here, asker: Asker, name: str) -> None:
    """Forget a system. Raises `NotFound`."""
    known.remove_system(here.db, name)


@operation("knowledge.look_at_system")
def look_at_system(here: Here, asker: Asker, system: str, *, owner: str | None = None) -> Gathered:
    """What all checks find in a system now. Raises `NotFound` for one that is not there, or not looked at for the asker."""
    only = asker.only_owner
    if only is not None and all(each.name != system for each in known.list_systems(here.db, only)):
        raise NotFound.of(say("check.refused.no_system", system=identifier(system[:80]), command=code("GET /v1/systems")))
    return gather(Looking(here.db, here.settings.data_dir, as_owner(asker, owner)), known.get_system(here.db, system))
