"""Diagnosis of an incident from the history of tickets: read answers, weigh causes, ask or conclude. Pure functions."""

from workers.engines.diagnosis.answers import read_answer
from workers.engines.diagnosis.conclude import next_move
from workers.engines.diagnosis.methods import move
from workers.engines.diagnosis.profiles import OURS, Profile
from workers.engines.diagnosis.search_terms import search_terms
from workers.engines.diagnosis.wording import explain, question_text

__all__ = [
    "OURS",
    "Profile",
    "explain",
    "move",
    "next_move",
    "question_text",
    "read_answer",
    "search_terms",
]
