"""Which skill fits a message: by rules (words, triggers, meaning, priority), by a model's word, and by the user's explicit wish."""

from workers.skills.choosing.fitting import Choice, Fit, choose, fits
from workers.skills.choosing.meaning import SkillVectors, vectors_of
from workers.skills.choosing.selecting import CHOICE, Answer, Selected, State, may_select, offer_text, read_answer, skills_text
from workers.skills.choosing.wishes import Wish, read_wish

__all__ = [
    "CHOICE", "Answer", "Choice", "Fit", "Selected", "SkillVectors", "State", "Wish", "choose", "fits", "may_select", "offer_text",
    "read_answer", "read_wish", "skills_text", "vectors_of",
]  # fmt: skip
