"""SCOPE artefacts for tests: read from text through the kinds of the registry, and the samples that we ship."""

import json
from pathlib import Path

from contracts.base import Contract
from contracts.code import TableFacts
from workers.engines.artefacts.kinds import ArtefactKind, ArtefactSource, Parsed
from workers.engines.artefacts.tables import read_tables
from workers.engines.scope.kinds import scope_kinds

SAMPLES = Path(__file__).parents[2] / "workers" / "kinds" / "tune" / "samples"
KINDS = {kind.name: kind for kind in scope_kinds()}
HEAD_BYTES = 65_536


def source(folder: Path, content: str | bytes, name: str = "artefact") -> ArtefactSource:
    """A file with this content."""
    path = folder / "file"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return ArtefactSource(name, path, path.stat().st_size)


def parsed(folder: Path, kind: str, content: str | bytes) -> Parsed:
    """What the kind's parser makes of this content."""
    return KINDS[f"scope_{kind}"].parse(source(folder, content, kind))


def kind_of(name: str, content: bytes) -> ArtefactKind | None:
    """The kind that is surest; none below 0.3, as the registry has it."""
    best = max(scope_kinds(), key=lambda kind: kind.sniff(name, content[:HEAD_BYTES]))
    return best if best.sniff(name, content[:HEAD_BYTES]) >= 0.3 else None


def sample(name: str, *, without: tuple[str, ...] = ()) -> tuple[tuple[Contract, ...], tuple[TableFacts, ...]]:
    """Facts and tables of a shipped bundle, some of its files left out."""
    facts: list[Contract] = []
    for path in sorted((SAMPLES / name).iterdir()):
        kind = kind_of(path.name, path.read_bytes())
        if kind is not None and path.name not in without:
            facts += kind.parse(ArtefactSource(path.name, path, path.stat().st_size)).facts
    tables = SAMPLES / name / "tables.json"
    return tuple(facts), read_tables(json.loads(tables.read_text("utf-8"))) if tables.exists() and "tables.json" not in without else ()
