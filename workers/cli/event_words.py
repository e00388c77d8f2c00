"""Events in words, for the terminal."""

from collections.abc import Callable

from contracts.statements import passage
from workers.cli.voice import Voice
from workers.reading.events import EventFacts
from workers.reading.words import event_statement


def tell(event: EventFacts, voice: Voice, label: Callable[[str], str]) -> str:
    """An event on one line; text of others in it is not cleaned. `label`: what a stage is called in plain words."""
    return voice.plain(event_statement(event, lambda stage: passage(label(stage))))
