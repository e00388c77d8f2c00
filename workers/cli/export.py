"""`bullpen export`: what a job's result holds as files: all its rows, its charts, or its package."""

from pathlib import Path
from typing import Annotated

import typer

from workers.cli.context import console, errors, job_id, print_json
from workers.cli.display import counted, shown
from workers.cli.export_charts import export_charts, is_picture
from workers.cli.export_files import export_files, is_for_files
from workers.cli.reach.files import write_rows
from workers.cli.reach.jobs import facts_of
from workers.cli.reach.sources import source_of
from workers.kinds.shown import rows_of


def export(
    job: Annotated[str, typer.Argument(help="The job: its id, or at least 6 characters of its beginning or end.")],
    to: Annotated[
        Path,
        typer.Option(
            "--to",
            help="The file. Its ending says what is written: rows (.csv, .parquet), charts (.svg, .png, .vl.json), "
            "or a package of files (.zip, or a folder).",
        ),
    ],
    exact: Annotated[
        bool, typer.Option("--exact", help="CSV for programs: no byte order mark, and text that begins like a formula stays as it is.")
    ] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the file if it exists.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Write all rows of a job's result to a CSV or Parquet file, its charts to pictures, or its package to a folder.

    Rows: the statement runs again, with the rights and limits of the job's owner. Exit code 1 if a limit of the source ended
    the file early.
    Charts: as the report shows them, as Vega-Lite (.vl.json) or drawn from it (.svg, .png; the extra `charts`).
    Package: the files of an `etl` job, in a folder of your own or as a .zip.
    """
    if is_for_files(to):
        paths = export_files(job, to.expanduser(), overwrite=overwrite)
        if as_json:
            print_json({"to": str(to), "files": paths})
        else:
            console.print(f"{counted(len(paths), 'file')} written to {shown(str(to))}.", soft_wrap=True)
        return
    if is_picture(to):
        files = export_charts(job, to.expanduser(), overwrite=overwrite)
        if as_json:
            print_json({"files": [str(file) for file in files]})
        else:
            console.print("\n".join(f"Chart written to {shown(str(file))}." for file in files), soft_wrap=True)
        return
    facts = facts_of(job_id(job))
    rows = rows_of(facts)
    source = source_of(rows.source)
    done = write_rows(facts, rows, to.expanduser(), exact=exact, overwrite=overwrite)
    if as_json:
        print_json({"job_id": facts.job.id, "file": str(to), "rows": done.rows, "complete": done.cut is None, "cut": done.cut,
                    "guarded": done.guarded})  # fmt: skip
    else:
        console.print(f"{counted(done.rows, 'row')} written to {shown(str(to))}.", soft_wrap=True)
        if done.guarded:
            texts = counted(done.guarded, "text")
            errors.print(
                f"{texts} that a spreadsheet would run as a formula begin with an apostrophe now; --exact leaves them as they are.",
                soft_wrap=True,
            )
        if done.cut is None and not rows.is_cut and done.rows != rows.row_count:
            errors.print(f"The data has changed: the job's result had {counted(rows.row_count, 'row')}.", soft_wrap=True)
    if done.cut is not None:
        limits = source.limits
        most = {"rows": f"{limits.rows:,} rows", "bytes": f"{limits.result_bytes:,} bytes", "time": f"{limits.timeout_s:g} s"}[done.cut]
        errors.print(
            f"[yellow]These are not all rows:[/] the limit of the source {shown(rows.source)}, {most}, ended the file after "
            f"{counted(done.rows, 'row')}. Narrow the question down, or let the operator raise the limit.",
            soft_wrap=True,
        )
        raise typer.Exit(1)
