"""Kinds of artefacts: how each is recognised, what information it holds, what reading it costs, and which parser reads it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from contracts.base import Contract
from contracts.bundles import Information
from contracts.statements import Sayable

MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class ArtefactSource:
    """One artefact to be read. It lies on this machine; its name is only a label and never a path to open."""

    name: str
    path: Path
    """The file; of a log in several parts, the folder that holds them and nothing else."""
    size_bytes: int
    attempt: str | None = None
    """Which attempt of the application is meant, where a log has several. None: the last one."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a parser makes of an artefact. A parser never raises for what is in a file: that is `problem`."""

    facts: tuple[Contract, ...] = ()
    """Of the shapes in contracts/artefacts.py, spark.py, scope.py and code.py. A kind of your own yields these too."""
    tells: frozenset[Information] = frozenset()
    """What was really found in it, which may be less than its kind can tell."""
    summary: Sayable = ""
    """One line for a reader, with the main numbers."""
    problem: Sayable | None = None
    """What could not be read, and why."""


@dataclass(frozen=True, slots=True)
class ArtefactKind:
    """One kind of artefact. Users add theirs by an entry point of the group `bullpen.artefact_kinds`."""

    name: str
    description: Sayable
    """What such a file holds. A statement is shown in the reader's language, a finished sentence as it is."""
    tells: frozenset[Information]
    """What it can tell at best."""
    sniff: Callable[[str, bytes], float]
    """(name, first 64 KiB, decompressed) → how sure it is of this kind, 0 to 1. Content first: a name alone gives at most 0.4."""
    parse: Callable[[ArtefactSource], Parsed]
    parser: str | None = None
    """The name of what parses it; None: read as text."""
    version: int = 1
    """Version of the parser. Raise it when the same file yields other facts, so that facts kept from the older version are read again."""
    cost_s: Callable[[int], float] = field(default=lambda size_bytes: 0.05 + size_bytes / (20 * MIB))
    """Bytes → seconds of reading, roughly: what the recommender weighs its news against."""
    max_bytes: int = 64 * MIB
    """A larger file is refused with a word."""
    reads_first: bool = False
    """Read at the beginning of a job without being asked for: cheap, and telling for every class."""
