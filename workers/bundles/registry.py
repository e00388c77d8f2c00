"""Which kinds of artefacts there are, shipped and one's own, and which of them a file is."""

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, cast

from contracts.statements import Statement
from workers.bundles.shipped import UNKNOWN, shipped_kinds
from workers.engines.artefacts.kinds import ArtefactKind
from workers.errors import ConfigurationError

GROUP = "bullpen.artefact_kinds"
"""Of entry points: each an `ArtefactKind`, several of them, or a function without arguments that gives such."""

SURE = 0.3
"""Below it a file is `unknown`."""

BY_NAME = 0.4
"""The most that a name alone may count for."""

Kinds = Mapping[str, ArtefactKind]
"""By name."""


def load_kinds(points: Iterable[EntryPoint] | None = None) -> dict[str, ArtefactKind]:
    """All kinds by name: the shipped ones and those of entry points. Raises `ConfigurationError` naming the entry point that is
    broken, or whose kind has the name of another."""
    kinds: dict[str, ArtefactKind] = {}
    for kind in shipped_kinds():
        _add(kinds, kind, "this release")
    for point in sorted(entry_points(group=GROUP) if points is None else points, key=lambda one: one.name):
        for kind in _kinds_of(point):
            _add(kinds, kind, f"the entry point {point.name!r} ({point.value})")
    return kinds


@cache
def kinds_here() -> Kinds:
    """Those of this process, looked up once: what is installed does not change while it runs."""
    return load_kinds()


def kind_of(name: str, head: bytes, kinds: Kinds) -> tuple[ArtefactKind, str]:
    """The kind of a file by its beginning (64 KiB, decompressed) and its name, and what told it: `content` or `name`."""
    best, score, told_by = kinds[UNKNOWN], 0.0, "content"
    for kind in kinds.values():
        by_content = _sniff(kind, "", head)
        found = _sniff(kind, name, head) if by_content >= SURE else min(BY_NAME, _sniff(kind, name, head))
        if found > score:
            best, score, told_by = kind, found, "content" if by_content >= SURE else "name"
    return (best, told_by) if score >= SURE else (kinds[UNKNOWN], "content")


def _sniff(kind: ArtefactKind, name: str, head: bytes) -> float:
    """A stranger's sniff that fails on a file does not know it."""
    try:
        return kind.sniff(name, head)
    except Exception:
        return 0.0


def _kinds_of(point: EntryPoint) -> tuple[ArtefactKind, ...]:
    where = f"The entry point {point.name!r} ({point.value}) of {GROUP}"
    try:
        told: Any = point.load()
        if not isinstance(told, ArtefactKind) and callable(told):
            told = cast("Callable[[], Any]", told)()
    except Exception as error:  # whatever a stranger's module raises on import
        raise ConfigurationError(f"{where} cannot be loaded: {type(error).__name__}: {error}. Mend or uninstall its package.") from error
    several = cast("tuple[Any, ...]", tuple(told)) if isinstance(told, tuple | list) else (told,)  # pyright: ignore[reportUnknownArgumentType] a stranger's
    found = tuple(one for one in several if isinstance(one, ArtefactKind))
    if not found or len(found) < len(several):
        raise ConfigurationError(f"{where} gives no ArtefactKind. It must be one, several of them, or a function that gives such.")
    return found


def _add(kinds: dict[str, ArtefactKind], kind: ArtefactKind, where: str) -> None:
    if kind.name in kinds:
        raise ConfigurationError(f"Two kinds of artefacts are named {kind.name!r}; the second comes from {where}. Rename one of them.")
    described = cast("object", kind.description)  # a stranger's kind may be of an older form
    if not isinstance(described, str | Statement) or not described:
        raise ConfigurationError(f"The kind {kind.name!r} of {where} has no description: a sentence, or a statement of its catalogue.")
    kinds[kind.name] = kind
