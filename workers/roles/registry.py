"""The registry of tasks: which function does which task of a role."""

from collections.abc import Iterable
from importlib import import_module
from typing import TYPE_CHECKING

from contracts.roles import RoleName
from workers.errors import ConfigurationError

if TYPE_CHECKING:
    from workers.roles.base import RoleTask

_tasks: "dict[tuple[RoleName, str], RoleTask | str]" = {(RoleName.CLASSIFIER, "choose"): "workers.roles.choose:choose_stage"}
"""Role and task → a function, or its place (`module:function`), so that a worker imports only what its role runs. The fleet's own task
is registered here."""

_OF_THE_FLEET = frozenset(_tasks)

_allowed: dict[tuple[RoleName, str], tuple[str, ...]] = {}
"""Role and task → the tools that its steps may call if they hold the keys. A task that is missing here may call none."""


def register_task(role: RoleName, task: str, run: "RoleTask | str", *, tools: Iterable[str] = ()) -> None:
    """Add a task: a function or its place, and its allow-list of tools. Raises `ConfigurationError` if the role already has another
    task of that name."""
    if _tasks.get((role, task), run) != run:
        raise ConfigurationError(f"Role {role} has two tasks {task!r}. Rename the task of your extension.")
    _tasks.setdefault((role, task), run)
    _allowed[(role, task)] = tuple(dict.fromkeys((*tools, *allowed_tools(role, task))))


def allow_tools(role: RoleName, task: str, *tools: str) -> None:
    """Add tools to the allow-list of a task: an extension that registers a tool says here which steps may call it."""
    _allowed[(role, task)] = tuple(dict.fromkeys((*allowed_tools(role, task), *tools)))


def allowed_tools(role: RoleName, task: str) -> tuple[str, ...]:
    """The allow-list of a task. Empty means that it may call no tool."""
    return _allowed.get((role, task), ())


def task_modules() -> frozenset[str]:
    """The modules of all tasks that are registered by their place."""
    return frozenset(run.partition(":")[0] for run in _tasks.values() if isinstance(run, str))


def busy_roles() -> frozenset[RoleName]:
    """The roles that have a task of an installed kind. A worker of any other role would never be given a step: choosing a stage, the
    fleet's own task, is asked for only in jobs of a kind."""
    return frozenset(role for role, task in _tasks if (role, task) not in _OF_THE_FLEET)


def find_task(role: RoleName, task: str) -> "RoleTask":
    """The function of a task. Raises `ConfigurationError`, which names what is missing."""
    run = _tasks.get((role, task))
    if run is None:
        raise ConfigurationError(
            f"Role {role} has no task {task!r} in this worker. If an extension defines it, set BULLPEN_EXTENSIONS here too."
        )
    if isinstance(run, str):
        module, _, name = run.partition(":")
        loaded: RoleTask = getattr(import_module(module), name)
        return loaded
    return run
