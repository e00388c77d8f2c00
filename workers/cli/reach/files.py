"""Files that are sent or taken as a whole: those of requests and of imports, and rows of results."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from contracts.statements import count, say, size
from workers.blackboard.engine import Database
from workers.cli.context import database, errors, settings
from workers.cli.reach.remote import gateway
from workers.cli.telling import words
from workers.errors import Conflict
from workers.operations.base import Tell
from workers.saying.reasons import name_taken
from workers.settings import Settings, load_settings

if TYPE_CHECKING:
    from contracts.catalogue import CatalogueReport
    from workers.catalogue import Form
    from workers.kinds.base import ResultRows
    from workers.reading.facts import JobFacts


@dataclass(frozen=True, slots=True)
class RowsWritten:
    """What was written to a file."""

    rows: int
    cut: str | None
    """The limit of the source at which the rows end: `rows`, `bytes` or `time`; None: these are all."""
    guarded: int
    """Texts that begin like a formula and have an apostrophe before them."""


def keep_files(paths: list[Path], *, owner: str = "default") -> str:
    """Keep files and folders as a bundle of this owner, at a gateway of that of the key; its reference. Raises `InvalidInput`."""
    if (away := gateway()) is not None:
        with errors.status(words(say("said.files.sending"))):
            return away.upload(paths).ref
    return keep_files_in(database(), settings(), paths, owner=owner)


def keep_files_in(db: Database, known: Settings, paths: list[Path], *, owner: str = "default") -> str:
    """Keep files and folders in the artefact store of these settings; the bundle's reference."""
    from workers.bundles import bring  # loads every parser, which only an upload needs

    with errors.status(words(say("said.files.taking"))) as status:

        def show(read: int, kept: int) -> None:
            taken = say("said.files.read", size=size(read))
            status.update(words(say("said.files.kept", read=taken, n=count(kept, exact=True)) if kept else taken))

        return bring(db, known, paths, owner=owner, progress=show).ref


def write_rows(facts: "JobFacts", rows: "ResultRows", to: Path, *, exact: bool, overwrite: bool) -> RowsWritten:
    """Write all rows of a result to a file, whose ending is .csv or .parquet. Raises `Conflict` where it exists."""
    from workers.sources.exporting import export_rows, export_statement, form_of  # reads SQL, which takes a second to import

    if (away := gateway()) is not None:
        from bullpen_client.calls import jobs

        form = form_of(to)
        if to.exists() and (to.is_dir() or not overwrite):
            raise Conflict.of(name_taken(to))
        return RowsWritten(**away.save(jobs.rows(facts.job.id, form=form.value, exact=exact), to))
    from workers.sources import Sources

    if rows.columns:
        done = export_rows(rows.columns, rows.rows, is_cut=rows.is_cut, to=to, exact=exact, overwrite=overwrite)
        return RowsWritten(done.rows, done.cut, done.guarded)
    sources = Sources(database(), load_settings().data_dir)
    done = export_statement(
        sources, rows.source, rows.statement, owner=facts.job.owner, job_id=facts.job.id, to=to, exact=exact, overwrite=overwrite
    )
    return RowsWritten(done.rows, done.cut, done.guarded)


def import_catalogue(
    path: Path, *, form: "Form", source: str, dialect: str, origin: str | None, encoding: str, tell: Tell
) -> "CatalogueReport":
    """Import a file or folder into the catalogue. `origin`: a name for it that stays the same; default: where it lies."""
    if (away := gateway()) is not None:
        from contracts.catalogue import CatalogueReport

        named = origin or str(path.resolve())
        return CatalogueReport.model_validate(
            away.import_catalogue(path, form=form.value, source=source, dialect=dialect, origin=named, encoding=encoding)
        )  # fmt: skip
    from workers.catalogue import import_path
    from workers.llm import load_embedder

    return import_path(
        database(), load_embedder(settings()), path, form=form, source=source, dialect=dialect, origin=origin, encoding=encoding,
        progress=lambda what, done: tell(what, done, None),
    )  # fmt: skip
