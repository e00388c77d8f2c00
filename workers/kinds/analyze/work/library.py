"""The skills of this deployment as `analyze` uses them."""

from contracts.analyze.steps import HeldSkill
from workers.engines.procedures import read_procedure
from workers.kinds.analyze.roles.conversation import KIND
from workers.roles.base import StepContext
from workers.settings import Settings
from workers.skills import Library, Skill, load_skills, skill_folders


def installed(settings: Settings) -> Library:
    """The skills for this kind of job. They are read again when a folder changes."""
    return load_skills(skill_folders(settings)).of_kind(KIND)


def held(ctx: StepContext, skill: Skill) -> HeldSkill:
    """The skill as the job keeps it. A procedure that cannot be read is left out: then the skill's text is followed."""
    procedure = read_procedure(skill.procedure).procedure if skill.procedure else None
    return HeldSkill(
        name=skill.name, title=skill.title, hash=skill.hash, text=skill.body, procedure=procedure, allowed_tools=skill.allowed_tools
    )  # fmt: skip
