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


def shown_of(words: str, material: Iterable[str], lang: Lang) -> tuple[str, bool]:
    """The sentences that may be shown, and whether any is left out: in the user's language, without a figure, a name in program text, a
    command or a dangerous step that the material has not. Abbreviations of the trade (DNS) are words: of a cause that no ticket has,
    only the model knows the name."""
    known = list(material)
    if language_of(words) != lang:
        return "", bool(words)
    names = {name for text in known for name in _names(text)}
    dangers = {word.casefold() for text in known for word in dangerous_words(text)}

    def may_be_shown(sentence: str) -> bool:
        is_new = not _names(sentence, abbreviations=False) <= names or holds_command(sentence, known)
        return not is_new and not stray_figures(sentence, known) and {word.casefold() for word in dangerous_words(sentence)} <= dangers

    parts = sentences(words)
    kept = [part for part in parts if may_be_shown(part)]
    return "".join(kept).strip(), len(kept) < len(parts)


def holds_nothing_new(words: str, material: Iterable[str]) -> bool:
    """Whether words hold no name or command that the material has not."""
    known = list(material)
    return not holds_command(words, known) and _names(words) <= {name for text in known for name in _names(text)}


def is_general(words: str, material: Iterable[str]) -> bool:
    """Whether words have no figure, name or command that the material has not: those of another incident are nothing to ask a person."""
    known = list(material)
    names = {name for text in known for name in _names(text)}
    return _names(words, abbreviations=False) <= names and not holds_command(words, known) and not stray_figures(words, known)


def holds_command(words: str, material: Iterable[str]) -> bool:
    """Whether words have signs of commands or addresses that the material has not."""
    return not {sign for text in material for sign in _SHELL.findall(text)}.issuperset(_SHELL.findall(words))


def _is_of_the_trade(name: str) -> bool:
    """An abbreviation (DNS, VPN), and no word of SQL: what is longer or a keyword may be a command."""
    return len(name) <= _ABBREVIATION and name.isalpha() and name.isupper() and name not in Tokenizer.KEYWORDS


def _names(text: str, *, abbreviations: bool = True) -> set[str]:
    """Names in program text: what no translation changes."""
    found = (name for name in _CODE.findall(text) if abbreviations or not _is_of_the_trade(name))
    return {name.casefold().rstrip(".:") for name in found}
