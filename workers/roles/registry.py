"""The registry of tasks: which function does which task of a role."""

from importlib import import_module

from contracts.roles import RoleName
from workers.errors import ConfigurationError
from workers.roles.base import RoleTask

_tasks: dict[tuple[RoleName, str], RoleTask | str] = {(RoleName.CLASSIFIER, "choose"): "workers.roles.choose:choose_stage"}
"""Role and task → a function, or its place (`module:function`), so that a worker imports only what its role runs. The fleet's own task
is registered here."""


def register_task(role: RoleName, task: str, run: RoleTask | str) -> None:
    """Add a task: a function or its place. Raises `ConfigurationError` if the role already has another task of that name."""
    if _tasks.get((role, task), run) != run:
        raise ConfigurationError(f"Role {role} has two tasks {task!r}. Rename the task of your extension.")
    _tasks.setdefault((role, task), run)


def task_modules() -> frozenset[str]:
    """The modules of all tasks that are registered by their place."""
    return frozenset(run.partition(":")[0] for run in _tasks.values() if isinstance(run, str))


def find_task(role: RoleName, task: str) -> RoleTask:
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
