"""What the shells show of skills: those that can be used, what kinds of jobs take from them, and what is wrong with them."""

from dataclasses import replace

from contracts.base import Json
from contracts.statements import names, quote, say
from workers.blackboard.engine import Database
from workers.errors import InvalidInput
from workers.kinds.base import SkillUse
from workers.kinds.registry import all_kinds, load_kinds
from workers.llm import Embedder
from workers.saying import INSTALLED, UnknownLanguage, check_language, text_of
from workers.settings import Settings, load_settings
from workers.skills import Library, Skill, SkillProblem, kind_remarks, load_skills
from workers.skills.choosing import vectors_of
from workers.skills.choosing.meaning import forget_vectors_of_old_skills
from workers.skills.evals import Dialogue, SkillEvals, read_evals
from workers.skills.folders import skill_folders


def skill_uses() -> list[SkillUse]:
    """What each kind takes from skill packs."""
    load_kinds(load_settings().extensions)
    return [kind.skills for kind in all_kinds() if kind.skills is not None]


def reindex_skills(db: Database, embedder: Embedder | None, settings: Settings, language: str = "en") -> Json:
    """Rebuild what is kept of the skills in the database. `pieces`, `removed`, `vectors`, `vectors_removed`: how many; `packs`: the names
    of the skills; `problems`: what is wrong with them, in this language."""
    done: Json = {}
    for use in skill_uses():
        if use.reindex is not None:
            for part, number in use.reindex.load()(db, embedder, settings).items():
                done[part] = done.get(part, 0) + number
    library = load_skills(skill_folders(settings))
    skills, _, problems = judged(library)
    vectors = vectors_of(library.skills, embedder, db)
    done["vectors"] = 0 if vectors is None else len(vectors.vectors)
    done["vectors_removed"] = forget_vectors_of_old_skills(library.skills, db)
    return {**done, "packs": [skill.name for skill in skills], "problems": [problem_json(problem, language) for problem in problems]}


def judged(library: Library) -> tuple[list[Skill], dict[str, Json], list[SkillProblem]]:
    """The skills that can be used, what kinds take from them, and all problems."""
    held: dict[str, Json] = {}
    problems = list(library.problems)
    for use in skill_uses():
        held |= use.listed.load()(library.skills)
        problems += use.problems.load()(library.skills)
    problems += kind_remarks(library.skills, [kind.name for kind in all_kinds()])
    left_out = {problem.file for problem in problems if problem.is_left_out}
    skills = sorted(
        (skill for skill in library.skills if _file(skill) not in left_out), key=lambda skill: (skill.kind, -skill.priority, skill.name)
    )
    return skills, held, problems


def _file(skill: Skill) -> str:
    return skill.source.name if skill.is_flat else skill.shown(skill.source.name)


def checked_evals(skill: Skill) -> SkillEvals:
    """A skill's own evaluations, without dialogues that could not be checked: these are problems."""
    found, use = read_evals(skill), use_of(skill)
    if use is None or use.eval_faults is None:
        return found
    faults_of = use.eval_faults.load()
    problems: list[SkillProblem] = []
    kept: list[Dialogue] = []
    for dialogue in found.dialogues:
        file, lines = found.places[dialogue.id]
        faults = [SkillProblem(file, fault, lines[turn]) for turn, fault in faults_of(dialogue)]
        problems += faults
        kept += [] if faults else [dialogue]
    return replace(found, dialogues=tuple(kept), problems=(*found.problems, *problems))


def use_of(skill: Skill) -> SkillUse | None:
    """What the kind of job that follows this skill offers; for a skill that names no kind, the first kind that plays dialogues."""
    load_kinds(load_settings().extensions)
    uses = [(kind.name, kind.skills) for kind in all_kinds() if kind.skills is not None]
    if skill.kind:
        return next((use for kind, use in uses if kind == skill.kind), None)
    return next((use for _, use in uses if use.play is not None), None)


def belongs(problem: SkillProblem, skill: Skill) -> bool:
    """Whether a problem is one of this skill."""
    return problem in skill.problems or (
        problem.file == skill.source.name if skill.is_flat else problem.file.startswith(f"{skill.folder.name}/")
    )


def skill_json(skill: Skill, held: Json) -> Json:
    """A skill for programs."""
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


def problem_json(problem: SkillProblem, language: str) -> Json:
    """A problem for programs, with its text. Raises `InvalidInput` for a language that no catalogue has."""
    language = known_language(language)
    texts = {"reason": text_of(problem.reason, language), "text": text_of(problem.sentence(), language)}
    return {
        "place": problem.place,
        "file": problem.file,
        "line": problem.line,
        "left_out": problem.is_left_out,
        "fault": problem.is_fault,
        **texts,
    }


def known_language(language: str) -> str:
    """The language as catalogues call it. Raises `InvalidInput`."""
    try:
        return check_language(language)
    except UnknownLanguage:
        raise InvalidInput.of(say("refused.no_language", wanted=quote(language), languages=names(INSTALLED.languages()))) from None
