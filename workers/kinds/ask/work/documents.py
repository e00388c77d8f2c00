"""Passages of the imported documents that answer a question, or the word that they do not (`datasuite_faq`, `data_suite_expert`)."""

from contracts.ask.results import PassagesFound
from workers.kinds.ask.roles.calls import ToolStep
from workers.kinds.ask.work.floor import Floor

MOST_PASSAGES = 3

FITS = 0.35
"""Score of a passage from which it is shown. Below it a question is said not to be in the documents."""

CLOSE = 0.85
"""A further passage is shown when it has this share of the best one's score."""


def find_passages(floor: Floor, step: ToolStep) -> PassagesFound:
    """The best passage, and others that fit about as well."""
    question = step.understanding.question
    if step.request.product:
        question = f"{step.request.product}: {question}"
    found = floor.catalogue.passages(question, owner=floor.owner, limit=MOST_PASSAGES)
    fitting = [passage for passage in found if passage.score >= max(FITS, CLOSE * found[0].score)]
    return PassagesFound(passages=tuple(fitting), cites=tuple(passage.place for passage in fitting))
