"""Importing: what a form yields is stored, vectors are begun, and the report says what became of it."""

import time
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from pathlib import Path

from contracts.catalogue import CatalogueReport
from contracts.statements import Name, say
from contracts.tables import TableDetail
from workers.blackboard.engine import Database
from workers.catalogue.catalogue import Catalogue
from workers.catalogue.embedding import AT_ONCE_S, count_waiting, embed_catalogue
from workers.catalogue.forms.dbt import project_of, read_dbt
from workers.catalogue.forms.ddl import read_ddl
from workers.catalogue.forms.documents import read_documents
from workers.catalogue.forms.files import FileTexts, files_in
from workers.catalogue.forms.plain import ENDINGS as PLAIN
from workers.catalogue.forms.plain import read_plain
from workers.catalogue.forms.queries import read_queries_in
from workers.catalogue.forms.source import introspect, source_items
from workers.catalogue.placing import place_items
from workers.catalogue.store import Item, Progress, import_items, require_source_name
from workers.errors import ConfigurationError, EngineError, InvalidInput, NotFound
from workers.llm.embedder import Embedder
from workers.loggers import get_logger
from workers.sources.querying import Sources
from workers.sources.registry import get_source

log = get_logger(__name__)


class Form(StrEnum):
    """What a file or folder holds."""

    TABLES = "tables"
    """The plain form: JSON, JSON lines, YAML or CSV."""
    DBT = "dbt"
    DDL = "ddl"
    QUERIES = "queries"
    DOCUMENTS = "documents"


def _silent(what: str, done: int) -> None:
    """Show no progress."""


def import_source(
    db: Database,
    embedder: Embedder | None,
    data_dir: Path,
    name: str,
    *,
    samples: bool = True,
    as_owner: str | None = None,
    embed_s: float = AT_ONCE_S,
    progress: Progress = _silent,
) -> CatalogueReport:
    """What a source says of itself. `samples`: also what its values are, read as `as_owner`. Raises `NotFound`, `SourceUnavailable`."""
    source = get_source(db, name)
    found = introspect(source, data_dir)
    sources = Sources(db, data_dir) if samples else None
    items = source_items(source, found, sources, as_owner=as_owner, progress=lambda done: progress("Tables", done))
    report = import_items(db, f"source:{name}", items, search=found.schema.search, progress=progress)
    return _with_vectors(db, embedder, report, embed_s, progress)


def import_path(
    db: Database,
    embedder: Embedder | None,
    path: Path,
    *,
    form: Form,
    source: str = "",
    dialect: str = "",
    origin: str | None = None,
    encoding: str = "",
    embed_s: float = AT_ONCE_S,
    progress: Progress = _silent,
) -> CatalogueReport:
    """What a file or folder says. `source`: the source that it is about; documents may be about none. `origin`: a name for it that stays
    when the file is moved. `encoding`: of its texts; empty: recognised from each. Raises `NotFound` or `InvalidInput`."""
    if form not in (Form.DOCUMENTS, Form.TABLES):
        require_source_name(source)
    named = f"{form}:{origin or path.resolve()}"
    texts = FileTexts(encoding)
    items = _items(db, path, form, source, dialect or dialect_of(db, source), texts)
    if form in (Form.TABLES, Form.DDL):
        items = place_items(db, items)
    report = import_items(db, named, items, progress=progress).model_copy(update={"encodings": texts.guessed})
    return _with_vectors(db, embedder, report, embed_s, progress)


def _items(db: Database, path: Path, form: Form, source: str, dialect: str, texts: FileTexts) -> Iterator[Item]:
    match form:
        case Form.TABLES:
            for _, file in files_in(path, PLAIN):
                yield from read_plain(file, source, texts)
        case Form.DBT:
            yield from read_dbt(path, source)
        case Form.DDL:
            yield from read_ddl(path, source, dialect, texts)
        case Form.QUERIES:
            yield from read_queries_in(path, source, dialect, _known(db, source), texts)
        case Form.DOCUMENTS:
            yield from read_documents(path, source, _known(db, source) if source else (), texts)


def _known(db: Database, source: str) -> Sequence[TableDetail]:
    return Catalogue(db, None).tables(source, owner=None)


def dialect_of(db: Database, source: str) -> str:
    """The SQL dialect of a registered source; empty: it is not registered."""
    try:
        return str(get_source(db, source).kind) if source else ""
    except NotFound:
        return ""


def guess_form(path: Path) -> Form:
    """What a file or folder most likely holds. Raises `InvalidInput` where that is not plain."""
    if path.name == "manifest.json" or (path.is_dir() and (path / "manifest.json").is_file()):
        return Form.DBT
    if path.is_file() and path.suffix.lower() not in _GUESSED:
        raise InvalidInput.of(say("refused.import.ending", ending=Name(text=path.suffix or path.name)))
    endings = {path.suffix.lower()} if path.is_file() else {file.suffix.lower() for _, file in files_in(path, _GUESSED)}
    if endings and endings <= {".md", ".markdown", ".html", ".htm", ".txt"}:
        return Form.DOCUMENTS
    if path.is_dir() and project_of(path):
        return Form.DBT
    if endings and endings <= set(PLAIN):
        return Form.TABLES
    if endings == {".ddl"}:
        return Form.DDL
    raise InvalidInput.of(say("refused.import.unclear", path=Name(text=str(path))))


_GUESSED = (*PLAIN, ".md", ".markdown", ".html", ".htm", ".txt", ".sql", ".ddl")


def _with_vectors(
    db: Database, embedder: Embedder | None, report: CatalogueReport, embed_s: float, progress: Callable[[str, int], None]
) -> CatalogueReport:
    """Begin with the vectors. What was imported is stored, so a model that cannot work now is only a warning."""
    if embedder is None:
        return report
    begun = time.monotonic()
    try:
        embed_catalogue(db, embedder, at_most_s=embed_s, progress=lambda made: progress("Vectors", made))
    except (EngineError, ConfigurationError) as error:
        log.warning("vectors_missing", reason=str(error))
    update = {"waiting": count_waiting(db, embedder), "duration_s": round(report.duration_s + time.monotonic() - begun, 3)}
    return report.model_copy(update=update)
