"""The fleet's roles and tools, and what is deleted for good."""

from datetime import datetime, timedelta
from enum import StrEnum

from contracts.base import Contract
from contracts.statements import names, quote, say
from contracts.tools import ToolOffer
from workers.errors import NotFound, Unavailable
from workers.operations.base import Asker, Here, operation
from workers.reading.values import as_json


class RoleState(StrEnum):
    """Whether a role's workers take new steps."""

    RUNNING = "running"
    PAUSED = "paused"
    DRAINING = "draining"
    """As paused, on the way to it: until none of its steps runs."""


class RoleSet(Contract):
    """The state of a role."""

    role: str
    state: RoleState
    before: RoleState
    running_steps: int
    """Steps of the role that a worker holds now."""


class FilesGone(Contract):
    """Files of the artefact store."""

    bundles: int
    files: int
    bytes: int


class Purged(Contract):
    """How many rows and files were deleted, or would be."""

    before: datetime
    jobs: int
    events: int
    decisions: int
    sessions: int
    quarantine: int
    facts: int
    skills: int
    artefacts: FilesGone
    dry_run: bool


class ToolSeen(Contract):
    """A registered tool."""

    name: str
    opened_by: tuple[str, ...]
    """Kinds of pointers whose key opens it."""
    offer: ToolOffer | None
    """None: its server does not answer."""


@operation("fleet.role")
def role(here: Here, asker: Asker, name: str) -> RoleSet:
    """The state of a role, and how many of its steps run. Raises `NotFound`."""
    from workers.app.fleet_facts import WORKERS
    from workers.app.role_states import role_state, running_steps

    if name not in WORKERS:
        raise NotFound.of(say("refused.no_role", role=quote(name), roles=names(WORKERS)))
    state = RoleState(role_state(here.db, name))
    return RoleSet(role=name, state=state, before=state, running_steps=running_steps(here.db, name))


@operation("fleet.set_role")
def set_role(here: Here, asker: Asker, name: str, state: str) -> RoleSet:
    """Pause a role's workers, for every owner's jobs, or let them go on; `before` is its state until now. What runs is finished."""
    from workers.app.role_states import set_role_state

    before = role(here, asker, name).state
    set_role_state(here.db, name, RoleState(state).value)
    return role(here, asker, name).model_copy(update={"before": before})


@operation("fleet.purge")
def purge(here: Here, asker: Asker, older_than_s: float, *, dry_run: bool = False, keep_files: bool = False) -> Purged:
    """Delete finished jobs with everything that belongs to them, settled entries of the quarantine, and files that no job needs, that are
    older than `older_than_s` seconds; or count them."""
    from workers.blackboard import retention
    from workers.bundles import Freed, open_store, purge_store

    age = timedelta(seconds=older_than_s)
    rows = retention.count_old(here.db, age) if dry_run else retention.purge(here.db, age)
    files = Freed() if keep_files else purge_store(here.db, open_store(here.settings), age, dry_run=dry_run)
    return Purged.model_validate({**as_json(rows), "artefacts": as_json(files), "dry_run": dry_run})


@operation("knowledge.tools")
def tools(here: Here, asker: Asker) -> list[ToolSeen]:
    """The registered tools, those of extensions among them."""
    from workers.kinds.registry import load_kinds
    from workers.tools.registry import tool_names

    load_kinds(here.settings.extensions)
    return [_seen(name) for name in tool_names()]


def _seen(name: str) -> ToolSeen:
    from workers.tools.registry import find_tool

    try:
        tool = find_tool(name)
    except Unavailable:
        tool = None
    if tool is None:
        return ToolSeen(name=name, opened_by=(), offer=None)
    arguments = tool.argument_schema()
    offer = ToolOffer(name=name, description=tool.description, effect=tool.effect, cost=tool.cost, arguments=arguments, card=tool.card)
    return ToolSeen(name=name, opened_by=tuple(sorted(tool.opens)), offer=offer)
