"""The language that a command prints a job in, and texts in it."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any

import typer

from contracts.statements import Seconds, Shown, as_value, names, passage, quote, say, seconds
from workers.cli.display import STATUS_STYLE, shown
from workers.cli.languages import ask_for
from workers.errors import InvalidInput
from workers.reading.words import STATES
from workers.saying import INSTALLED, UnknownLanguage, check_language, text_of
from workers.saying.content import in_words

LanguageOption = Annotated[
    str | None,
    typer.Option(
        "--language", envvar="BULLPEN_LANGUAGE", help="en, zh, ...: print in this language. Default: the job's.", callback=ask_for
    ),
]


@dataclass(frozen=True, slots=True)
class Voice:
    """Texts in one language."""

    language: str

    def plain(self, text: Shown) -> str:
        """As plain text, not cleaned."""
        return text_of(text, self.language)

    def __call__(self, text: Shown) -> str:
        """To be put into markup: cleaned, and its square brackets are only brackets."""
        return shown(self.plain(text))

    def head(self, label: Shown) -> str:
        """A label with what the language writes before its value, to be put into markup."""
        return self(say("saying.labelled", label=as_value(label), value=passage("")))

    @property
    def colon(self) -> str:
        """What this language puts between a label and its value."""
        return self.head("")

    def state(self, state: str) -> str:
        """The word for a state of a job, a step or a stage in its colour, as markup; a state of a newer release as it is."""
        word = self(STATES[state]) if state in STATES else shown(state)
        style = STATUS_STYLE.get(state)
        return f"[{style}]{word}[/]" if style else word

    def json(self, content: Any) -> Any:
        """JSON with everything that is said in it as text."""
        return in_words(content, self.language)


def voice_in(language: str) -> Voice:
    """A voice in this language. Raises `InvalidInput` for a language that no catalogue has."""
    try:
        return Voice(check_language(language))
    except UnknownLanguage:
        raise InvalidInput.of(say("refused.no_language", wanted=quote(language), languages=names(INSTALLED.languages()))) from None


def age(at: datetime) -> Seconds:
    """How long ago something was, in whole seconds."""
    return seconds(max(round((datetime.now(UTC) - at).total_seconds()), 1))
