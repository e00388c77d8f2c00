"""The `seed` profile of GAR: the weighted sums of the source document, kept beside our posterior so that both are measured.

Its formulas stand as they were coded, with their weaknesses: a confidence is a score and no probability, seven denials end
at zero whatever was confirmed, and a rephrased phenomenon is asked again. What is not kept is its way of reading answers
(ours reads negation first), and a diagnosis that cites no ticket.
"""

from workers.kinds.diagnose.seed.move import seed_move

__all__ = ["seed_move"]
