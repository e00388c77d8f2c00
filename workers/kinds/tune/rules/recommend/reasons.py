"""Why an artefact is worth reading."""

from collections.abc import Sequence

from contracts.bundles import Information
from contracts.statements import Statement, Value, count, listing, name, say
from contracts.tune.steps import Hypothesis
from workers.kinds.tune.rules.recommend.news import Question
from workers.kinds.tune.rules.saying import informed, joined, kind_term

MOST_NAMED = 4
"""Items of a list in a sentence."""

TOLERANCE = 1e-6
"""Rounding error allowed in parts that sum to one."""

DECIDES = 0.5
"""The part of a question from which on an answer decides it."""


def reason_of(tells: Sequence[Information], answers: Sequence[Question]) -> Statement:
    """What it would show, heaviest first, and what that settles or, where it settles nothing, bears on."""
    more = len(tells) - MOST_NAMED
    information = informed(tells[:MOST_NAMED])
    shows = say("tune.reading.shows_more", n=count(more), information=information)
    sentences = [shows if more > 0 else say("tune.reading.shows", information=information)]
    for question in answers:
        if question.hypothesis is None:
            decides = _answered(question, tells) >= DECIDES
            sentences.append(say("tune.reading.decides_class") if decides else say("tune.reading.bears_on_class"))
    asked = [question for question in answers if question.hypothesis is not None]
    settled = [question for question in asked if _answered(question, tells) > 1 - TOLERANCE]
    hypotheses = [question.hypothesis for question in settled or asked if question.hypothesis is not None]
    if hypotheses:
        named = _named(hypotheses)
        sentences.append(say("tune.reading.settles", hypotheses=named) if settled else say("tune.reading.bears", hypotheses=named))
    return joined(sentences)


def _answered(question: Question, tells: Sequence[Information]) -> float:
    return sum(part for need, part in question.answered_by.items() if need in tells)


def _named(hypotheses: Sequence[Hypothesis]) -> Value:
    named = (
        say("tune.reading.hypothesis", id=name(hypothesis.hypothesis_id), kind=kind_term(hypothesis.kind))
        for hypothesis in hypotheses[:MOST_NAMED]
    )
    more = len(hypotheses) - MOST_NAMED
    return listing(*named, *([say("tune.reading.more", n=count(more))] if more > 0 else []))
