"""`bullpen skills`: the skills of this machine, what is wrong with them, and how well they do on their own evaluations."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from contracts.base import Json
from workers.cli.context import console, database, print_json, services, warn
from workers.cli.display import shown
from workers.cli.lines import say
from workers.cli.skill_tests import SkillName, installed, play_evaluations, skill_called, use_of
from workers.errors import InvalidInput, NotFound
from workers.kinds.base import SkillUse
from workers.kinds.registry import all_kinds, load_kinds
from workers.saying import UnknownLanguage, check_language, text_of
from workers.saying.document import Document
from workers.saying.terminal import print_document
from workers.settings import load_settings
from workers.skills import Library, Skill, SkillProblem, Unusable, load_skills, read_reference
from workers.skills.choosing import vectors_of
from workers.skills.choosing.meaning import forget_vectors_of_old_skills
from workers.skills.evals import read_evals
from workers.skills.view import library_document, problems_document, skill_document

app = typer.Typer(help="Skills, what the kinds of jobs take from them, and what is wrong with them.", no_args_is_help=True)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Language = Annotated[str, typer.Option("--language", help="en, zh, ...: the language to print in.")]


@app.command("list")
def list_(language: Language = "en", as_json: AsJson = False) -> None:
    """List the skills of BULLPEN_SKILLS on this machine, with what they hold and what is left out."""
    library = installed()
    skills, held, problems = _judged(library)
    if as_json:
        packs = [_as_json(skill, held.get(skill.name, {})) for skill in skills]
        print_json({"packs": packs, "problems": [_problem_json(problem, _checked(language)) for problem in problems]})
        return
    _print(library_document(skills, held, problems), language)


@app.command()
def show(
    name: SkillName,
    body: Annotated[bool, typer.Option("--body", help="Print the instructions, as a model gets them.")] = False,
    file: Annotated[str | None, typer.Option("--file", help="Print one of the skill's files.")] = None,
    graph: Annotated[bool, typer.Option("--graph", help="Draw the steps of its procedure.")] = False,
    mermaid: Annotated[bool, typer.Option("--mermaid", help="Print the steps as a Mermaid flow chart.")] = False,
    language: Language = "en",
    as_json: AsJson = False,
) -> None:
    """Show a skill: when it is chosen, which tools it names, its files and its problems."""
    library = installed()
    skill = skill_called(library, name)
    if body or file is not None:
        _print_text(skill, file)
        return
    if mermaid:
        console.print(shown(_mermaid(skill, _checked(language))), soft_wrap=True)
        return
    drawn = _graph(skill, _checked(language)) if graph else ()
    _, held, problems = _judged(library)
    own = [problem for problem in problems if _belongs(problem, skill)]
    if as_json:
        more = {"problems": [_problem_json(problem, _checked(language)) for problem in own], "graph": list(drawn)}
        print_json(_as_json(skill, held.get(skill.name, {})) | more)
        return
    _print(skill_document(skill, held.get(skill.name, {}), own, drawn), language)


@app.command()
def validate(
    folders: Annotated[list[Path] | None, typer.Argument(help="Skills or skill folders. Default: BULLPEN_SKILLS.")] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Remarks count as faults.")] = False,
    language: Language = "en",
    as_json: AsJson = False,
) -> None:
    """Say what is wrong with skills, with file and line. Exit code 1: something is left out, or, with --strict, there is a remark."""
    library = load_skills(folders) if folders else installed()
    _, _, problems = _judged(library)
    problems += [problem for skill in library.skills for problem in read_evals(skill).problems]
    if as_json:
        valid = not any(problem.is_left_out for problem in problems)
        found = [_problem_json(problem, _checked(language)) for problem in problems]
        print_json({"valid": valid, "skills": [skill.name for skill in library.skills], "problems": found})
    else:
        _print(problems_document(library, problems), language)
    if any(problem.is_left_out or strict for problem in problems):
        raise typer.Exit(1)


app.command("test")(play_evaluations)


@app.command("reindex")
def reindex(as_json: AsJson = False) -> None:
    """Rebuild what is kept of the skills in the database: the pieces of experience, and the vectors by which skills are chosen.

    Every search updates them. This command is for a database that was edited by hand, and for computing the vectors before the next job
    needs them.
    """
    done: Json = {}
    for use in _uses():
        if use.reindex is not None:
            for part, number in use.reindex.load()(database(), services().embedder, services().settings).items():
                done[part] = done.get(part, 0) + number
    library = installed()
    skills, _, problems = _judged(library)
    vectors = vectors_of(library.skills, services().embedder, database())
    done["vectors"] = 0 if vectors is None else len(vectors.vectors)
    done["vectors_removed"] = forget_vectors_of_old_skills(library.skills, database())
    if as_json:
        print_json({**done, "problems": [_problem_json(problem, "en") for problem in problems]})
        return
    say(f"{done.get('pieces', 0)} pieces of {len(skills)} packs indexed, {done.get('removed', 0)} old ones removed.")
    say(f"{done['vectors']} skills have a vector, {done['vectors_removed']} old vectors removed.")
    for problem in problems:
        if problem.is_left_out:
            warn(text_of(problem.sentence(), "en"))


def _checked(language: str) -> str:
    try:
        return check_language(language)
    except UnknownLanguage as error:
        raise InvalidInput(str(error)) from None


def _print(document: Document, language: str) -> None:
    print_document(console, document, _checked(language))


def _uses() -> list[SkillUse]:
    load_kinds(load_settings().extensions)
    return [kind.skills for kind in all_kinds() if kind.skills is not None]


def _judged(library: Library) -> tuple[list[Skill], dict[str, Json], list[SkillProblem]]:
    """The skills that can be used, what kinds take from them, and all problems."""
    held: dict[str, Json] = {}
    problems = list(library.problems)
    for use in _uses():
        held |= use.listed.load()(library.skills)
        problems += use.problems.load()(library.skills)
    left_out = {problem.file for problem in problems if problem.is_left_out}
    skills = sorted(
        (skill for skill in library.skills if _file(skill) not in left_out), key=lambda skill: (skill.kind, -skill.priority, skill.name)
    )
    return skills, held, problems


def _file(skill: Skill) -> str:
    return skill.source.name if skill.is_flat else skill.shown(skill.source.name)


def _belongs(problem: SkillProblem, skill: Skill) -> bool:
    return problem in skill.problems or (
        problem.file == skill.source.name if skill.is_flat else problem.file.startswith(f"{skill.folder.name}/")
    )


def _as_json(skill: Skill, held: Json) -> Json:
    nothing: Json = {"class": "-", "pieces": 0, "languages": []}
    return {
        "name": skill.name,
        "title": skill.title,
        "kind": skill.kind,
        **nothing,
        **held,
        "description": skill.description,
        "priority": skill.priority,
        "triggers": list(skill.triggers),
        "tools": None if skill.tool_names is None else list(skill.tool_names),
        "references": [reference.path for reference in skill.references],
        "has_procedure": skill.procedure is not None,
        "hash": skill.hash,
        "file": str(skill.source),
        "folder": str(skill.folder),
    }


def _problem_json(problem: SkillProblem, language: str) -> Json:
    texts = {"reason": text_of(problem.reason, language), "text": text_of(problem.sentence(), language)}
    return {"place": problem.place, "file": problem.file, "line": problem.line, "left_out": problem.is_left_out, **texts}


def _print_text(skill: Skill, file: str | None) -> None:
    try:
        text = skill.body if file is None else read_reference(skill, file)
    except Unusable as error:
        files = ", ".join(reference.path for reference in skill.references) or "none"
        raise NotFound(f"{text_of(error.reason, 'en')} Its files are: {files}.") from None
    console.print(shown(text), soft_wrap=True)


def _graph(skill: Skill, language: str) -> Sequence[str]:
    use = use_of(skill)
    drawn = use.draw.load()(skill, language) if use is not None and use.draw is not None else ()
    if not drawn:
        raise InvalidInput(f"{skill.name} has no procedure that can be drawn. `bullpen skills show {skill.name} --body` shows its text.")
    return drawn


def _mermaid(skill: Skill, language: str) -> str:
    use = use_of(skill)
    drawn = use.mermaid.load()(skill, language) if use is not None and use.mermaid is not None else ""
    if not drawn:
        raise InvalidInput(f"{skill.name} has no procedure that can be drawn. `bullpen skills show {skill.name} --body` shows its text.")
    return drawn
