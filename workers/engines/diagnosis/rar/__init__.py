"""RAR: retrieval, then reasoning over the tickets as they are. Pure functions; the model is handed in as `consult`."""

from workers.engines.diagnosis.rar.case import RarCase
from workers.engines.diagnosis.rar.extract import answer
from workers.engines.diagnosis.rar.method import Consult, rar_move

__all__ = ["Consult", "RarCase", "answer", "rar_move"]
