"""Which skill fits a message."""

from workers.engines.procedures.words import folded, says
from workers.roles.base import StepContext
from workers.skills import Library, Skill


def choose_skill(ctx: StepContext, library: Library, words: str) -> Skill | None:
    """The skill whose triggers the message has, by their length and the skill's priority."""
    best: tuple[int, int] = (0, 0)
    found: Skill | None = None
    for skill in library.skills:
        hits = sum(len(folded(trigger)) for trigger in skill.triggers if says(words, (trigger,)))
        if says(words, (skill.name, skill.title)):
            hits += 50
        if hits and (hits, skill.priority) > best:
            best, found = (hits, skill.priority), skill
    return found
