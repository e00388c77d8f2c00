"""XML as values like those of JSON: an element is a text, or an object of its children and attributes (`@name`); what repeats is a list."""

from typing import Any
from xml.parsers import expat

from contracts.base import Json
from contracts.statements import passage, say
from workers.errors import InvalidInput

_DEEPEST = 60
OWN_TEXT = "(text)"
"""The key of an element's text, that of its children within it included, beside attributes or children. No tag is called so."""


def read_xml(text: str) -> Json:
    """The document as an object of its root. Raises `InvalidInput` for what is no XML, declares entities, or is nested too deep."""
    reader = _Reader()
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = reader.start, reader.end, reader.characters
    parser.EntityDeclHandler = reader.refuse
    declared = text.find("?>") if text.startswith("<?xml") else -1  # the text is decoded: what it says of its encoding is past
    try:
        parser.Parse(text[declared + 2 :] if declared > 0 else text, True)
    except (expat.ExpatError, _Refused) as error:
        raise InvalidInput.of(say("refused.tickets.no_xml", fault=passage(str(error)))) from None
    return reader.root


class _Refused(Exception):
    """What the reader does not take."""


class _Reader:
    def __init__(self) -> None:
        self.root: Json = {}
        self._open: list[tuple[str, Json, list[str], list[str]]] = []
        """Each tag with what it holds, its own text, and that with the text of its children."""

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if len(self._open) >= _DEEPEST:
            raise _Refused(f"nested deeper than {_DEEPEST}")
        self._open.append((tag, {f"@{key}": value for key, value in attributes.items()}, [], []))

    def end(self, _tag: str) -> None:
        tag, held, own, whole = self._open.pop()
        text = "".join(whole)
        if held and "".join(own).strip():
            held[OWN_TEXT] = text.strip()
        value: Any = held or text.strip()
        around = self.root
        if self._open:
            around = self._open[-1][1]
            self._open[-1][3].append(text)
        if tag not in around:
            around[tag] = value
        elif isinstance(around[tag], list):
            around[tag].append(value)
        else:
            around[tag] = [around[tag], value]

    def characters(self, data: str) -> None:
        self._open[-1][2].append(data)
        self._open[-1][3].append(data)

    def refuse(self, *_declaration: object) -> None:
        raise _Refused("entities are declared")
