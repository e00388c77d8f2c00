"""The registry of artefact kinds, from this release and from extensions, and the recognition of a file's kind."""

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, cast

from contracts.statements import Statement
from workers.bundles.shipped import UNKNOWN, shipped_kinds
from workers.engines.artefacts.kinds import ArtefactKind
from workers.errors import ConfigurationError

GROUP = "bullpen.artefact_kinds"
"""Group of entry points. Each names an `ArtefactKind`, several of them, or a function without arguments that returns these."""

SURE = 0.3
"""Score of a sniff below which a file is `unknown`."""

BY_NAME = 0.4
"""Highest score for a match by name without a match by content."""

Kinds = Mapping[str, ArtefactKind]
"""Kinds by name."""


def load_kinds(points: Iterable[EntryPoint] | None = None) -> dict[str, ArtefactKind]:
    """All kinds by name: those of this release and those of entry points. Raises `ConfigurationError`, which names the entry point that is
    broken, or whose kind has the name of another kind."""
    kinds: dict[str, ArtefactKind] = {}
    for kind in shipped_kinds():
        _add(kinds, kind, "this release")
    for point in sorted(entry_points(group=GROUP) if points is None else points, key=lambda point: point.name):
        for kind in _kinds_of(point):
            _add(kinds, kind, f"the entry point {point.name!r} ({point.value})")
    return kinds


@cache
def kinds_here() -> Kinds:
    """The kinds of this process. They are looked up once, since the installed packages do not change while it runs."""
    return load_kinds()


def kind_of(name: str, head: bytes, kinds: Kinds) -> tuple[ArtefactKind, str]:
    """The kind of a file, recognised from its decompressed beginning (64 KiB) and its name. The second value is `content` or `name`,
    whichever decided."""
    best, score, told_by = kinds[UNKNOWN], 0.0, "content"
    for kind in kinds.values():
        by_content = _sniff(kind, "", head)
        own_score = _sniff(kind, name, head) if by_content >= SURE else min(BY_NAME, _sniff(kind, name, head))
        if own_score > score:
            best, score, told_by = kind, own_score, "content" if by_content >= SURE else "name"
    return (best, told_by) if score >= SURE else (kinds[UNKNOWN], "content")


def _sniff(kind: ArtefactKind, name: str, head: bytes) -> float:
    """The score of a kind for a file. If an extension's sniff fails, its score is 0."""
    try:
        return kind.sniff(name, head)
    except Exception:
        return 0.0


def _kinds_of(point: EntryPoint) -> tuple[ArtefactKind, ...]:
    where = f"The entry point {point.name!r} ({point.value}) of {GROUP}"
    try:
        loaded: Any = point.load()
        if not isinstance(loaded, ArtefactKind) and callable(loaded):
            loaded = cast("Callable[[], Any]", loaded)()
    except Exception as error:  # a module of an extension may raise any error on import
        raise ConfigurationError(f"{where} cannot be loaded: {type(error).__name__}: {error}. Fix or uninstall its package.") from error
    values = cast("tuple[Any, ...]", tuple(loaded)) if isinstance(loaded, tuple | list) else (loaded,)  # pyright: ignore[reportUnknownArgumentType] a value of an extension has no static type
    kinds = tuple(value for value in values if isinstance(value, ArtefactKind))
    if not kinds or len(kinds) < len(values):
        raise ConfigurationError(f"{where} gives no ArtefactKind. It must name an ArtefactKind, several, or a function that returns them.")
    return kinds


def _add(kinds: dict[str, ArtefactKind], kind: ArtefactKind, where: str) -> None:
    if kind.name in kinds:
        raise ConfigurationError(f"Two artefact kinds are named {kind.name!r}; the second comes from {where}. Rename one of them.")
    described = cast("object", kind.description)  # an extension's kind may have an older form
    if not isinstance(described, str | Statement) or not described:
        raise ConfigurationError(f"The kind {kind.name!r} of {where} has no description: a sentence, or a statement of its catalogue.")
    kinds[kind.name] = kind
