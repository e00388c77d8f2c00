"""`bullpen skills`: the skills of this machine, what is wrong with them, and how well they do on their own evaluations."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from contracts.base import Json
from contracts.statements import code, count, names, say
from contracts.statements import name as identifier
from workers.cli.context import console, database, print_json, services
from workers.cli.display import shown
from workers.cli.list_words import ListLanguage
from workers.cli.reach.remote import gateway
from workers.cli.skill_tests import SkillName, installed, play_evaluations, skill_called
from workers.cli.telling import reader, tell, warn
from workers.errors import InvalidInput, NotFound
from workers.kinds.skills_shown import belongs, checked_evals, judged, known_language, problem_json, reindex_skills, skill_json, use_of
from workers.saying.document import Document
from workers.saying.terminal import print_document
from workers.skills import Skill, Unusable, load_skills, read_reference
from workers.skills.loading import PROCEDURE
from workers.skills.view import library_document, problems_document, skill_document

app = typer.Typer(
    add_completion=False, help="Skills, what the kinds of jobs take from them, and what is wrong with them.", no_args_is_help=True
)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command("list")
def list_(language: ListLanguage = "en", as_json: AsJson = False) -> None:
    """List the skills of BULLPEN_SKILLS on this machine, with what they hold and what is left out."""
    library = installed()
    skills, held, problems = judged(library)
    if as_json:
        packs = [skill_json(skill, held.get(skill.name, {})) for skill in skills]
        print_json({"packs": packs, "problems": [problem_json(problem, known_language(language)) for problem in problems]})
        return
    _print(library_document(skills, held, problems), language)


@app.command()
def show(
    name: SkillName,
    body: Annotated[bool, typer.Option("--body", help="Print the instructions, as a model gets them.")] = False,
    file: Annotated[str | None, typer.Option("--file", help="Print one of the skill's files.")] = None,
    graph: Annotated[bool, typer.Option("--graph", help="Draw the steps of its procedure.")] = False,
    mermaid: Annotated[bool, typer.Option("--mermaid", help="Print the steps as a Mermaid flow chart.")] = False,
    language: ListLanguage = "en",
    as_json: AsJson = False,
) -> None:
    """Show a skill: when it is chosen, which tools it names, its files and its problems."""
    library = installed()
    skill = skill_called(library, name)
    if body or file is not None:
        _print_text(skill, file)
        return
    if mermaid:
        console.print(shown(_mermaid(skill, known_language(language))), soft_wrap=True)
        return
    drawn = _graph(skill, known_language(language)) if graph else ()
    _, held, problems = judged(library)
    own = [problem for problem in problems if belongs(problem, skill)]
    if as_json:
        more = {"problems": [problem_json(problem, known_language(language)) for problem in own], "graph": list(drawn)}
        print_json(skill_json(skill, held.get(skill.name, {})) | more)
        return
    _print(skill_document(skill, held.get(skill.name, {}), own, drawn), language)


@app.command()
def validate(
    folders: Annotated[list[Path] | None, typer.Argument(help="Skills or skill folders. Default: BULLPEN_SKILLS.")] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Remarks count as faults.")] = False,
    language: ListLanguage = "en",
    as_json: AsJson = False,
) -> None:
    """Show what is wrong with skills, with file and line. Exit code 1: there is a fault, or, with --strict, a remark."""
    library = load_skills(folders) if folders else installed()
    _, _, problems = judged(library)
    problems += [problem for skill in library.skills for problem in checked_evals(skill).problems]
    if as_json:
        valid = not any(problem.is_fault for problem in problems)
        found = [problem_json(problem, known_language(language)) for problem in problems]
        print_json({"valid": valid, "skills": [skill.name for skill in library.skills], "problems": found})
    else:
        _print(problems_document(library, problems), language)
    if any(problem.is_fault or strict for problem in problems):
        raise typer.Exit(1)


app.command("test")(play_evaluations)


@app.command("reindex")
def reindex(as_json: AsJson = False) -> None:
    """Rebuild what is kept of the skills in the database: the pieces of experience, and the vectors by which skills are chosen.

    Every search updates them. This command is for a database that was edited by hand, and for computing the vectors before the next job
    needs them.
    """
    done = _reindexed()
    packs = done.pop("packs")
    if as_json:
        print_json(done)
        return
    pieces, removed = (count(done.get(what, 0), exact=True) for what in ("pieces", "removed"))
    tell(say("said.skills.pieces", pieces=pieces, packs=count(len(packs), exact=True), removed=removed))
    gone = count(done["vectors_removed"], exact=True)
    tell(say("said.skills.vectors", vectors=count(done["vectors"], exact=True), removed=gone))
    for problem in done["problems"]:
        if problem["left_out"]:
            warn(problem["text"])


def _print(document: Document, language: str) -> None:
    print_document(console, document, known_language(language))


def _print_text(skill: Skill, file: str | None) -> None:
    try:
        if file == PROCEDURE and skill.procedure is not None:
            text = skill.procedure
        else:
            text = skill.body if file is None else read_reference(skill, file)
    except Unusable as error:
        files = names(reference.path for reference in skill.references)
        if not files.items:
            raise NotFound.of(say("refused.cli.no_skill_files", reason=error.reason)) from None
        raise NotFound.of(say("refused.cli.skill_files", reason=error.reason, files=files)) from None
    console.print(shown(text), soft_wrap=True)


def _graph(skill: Skill, language: str) -> Sequence[str]:
    use = use_of(skill)
    return (use.draw.load()(skill, language) if use is not None and use.draw is not None else ()) or _no_graph(skill)


def _mermaid(skill: Skill, language: str) -> str:
    use = use_of(skill)
    return (use.mermaid.load()(skill, language) if use is not None and use.mermaid is not None else "") or _no_graph(skill)


def _no_graph(skill: Skill) -> NoReturn:
    """Why there is nothing to draw."""
    if skill.procedure is None:
        raise InvalidInput.of(
            say("refused.cli.no_procedure", skill=identifier(skill.name), command=code(f"bullpen skills show {skill.name} --body"))
        )
    command = code(f"bullpen skills validate {skill.folder}")
    raise InvalidInput.of(say("refused.cli.bad_procedure", skill=identifier(skill.name), command=command))


def _reindexed() -> Json:
    """See `workers.kinds.skills_shown.reindex_skills`, which a gateway does in the background."""
    if (away := gateway()) is not None:
        from bullpen_client.calls import knowledge

        return away.operation(knowledge.reindex_skills())
    return reindex_skills(database(), services().embedder, services().settings, reader().language)
