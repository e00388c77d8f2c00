"""Events in words, for the terminal."""

from workers.cli.voice import Voice
from workers.reading.events import EventFacts
from workers.reading.words import event_statement


def tell(event: EventFacts, voice: Voice) -> str:
    """An event on one line; text of others in it is not cleaned."""
    return voice.plain(event_statement(event))
