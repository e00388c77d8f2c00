"""What of a dialogue counts: the question, and the replies to ours that say something about it.

A reply may begin another question. A complete question does, no matter what was asked before (`new_questions.py`). So does what follows
on "why did it drop?": the data do not hold reasons, and "only 2025" or "by area" is about the result. So does "as a bar chart", which
draws the result that there is. "Run it" says nothing while a question of ours is open: there is no statement that the user has seen for
what was asked, and the statement before is not it.
"""

from collections.abc import Sequence

from workers.kinds.ask.rules.asides import asks_why
from workers.kinds.ask.rules.charts import wish_in
from workers.kinds.ask.rules.new_questions import since_new_question
from workers.kinds.ask.rules.residue import only_draws, only_runs


def what_counts(parts: Sequence[str], *, has_result: bool) -> tuple[str, ...]:
    """The question and the replies that are to be read with it. `has_result`: the conversation has a statement to go on with."""
    question, *replies = parts
    kept = since_new_question([question, *(reply for reply in replies if not only_runs(reply))])
    begin = 0
    for place in range(1, len(kept)):
        if has_result and (asks_why(kept[place - 1]) or _only_draws(kept[place])):
            begin = place
    return tuple(kept[begin:])


def _only_draws(reply: str) -> bool:
    return wish_in(reply) is not None and only_draws(reply)
