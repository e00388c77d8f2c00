"""The skills of this deployment as `analyze` uses them."""

from collections.abc import Sequence

from contracts.analyze.steps import HeldSkill
from contracts.statements import Statement, name, say
from workers.engines.procedures import ProcedureFault, ProcedureRead, read_procedure
from workers.kinds.analyze.roles.conversation import KIND
from workers.settings import Settings
from workers.skills import Library, Skill, load_skills, skill_folders
from workers.skills.loading import PROCEDURE


def installed(settings: Settings) -> Library:
    """The skills for this kind of job. They are read again when a folder changes."""
    return load_skills(skill_folders(settings)).of_kind(KIND)


def title_of(skill: Skill, language: str) -> str:
    """The title, in the user's language if the author gave `title-zh` or the like."""
    own = skill.fields.get(f"title-{language.split('-')[0]}")
    return own if isinstance(own, str) and own.strip() else skill.title


def _left_out(skill: Skill, faults: Sequence[ProcedureFault]) -> Statement | None:
    """That the skill's procedure has a fault, and is not used."""
    if not faults:
        return None
    where = f"{skill.shown(PROCEDURE)}:{faults[0].line}"
    return say("analyze.procedure.left_out", skill=name(skill.name), place=name(where), fault=faults[0].message)


def held(skill: Skill, language: str) -> HeldSkill:
    """The skill as the job keeps it. A procedure that cannot be read is left out: then the skill's text is followed."""
    read = read_procedure(skill.procedure) if skill.procedure else ProcedureRead(None)
    return HeldSkill(
        name=skill.name,
        title=title_of(skill, language),
        hash=skill.hash,
        text=skill.body,
        procedure=read.procedure,
        left_out=_left_out(skill, read.faults),
        allowed_tools=skill.allowed_tools,
    )
