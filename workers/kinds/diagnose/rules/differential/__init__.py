"""Differential diagnosis: start from the nearest tickets, settle the system, then ask only what tells the plausible causes apart."""

from workers.kinds.diagnose.rules.differential.assist import UNASSISTED, Assist
from workers.kinds.diagnose.rules.differential.heard import Heard, asked_which
from workers.kinds.diagnose.rules.differential.hint import hint_of
from workers.kinds.diagnose.rules.differential.move import differential_move

__all__ = [
    "UNASSISTED",
    "Assist",
    "Heard",
    "asked_which",
    "differential_move",
    "hint_of",
]
