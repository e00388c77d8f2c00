"""Differential diagnosis: start from the nearest tickets, settle the system, then ask only what tells the plausible causes apart."""

from workers.kinds.diagnose.rules.differential.heard import NOTHING_HEARD, Heard, asked_which
from workers.kinds.diagnose.rules.differential.move import differential_move

__all__ = [
    "NOTHING_HEARD",
    "Heard",
    "asked_which",
    "differential_move",
]
