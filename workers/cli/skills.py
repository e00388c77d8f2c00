"""`bullpen skills`: the skill packs, and what the kinds of jobs take from them."""

from collections.abc import Sequence
from typing import Annotated

import typer
from rich.table import Column, Table

from contracts.base import Json
from workers.cli.context import console, database, print_json, services, warn
from workers.cli.display import shown
from workers.kinds.base import SkillUse
from workers.kinds.registry import all_kinds, load_kinds
from workers.saying import text_of
from workers.settings import load_settings
from workers.skills import Skill, SkillProblem, load_skills, skill_folders

app = typer.Typer(help="Skill packs, and what the kinds of jobs take from them.", no_args_is_help=True)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command("list")
def list_(as_json: AsJson = False) -> None:
    """List the packs of BULLPEN_SKILLS on this machine, with their contents and problems."""
    read = load_skills(skill_folders(load_settings()))
    packs, problems = _listed(read.skills), _problems(read.skills, read.problems)
    if as_json:
        print_json({"packs": packs, "problems": problems})
        return
    table = Table("pack", "for", "class", Column("pieces", justify="right"), "languages", Column("title", overflow="fold"))
    for pack in packs:
        facts = [str(pack[name]) for name in ("name", "kind", "class", "pieces")]
        table.add_row(*map(shown, (*facts, ", ".join(pack["languages"]), pack["title"])))
    console.print(table)
    _warn(problems)


@app.command("reindex")
def reindex(as_json: AsJson = False) -> None:
    """Rebuild the index of the packs' contents.

    Every search updates the index. This command is for a database that was edited by hand, and for checking that the packs are
    accepted before the next job needs them.
    """
    done: Json = {}
    for use in _uses():
        for name, count in use.reindex.load()(database(), services().embedder, services().settings).items():
            done[name] = done.get(name, 0) + count
    read = load_skills(skill_folders(load_settings()))
    problems = _problems(read.skills, read.problems)
    if as_json:
        print_json({**done, "problems": problems})
        return
    skills = _listed(read.skills)
    console.print(f"{done.get('pieces', 0)} pieces of {len(skills)} packs indexed, {done.get('removed', 0)} old ones removed.")
    _warn(problems)


def _uses() -> list[SkillUse]:
    load_kinds(load_settings().extensions)
    return [kind.skills for kind in all_kinds() if kind.skills is not None]


def _listed(packs: Sequence[Skill]) -> list[Json]:
    held: dict[str, Json] = {}
    for use in _uses():
        held |= use.listed.load()(packs)
    left_out = {problem["file"] for problem in _problems(packs, ()) if problem["left_out"]}
    nothing: Json = {"class": "-", "pieces": 0, "languages": []}
    return [
        {"name": pack.name, "title": pack.title, "kind": pack.kind, **held.get(pack.name, nothing), "folder": str(pack.folder)}
        for pack in packs
        if pack.shown(pack.source.name) not in left_out
    ]


def _problems(packs: Sequence[Skill], unread: Sequence[SkillProblem]) -> list[Json]:
    found = list(unread)
    for use in _uses():
        found += use.problems.load()(packs)
    return [
        {"place": problem.place, "file": problem.file, "line": problem.line, "left_out": problem.is_left_out}
        | {"reason": text_of(problem.reason, "en"), "text": text_of(problem.statement(), "en")}
        for problem in found
    ]


def _warn(problems: Sequence[Json]) -> None:
    for problem in problems:
        if problem["left_out"]:
            warn(problem["text"])
