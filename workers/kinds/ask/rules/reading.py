"""One reading out of those that the sources allow: the single one that takes every word, or a question to the user."""

from collections.abc import Sequence

from contracts.ask.results import Reading, ReadingStatus
from contracts.statements import name, names, say

MOST_CHOICES = 6


def best_reading(readings: Sequence[Reading]) -> Reading:
    """A question is read when exactly one source takes all of its words; when several do, the user chooses among the sources."""
    read = [reading for reading in readings if reading.status is ReadingStatus.READ]
    if len(read) == 1:
        return read[0]
    open_ = read or [reading for reading in readings if reading.status is ReadingStatus.AMBIGUOUS]
    if len(open_) == 1:  # what the only source asks says more than that there are several readings
        return open_[0].model_copy(update={"question": open_[0].question or say("ask.question.which_reading")})
    if len({candidate.source for reading in read for candidate in reading.candidates}) > 1:
        choices = [reading.candidates[0] for reading in read][:MOST_CHOICES]
        named = tuple(choice.model_copy(update={"label": say("ask.choice.source", source=name(choice.source))}) for choice in choices)
        return Reading(status=ReadingStatus.AMBIGUOUS, candidates=named, question=say("ask.question.which_source"))
    if open_:
        candidates = tuple(candidate for reading in open_ for candidate in reading.candidates)[:MOST_CHOICES]
        return Reading(status=ReadingStatus.AMBIGUOUS, candidates=candidates, question=say("ask.question.which_reading"))
    unplaced = [reading for reading in readings if reading.status is ReadingStatus.UNPLACED]
    if not unplaced:
        return Reading(status=ReadingStatus.NOTHING, question=say("ask.refuse.no_data"))
    least = min(unplaced, key=lambda reading: len(reading.unplaced))
    if least.question is None and least.unplaced:
        question = say("ask.question.unplaced", words=names(least.unplaced))
        return least.model_copy(update={"question": question})
    return least
