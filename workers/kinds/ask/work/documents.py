"""Passages of the imported documents that answer a question, or the word that they do not (`datasuite_faq`, `data_suite_expert`)."""

from contracts.ask.results import PassagesFound
from contracts.catalogue import Passage
from workers.kinds.ask.roles.calls import ToolStep
from workers.kinds.ask.work.floor import Floor

MOST_PASSAGES = 3

SEARCHED = 10

FITS = 0.35
"""Score of a passage from which it is shown. Below it a question is said not to be in the documents."""

CLOSE = 0.85
"""A further passage is shown when it has this share of the best one's score."""


AGAIN = 0.9
"""A passage that the answer before cited has this share of its score: who asks on wants to read something else."""


def find_passages(floor: Floor, step: ToolStep) -> PassagesFound:
    """The best passage, and others that fit about as well."""
    found = _ranked(floor, step)
    fitting = [passage for passage in found[:MOST_PASSAGES] if passage.score >= max(FITS, CLOSE * found[0].score)]
    return PassagesFound(passages=tuple(fitting), cites=tuple(passage.place for passage in fitting))


def _ranked(floor: Floor, step: ToolStep) -> list[Passage]:
    """Passages by how well they fit the words, and of a follow-up also the question before it."""
    understanding = step.understanding
    product = f"{step.request.product}: " if step.request.product else ""
    found = floor.catalogue.passages(product + understanding.words, owner=floor.owner, limit=SEARCHED)
    if not understanding.is_follow_up:
        return list(found)
    joined = floor.catalogue.passages(understanding.question, owner=floor.owner, limit=SEARCHED)
    whole = {passage.place: passage.score for passage in joined}
    before = set(understanding.carried.cites) if understanding.carried else set[str]()

    def score(passage: Passage) -> float:
        return (passage.score + whole.get(passage.place, 0.0)) / 2 * (AGAIN if passage.place in before else 1)

    return sorted((passage.model_copy(update={"score": score(passage)}) for passage in found), key=lambda passage: -passage.score)
