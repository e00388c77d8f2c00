"""The data that a skill's dialogues are played over: sources of an evaluation, in its catalogue."""

import os
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

from contracts.sources import Source, SourceKind
from workers.catalogue.adding import add_with_sample
from workers.catalogue.importing import import_source
from workers.kinds.base import Bench
from workers.skills import Skill
from workers.skills.evals import EvalSource, source_files
from workers.sources.addresses import variable

_SQLITE = frozenset({".sqlite", ".sqlite3", ".db"})


@contextmanager
def sources_of_evals(bench: Bench, skill: Skill, sources: Sequence[EvalSource]) -> Generator[None]:
    """These sources on the bench until the block ends. Raises what adding a source raises."""
    before = dict(os.environ)
    try:
        for each in sources:
            path = source_files(skill, each)
            kind = each.kind or (SourceKind.DUCKDB if path is None else _kind_of(path))
            if path is not None:
                os.environ[variable(each.name)] = f"{kind.value}://{path}"
            source = Source(name=each.name, kind=kind, sample=each.sample)
            add_with_sample(bench.database, bench.settings.data_dir, source)
            if not each.sample:
                import_source(bench.database, bench.embedder, bench.settings.data_dir, each.name)
        yield
    finally:
        for name in (variable(each.name) for each in sources):
            if name in before:
                os.environ[name] = before[name]
            else:
                os.environ.pop(name, None)


def _kind_of(path: Path) -> SourceKind:
    return SourceKind.SQLITE if path.is_file() and path.suffix.lower() in _SQLITE else SourceKind.DUCKDB
