"""`bullpen export`: what a job's result holds as files: its report, all its rows, its charts, or its package."""

from pathlib import Path
from typing import Annotated

import typer

from contracts.sources import SourceLimits
from contracts.statements import Statement, Value, code, count, name, say, seconds
from workers.cli.context import job_id, print_json
from workers.cli.export_charts import export_charts, is_picture
from workers.cli.export_files import export_files, export_patch, is_for_files, is_patch
from workers.cli.export_reports import export_report, is_report
from workers.cli.reach.doing import do
from workers.cli.reach.files import write_rows
from workers.cli.telling import note, tell
from workers.kinds.shown import rows_of
from workers.operations.jobs import job as facts_of
from workers.operations.sources import source as source_of


def export(
    job: Annotated[str, typer.Argument(help="The job: its id, or at least 6 characters of its beginning or end.")],
    to: Annotated[
        Path,
        typer.Option(
            "--to",
            help="The file. Its ending says what is written: the report (.html, .md), rows (.csv, .parquet), "
            "charts (.svg, .png, .vl.json), changed lines (.patch), or a package of files (.zip, or a folder).",
        ),
    ],
    exact: Annotated[
        bool, typer.Option("--exact", help="CSV for programs: no byte order mark, and text that begins like a formula stays as it is.")
    ] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the file if it exists.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Write the report of a job to a page, all rows of its result to a CSV or Parquet file, its charts to pictures, or its package to
    a folder.

    Report: as `bullpen show --format` prints it; every job has one.
    Rows: the statement runs again, with the rights and limits of the job's owner; an analysis has those of its last table. Exit code 1
    if a limit of the source ended the file early.
    Charts: as the report shows them, as Vega-Lite (.vl.json) or drawn from it (.svg, .png; the extra `charts`).
    Changed lines: what the fixes of a `tune` job change in its scripts, for `git apply`.
    Package: the files of an `etl` job, or each fix of a `tune` job, in a folder of your own or as a .zip.
    """
    if is_for_files(to):
        paths = export_files(job, to.expanduser(), overwrite=overwrite)
        if as_json:
            print_json({"to": str(to), "files": paths})
        else:
            tell(say("said.export.files", n=count(len(paths), exact=True), to=name(to)))
        return
    if is_patch(to):
        left_out = export_patch(job, to.expanduser(), overwrite=overwrite)
        if as_json:
            print_json({"files": [str(to)], "left_out": left_out})
        else:
            _tell_patch(job, to, left_out)
        return
    if is_report(to):
        export_report(job, to.expanduser(), overwrite=overwrite)
        if as_json:
            print_json({"files": [str(to)]})
        else:
            tell(say("said.export.report", to=name(to)))
        return
    if is_picture(to):
        files = export_charts(job, to.expanduser(), overwrite=overwrite)
        if as_json:
            print_json({"files": [str(file) for file in files]})
        else:
            for file in files:
                tell(say("said.export.chart", to=name(file)))
        return
    facts = do(facts_of, job_id(job))
    rows = rows_of(facts)
    done = write_rows(facts, rows, to.expanduser(), exact=exact, overwrite=overwrite)
    if as_json:
        print_json({"job_id": facts.job.id, "file": str(to), "rows": done.rows, "complete": done.cut is None, "cut": done.cut,
                    "guarded": done.guarded})  # fmt: skip
    else:
        tell(say("said.export.rows", n=count(done.rows, exact=True), to=name(to)))
        if done.guarded:
            note(say("said.export.guarded", n=count(done.guarded, exact=True), option=name("--exact")), style=None)
        if done.cut is None and not rows.is_cut and done.rows != rows.row_count:
            note(say("said.export.changed", rows=_rows(rows.row_count)), style=None)
    if done.cut is not None and not rows.source:
        note(say("said.export.part", rows=_rows(done.rows), all=_rows(rows.row_count)), style="yellow")
        raise typer.Exit(1)
    if done.cut is not None:
        source = do(source_of, rows.source)
        limit = _limit(done.cut, source.limits)
        note(say("said.export.cut", source=name(rows.source), limit=limit, rows=_rows(done.rows)), style="yellow")
        raise typer.Exit(1)


def _tell_patch(job: str, to: Path, left_out: int) -> None:
    tell(say("said.export.patch", to=name(to)))
    if left_out:
        command = code(f"bullpen export {job} --to FOLDER")
        note(say("said.export.patch_without", n=count(left_out, exact=True), command=command), style=None)


def _rows(number: int) -> Statement:
    return say("lists.rows_of", n=count(number, exact=True))


def _limit(cut: str, limits: SourceLimits) -> Value:
    """The limit of a source at which a result ended."""
    match cut:
        case "rows":
            return _rows(limits.rows)
        case "bytes":
            return say("said.bytes", n=count(limits.result_bytes, exact=True))
        case _:
            return seconds(limits.timeout_s)
