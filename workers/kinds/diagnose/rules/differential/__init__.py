"""Differential diagnosis: start from the nearest tickets, settle the system, then ask only what tells the plausible causes apart."""

from workers.kinds.diagnose.rules.differential.heard import NOTHING_HEARD, Hear, Heard, asked_which, hear_latest, heard_notes
from workers.kinds.diagnose.rules.differential.hint import hint_of
from workers.kinds.diagnose.rules.differential.move import differential_move
from workers.kinds.diagnose.rules.differential.stated import ReadOpening

__all__ = [
    "NOTHING_HEARD",
    "Hear",
    "Heard",
    "ReadOpening",
    "asked_which",
    "differential_move",
    "hear_latest",
    "heard_notes",
    "hint_of",
]
