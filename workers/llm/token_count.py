"""Estimates the number of tokens in a text. No tokenizer is loaded, since each model has its own."""

from math import ceil

_ASCII_CHARACTERS = 3.5
_OTHER_CHARACTERS = 1.2
"""Characters per token. Lower than the average of today's tokenizers, so that an estimate is too high rather than too low."""


def estimate_tokens(text: str) -> int:
    """The estimated tokens of a text: too many rather than too few."""
    plain = len(text) if text.isascii() else sum(1 for character in text if character < "\x80")
    return ceil(plain / _ASCII_CHARACTERS + (len(text) - plain) / _OTHER_CHARACTERS)


def cut_to_tokens(text: str, most: int) -> str:
    """The longest prefix of the text that is estimated at `most` tokens or less."""
    while (tokens := estimate_tokens(text)) > most:
        text = text[: min(len(text) * most // tokens, len(text) - 1)]
    return text
