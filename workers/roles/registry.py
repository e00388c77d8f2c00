"""Which code does a role's task. A worker of a role runs whatever is registered for it."""

from importlib import import_module

from contracts.roles import RoleName
from workers.errors import ConfigurationError
from workers.roles.base import RoleTask

_SHIPPED: dict[tuple[RoleName, str], str] = {
    (RoleName.RETRIEVER, "tickets.retrieve"): "workers.kinds.diagnose.roles.retriever:retrieve_tickets",
    (RoleName.RETRIEVER, "experience.retrieve"): "workers.kinds.tune.roles.retriever:retrieve_experience",
    (RoleName.DIAGNOSER, "diagnosis.conclude"): "workers.kinds.diagnose.roles.diagnoser:conclude_diagnosis",
    (RoleName.FILE_RECOMMENDER, "tuning.catalogue"): "workers.kinds.tune.roles.file_recommender:catalogue_bundle",
    (RoleName.FILE_RECOMMENDER, "tuning.check"): "workers.kinds.tune.roles.file_recommender:check_information",
    (RoleName.CLASSIFIER, "tuning.classify"): "workers.kinds.tune.roles.classifier:classify_run",
    (RoleName.ANALYST, "tuning.key_code"): "workers.kinds.tune.roles.analyst:find_key_code",
    (RoleName.ANALYST, "tuning.evidence"): "workers.kinds.tune.roles.analyst:read_evidence",
    (RoleName.DIAGNOSER, "tuning.causes"): "workers.kinds.tune.roles.diagnoser:suppose_causes",
    (RoleName.DIAGNOSER, "tuning.plan"): "workers.kinds.tune.roles.diagnoser:plan_fixes",
    (RoleName.REVIEWER, "tuning.review"): "workers.kinds.tune.roles.reviewer:review_plan",
}
"""By name, so that a worker imports only what its role runs."""

_loaded: dict[tuple[RoleName, str], RoleTask] = {}


def shipped_modules() -> frozenset[str]:
    """The modules of every task that is shipped."""
    return frozenset(path.partition(":")[0] for path in _SHIPPED.values())


def register_task(role: RoleName, task: str, run: RoleTask) -> None:
    """Add a task from an extension. Raises `ConfigurationError` when another one has its name."""
    known = _loaded.get((role, task))
    if (role, task) in _SHIPPED or (known is not None and known is not run):
        raise ConfigurationError(f"Two tasks {task!r} of role {role}. Rename the one of your extension.")
    _loaded[role, task] = run


def find_task(role: RoleName, task: str) -> RoleTask:
    """The code of a task. Raises `ConfigurationError` naming what is missing."""
    known = _loaded.get((role, task))
    if known is not None:
        return known
    path = _SHIPPED.get((role, task))
    if path is None:
        raise ConfigurationError(
            f"Role {role} has no task {task!r} in this worker. If an extension defines it, set BULLPEN_EXTENSIONS here too."
        )
    module, _, name = path.partition(":")
    run: RoleTask = getattr(import_module(module), name)
    _loaded[role, task] = run
    return run


def load_extensions(modules: tuple[str, ...]) -> None:
    """Import the modules that register playbooks and tasks. Raises `ConfigurationError` with the module's fault."""
    for name in modules:
        try:
            import_module(name)
        except ImportError as error:
            raise ConfigurationError(f"BULLPEN_EXTENSIONS: cannot import {name!r}: {error}.") from error
