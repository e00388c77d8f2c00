"""Differential diagnosis: start from the nearest tickets, settle the system, then ask only what tells the plausible causes apart."""

from workers.kinds.diagnose.rules.differential.hint import hint_of
from workers.kinds.diagnose.rules.differential.move import differential_move
from workers.kinds.diagnose.rules.differential.stated import ReadOpening

__all__ = ["ReadOpening", "differential_move", "hint_of"]
