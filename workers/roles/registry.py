"""Which code does a role's task. A worker of a role runs whatever is registered for it."""

from importlib import import_module

from contracts.roles import RoleName
from workers.errors import ConfigurationError
from workers.roles.base import RoleTask

_tasks: dict[tuple[RoleName, str], RoleTask | str] = {(RoleName.CLASSIFIER, "choose"): "workers.roles.choose:choose_stage"}
"""A task, or the place of one (`module:function`), so that a worker imports only what its role runs. The fleet's own is here."""


def register_task(role: RoleName, task: str, run: RoleTask | str) -> None:
    """Add a task: a function, or its place. Raises `ConfigurationError` when another one has its name."""
    if _tasks.get((role, task), run) != run:
        raise ConfigurationError(f"Two tasks {task!r} of role {role}. Rename the one of your extension.")
    _tasks.setdefault((role, task), run)


def task_modules() -> frozenset[str]:
    """The modules of every task that is registered by its place."""
    return frozenset(run.partition(":")[0] for run in _tasks.values() if isinstance(run, str))


def find_task(role: RoleName, task: str) -> RoleTask:
    """The code of a task. Raises `ConfigurationError` naming what is missing."""
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
