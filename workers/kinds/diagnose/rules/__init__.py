"""Diagnosis of an incident from the history of tickets: read answers, weigh causes, ask or conclude. Pure functions."""

from workers.kinds.diagnose.rules.answers import read_answer
from workers.kinds.diagnose.rules.conclude import next_move
from workers.kinds.diagnose.rules.profiles import OURS, Profile
from workers.kinds.diagnose.rules.search_terms import search_terms
from workers.kinds.diagnose.rules.wording import explain, question_text

__all__ = [
    "OURS",
    "Profile",
    "explain",
    "next_move",
    "question_text",
    "read_answer",
    "search_terms",
]
