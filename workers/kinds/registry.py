"""The kinds of jobs that this process knows: shipped ones, those of installed packages, and those of `BULLPEN_EXTENSIONS`."""

import pkgutil
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from pydantic import BaseModel

import workers.kinds
from contracts.statements import name as identifier
from contracts.statements import names, say
from workers.coordinator.playbooks import register_playbook
from workers.coordinator.stage_contracts import NoParameters, TaskContract, register_contract
from workers.errors import ConfigurationError, InvalidSubmission
from workers.kinds.base import Kind, Ref
from workers.llm.prompts import add_prompts
from workers.loggers import set_up_now
from workers.roles.registry import register_task
from workers.saying import add_catalogue

GROUP = "bullpen.kinds"
"""Entry points of installed packages: each names a `Kind`."""

_kinds: dict[str, Kind] = {}

_NO_PARAMETERS: Ref[type[BaseModel]] = Ref(f"{NoParameters.__module__}:{NoParameters.__name__}")


def register_kind(kind: Kind) -> None:
    """Make a kind known: its playbook, its tasks, its prompts, its texts. Raises `InvalidPlan`, or `ConfigurationError` when a name
    is taken."""
    if _kinds.get(kind.name) is kind:
        return
    if kind.name in _kinds:
        raise ConfigurationError(f"Two kinds of jobs are called {kind.name!r}. Rename the one of your extension.")
    register_playbook(kind.playbook)
    for (role, task), run in kind.tasks.items():
        register_task(role, task, run.path if isinstance(run, Ref) else run, tools=kind.tools.get((role, task), ()))
    for (role, task), yields in kind.yields.items():
        edits = kind.edits.get((role, task), _NO_PARAMETERS)
        register_contract(role, task, TaskContract(yields.load, edits.load, kind.unedited.get((role, task))))
    if kind.prompts is not None:
        add_prompts(kind.prompts)
    if kind.locale is not None:
        add_catalogue(kind.locale)
    _kinds[kind.name] = kind


def load_kinds(extensions: Iterable[str] = (), points: Iterable[EntryPoint] | None = None) -> None:
    """Register the shipped kinds, those of entry points, and what the extension modules register when they are imported. Safe to
    call again. Raises `ConfigurationError` naming the module or entry point that is broken."""
    for name in _shipped():
        _register_shipped(name)
    for point in entry_points(group=GROUP) if points is None else points:
        set_up_now()  # their modules may log in their own way
        register_kind(_of_entry_point(point))
    for name in extensions:
        set_up_now()
        try:
            import_module(name)
        except ImportError as error:
            raise ConfigurationError(f"BULLPEN_EXTENSIONS: cannot import {name!r}: {error}.") from error


def load_kind(name: str, extensions: Iterable[str] = ()) -> None:
    """Register what a command about one kind of job needs: a shipped kind alone, where nothing extends this deployment, else all kinds.
    Raises what `load_kinds` raises."""
    known = tuple(extensions)
    if name in _shipped() and not known:
        _register_shipped(name)
    else:
        load_kinds(known)


def known_kind(name: str, extensions: tuple[str, ...]) -> Kind | None:
    """The kind of this name, loaded; None for one of which only a playbook is registered, or nothing."""
    _load_once(name, extensions)
    return find_kind(name)


@cache
def _load_once(name: str, extensions: tuple[str, ...]) -> None:
    """Looking for installed packages each time would cost more than most reads."""
    load_kind(name, extensions)


@cache
def _shipped() -> tuple[str, ...]:
    return tuple(folder.name for folder in pkgutil.iter_modules(workers.kinds.__path__) if folder.ispkg)


def _register_shipped(name: str) -> None:
    register_kind(import_module(f"workers.kinds.{name}.kind").KIND)


def _of_entry_point(point: EntryPoint) -> Kind:
    try:
        found: object = point.load()
    except (ImportError, AttributeError) as error:
        raise ConfigurationError(f"The package behind the kind {point.name!r} ({point.value}) cannot be loaded: {error}.") from error
    if not isinstance(found, Kind):
        raise ConfigurationError(f"Entry point {point.name!r} ({point.value}) of {GROUP} must name a Kind.")
    return found


def find_kind(name: object) -> Kind | None:
    """The kind of this name; None for one of which only a playbook is registered, or nothing."""
    return _kinds.get(name) if isinstance(name, str) else None


def get_kind(name: str) -> Kind:
    """The kind of this name. Raises `InvalidSubmission`, naming the kinds there are."""
    found = _kinds.get(name)
    if found is None:
        raise InvalidSubmission.of(say("refused.kind_unknown", kind=identifier(repr(name[:80])), kinds=names(sorted(_kinds))))
    return found


def all_kinds() -> list[Kind]:
    """Every registered kind, by name."""
    return [_kinds[name] for name in sorted(_kinds)]


def sample_history() -> Path | None:
    """The first history of tickets that a known kind ships, to try it on."""
    shipped = next((kind.sample_history for kind in all_kinds() if kind.sample_history is not None), None)
    return None if shipped is None else shipped.load()()
