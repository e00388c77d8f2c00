"""RAR: retrieval, then reasoning over the tickets as they are. Pure functions; the model is handed in as `consult`."""

from workers.kinds.diagnose.rules.rar.case import RarCase
from workers.kinds.diagnose.rules.rar.extract import answer
from workers.kinds.diagnose.rules.rar.method import Consult, rar_move

__all__ = ["Consult", "RarCase", "answer", "rar_move"]
