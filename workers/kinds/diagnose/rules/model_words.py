"""Which words of a model may be shown to a person: none that are in another language, or have a figure, a name in program text or a command
that the material has not. So a text in a ticket that speaks to the model gets no command in front of a user."""

import re
from collections.abc import Iterable

from sqlglot.tokens import Tokenizer

from workers.engines.language import Lang, language_of
from workers.engines.sentences import sentences
from workers.engines.stray_figures import stray_figures
from workers.kinds.diagnose.rules.dangers import dangerous_words

_CODE = re.compile(
    r"""(?<![\w.])(?:
        --?[A-Za-z][\w-]*                       # an option
      | [A-Za-z_$./\\][\w$]*(?:[._/\\:=@$*+-][\w$]+)*[_/\\=@$*][\w$./\\:=@*+-]*   # names with signs, paths, assignments
      | [A-Za-z][\w]*(?:[.:][A-Za-z_][\w]*)+    # dotted names, addresses
      | [A-Za-z]*[a-z][A-Z]\w*                  # names with inner capitals
      | [A-Za-z]+\d\w*                          # names with figures
      | [A-Z]{2,}[A-Z0-9]*                      # abbreviations, words of SQL
    )""",
    re.VERBOSE,
)
_ABBREVIATION = 5
_SHELL = re.compile(r"[`|<>;{}\\$]|\bhttps?:")
"""Signs of commands and addresses."""
_PARTS = re.compile(r"""[=:,@'"]""")
"""Between the parts of a name: the setting and its value."""
_COMPARED = re.compile(r"[<>]=?(?=\s*\d)")
"""A comparison, which is no sign of a command."""
_OPTION = re.compile(r"(?<!\S)--?\w")
_ASKS = ("?", "？")


def shown_of(words: str, material: Iterable[str], lang: Lang) -> tuple[str, bool]:
    """The sentences that may be shown, and whether any is left out: in the user's language, without a figure, a name in program text, a
    command or a dangerous step that the material has not. Abbreviations of the trade (DNS) are words: of a cause that no ticket has,
    only the model knows the name."""
    known = list(material)
    if language_of(words) != lang:
        return "", bool(words)
    names = _known(known)
    dangers = {word.casefold() for text in known for word in dangerous_words(text)}

    def may_be_shown(sentence: str) -> bool:
        is_new = bool(_new(sentence, names, abbreviations=False)) or holds_command(sentence, known)
        return not is_new and not stray_figures(sentence, known) and {word.casefold() for word in dangerous_words(sentence)} <= dangers

    parts = sentences(words)
    kept = [part for part in parts if may_be_shown(part)]
    return "".join(kept).strip(), len(kept) < len(parts)


def new_in_check(words: str, material: Iterable[str]) -> str:
    """The first name, sign of a command or dangerous word of a check that may not be shown; empty: it may be, since names and signs are
    the material's, and nothing in it destroys anything."""
    known = list(material)
    return next(iter((*dangerous_words(words), *_signs(words, known), *_new(words, _known(known)))), "")


def step_in(words: str, material: Iterable[str], *, explains: bool = False) -> str:
    """The first part of a question, or of words that explain one, that is a command or a dangerous step; empty: there is none. To ask
    whether something was deleted is harmless: a word of `dangers.txt` counts in a sentence that is not a question, and in program text.
    What `explains` tells what an answer means: there only program text counts."""
    if signs := _signs(_COMPARED.sub(" ", words), list(material)):
        return signs[0]
    for sentence in sentences(words):
        is_harmless = explains or sentence.strip().endswith(_ASKS)
        for word in dangerous_words(sentence):
            if not is_harmless or _CODE.fullmatch(word) or not word[-1].isalnum() or _OPTION.search(sentence):
                return word
    return ""


def is_general(words: str, material: Iterable[str]) -> bool:
    """Whether words have no figure, name or command that the material has not: those of another incident are nothing to ask a person."""
    known = list(material)
    return not (_new(words, _known(known), abbreviations=False) or holds_command(words, known) or stray_figures(words, known))


def holds_command(words: str, material: Iterable[str]) -> bool:
    """Whether words have signs of commands or addresses that the material has not."""
    return bool(_signs(words, material))


def _signs(words: str, material: Iterable[str]) -> list[str]:
    """Signs of commands and addresses that the material has not."""
    known = {sign for text in material for sign in _SHELL.findall(text)}
    return [sign for sign in _SHELL.findall(words) if sign not in known]


def _known(material: Iterable[str]) -> set[str]:
    """The parts of all names of the material."""
    return {part for text in material for name in _names(text) for part in _parts(name)}


def _new(words: str, known: set[str], *, abbreviations: bool = True) -> list[str]:
    """Names of which a part is not known."""
    return [name for name in sorted(_names(words, abbreviations=abbreviations)) if not _parts(name) <= known]


def _parts(name: str) -> set[str]:
    return {part.strip(".") for part in _PARTS.split(name)} - {""}


def _is_of_the_trade(name: str) -> bool:
    """An abbreviation (DNS, VPN), and no word of SQL: what is longer or a keyword may be a command."""
    return len(name) <= _ABBREVIATION and name.isalpha() and name.isupper() and name not in Tokenizer.KEYWORDS


def _names(text: str, *, abbreviations: bool = True) -> set[str]:
    """Names in program text: what no translation changes."""
    found = (name for name in _CODE.findall(text) if abbreviations or not _is_of_the_trade(name))
    return {name.casefold().rstrip(".:") for name in found}
