"""What became of a user's words: each phrase, quoted, with the part of a statement that stands for it."""

from typing import Annotated

from pydantic import Field

from contracts.base import Contract, Text


class PhraseUse(Contract):
    """A phrase of the request, as a model's answer maps it."""

    phrase: Annotated[Text, Field(max_length=300)]
    """Quoted from the user's words, to the letter."""
    part: Annotated[Text, Field(max_length=2_000)] = ""
    """The part of the statement that stands for it. Empty: it is not used."""


class UsedPhrase(Contract):
    """A phrase whose quotation was checked, and the part of the statement that stands for it."""

    phrase: Text
    part: Text
