"""The `seed` profile of GAR: the weighted sums of an earlier design, kept so that both profiles can be measured.

Its formulas are unchanged, with their weaknesses: a confidence is a score and not a probability, seven denials give zero even if
phenomena were confirmed, and a rephrased phenomenon is asked again. Two parts are not kept: its way of reading answers (ours reads
negation first), and diagnoses that cite no ticket.
"""

from workers.kinds.diagnose.seed.move import seed_move

__all__ = ["seed_move"]
