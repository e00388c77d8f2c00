"""Diagnosis of an incident from the history of tickets: read answers, weigh causes, ask or conclude. Pure functions."""

from workers.engines.diagnosis.answers import read_answer
from workers.engines.diagnosis.asking_back import answering_queries, counted_turns, only_asks_back
from workers.engines.diagnosis.conclude import next_move
from workers.engines.diagnosis.profiles import OURS, Profile
from workers.engines.diagnosis.wording import explain, language_of, question_text

__all__ = [
    "OURS",
    "Profile",
    "answering_queries",
    "counted_turns",
    "explain",
    "language_of",
    "next_move",
    "only_asks_back",
    "question_text",
    "read_answer",
]
