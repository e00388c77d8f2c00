"""Which words of a model may be shown to a person: none that are in another language, or have a figure, a name in program text or a command
that the material has not. So a text in a ticket that speaks to the model gets no command in front of a user."""

import re
from collections.abc import Iterable

from workers.engines.language import Lang, language_of
from workers.engines.stray_figures import stray_figures

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
_SHELL = re.compile(r"[`|<>;{}\\$]|\bhttps?:")
"""Signs of commands and addresses."""


def may_be_shown(words: str, material: Iterable[str], lang: Lang) -> bool:
    """Whether words are in the user's language and hold no figure, name or command that the material has not."""
    known = list(material)
    return language_of(words) == lang and not stray_figures(words, known) and holds_nothing_new(words, known)


def holds_nothing_new(words: str, material: Iterable[str]) -> bool:
    """Whether words hold no name or command that the material has not."""
    known = list(material)
    return not holds_command(words, known) and _names(words) <= {name for text in known for name in _names(text)}


def holds_command(words: str, material: Iterable[str]) -> bool:
    """Whether words have signs of commands or addresses that the material has not."""
    return not {sign for text in material for sign in _SHELL.findall(text)}.issuperset(_SHELL.findall(words))


def _names(text: str) -> set[str]:
    """Names in program text: what no translation changes."""
    return {found.casefold().rstrip(".:") for found in _CODE.findall(text)}
