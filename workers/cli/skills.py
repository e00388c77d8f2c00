"""`bullpen skills`: the skill packs, and the experience that tuning advice is drawn from."""

from typing import Annotated

import typer
from rich.table import Column, Table

from contracts.base import Json
from workers.cli.context import console, database, print_json, services, warn
from workers.cli.display import shown
from workers.kinds.tune.experience.library import Library, keep_indexed, read_library
from workers.settings import load_settings
from workers.skills import skill_folders

app = typer.Typer(help="Skill packs, and the experience that tuning advice is drawn from.", no_args_is_help=True)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command("list")
def list_(as_json: AsJson = False) -> None:
    """List the packs of BULLPEN_SKILLS with their experience, as they lie on this machine. What is broken is told of."""
    library = read_library(skill_folders(load_settings()))
    if as_json:
        print_json({"packs": _listed(library), "problems": _problems(library)})
        return
    table = Table("pack", "for", "class", Column("pieces", justify="right"), "languages", Column("title", overflow="fold"))
    for pack in _listed(library):
        facts = [str(pack[name]) for name in ("name", "kind", "class", "pieces")]
        table.add_row(*map(shown, (*facts, ", ".join(pack["languages"]), pack["title"])))
    console.print(table)
    _warn(library)


@app.command("reindex")
def reindex(as_json: AsJson = False) -> None:
    """Write the index of experience anew from the packs.

    Every search brings it up to date by itself; this is for a database that was edited by hand, and for looking whether the packs
    are taken before the next job asks for them.
    """
    library, report = keep_indexed(database(), services().embedder, services().settings, anew=True)
    if as_json:
        print_json({"pieces": report.pieces, "stored": report.stored, "removed": report.removed, "problems": _problems(library)})
        return
    console.print(f"{report.pieces} pieces of experience of {len(library.packs)} packs indexed, {report.removed} old ones removed.")
    _warn(library)


def _listed(library: Library) -> list[Json]:
    packs: list[Json] = []
    for pack in library.packs:
        pieces = [piece for piece in library.pieces if piece.pack == pack.name]
        packs.append(
            {
                "name": pack.name,
                "title": pack.about.title,
                "kind": pack.about.kind,
                "class": pack.about.tuning_class.value if pack.about.tuning_class else "-",
                "pieces": len({piece.slug for piece in pieces}),
                "languages": sorted({piece.language for piece in pieces}),
                "folder": str(pack.folder),
            }
        )
    return packs


def _problems(library: Library) -> list[dict[str, str]]:
    return [{"place": problem.place, "reason": problem.reason} for problem in library.problems]


def _warn(library: Library) -> None:
    for problem in library.problems:
        warn(f"{problem.place} {problem.reason}. It is left out.")
