"""Quotations of a model, checked against the user's words."""

from collections.abc import Sequence

from contracts.phrases import PhraseUse, UsedPhrase


def plain(text: str) -> str:
    """A text without what a quotation may change: case, runs of blanks, a closing semicolon."""
    return " ".join(text.split()).casefold().rstrip(";")


def quoted(phrase: str, words: str) -> bool:
    """Whether the words hold a phrase; case and blanks do not count."""
    wanted = plain(phrase)
    return bool(wanted) and wanted in plain(words)


def phrases_in(uses: Sequence[PhraseUse], words: str) -> tuple[tuple[UsedPhrase, ...], tuple[str, ...]]:
    """The phrases that the user really said: those that are used, with their parts, and those that are not."""
    real = [use for use in uses if quoted(use.phrase, words)]
    return tuple(UsedPhrase(phrase=use.phrase, part=use.part) for use in real if use.part), tuple(
        use.phrase for use in real if not use.part
    )
