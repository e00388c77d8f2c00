"""XML of unknown names, read safely: no document types, no entities, bounded depth and size; what breaks off is kept as far as it goes.

Nobody outside has a schema of these files, and their writers differ in case and in whether a value is an attribute or a child.
So a node is asked for a value by several names, and case and underscores do not count."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

from contracts import statements
from contracts.statements import Sayable, Statement, quote, say
from workers.engines.counts import exactly
from workers.engines.problems import EMPTY

MAX_DEPTH = 100
MAX_NODES = 200_000
"""A plan of a thousand vertices has some ten thousand."""

TEXT_CHARS = 20_000
"""The most characters that are kept of an element's text: internal diagnostics are long, and nothing needs more of them."""


@dataclass(slots=True)
class Node:
    """One element."""

    tag: str
    """Without its namespace."""
    attributes: dict[str, str] = field(default_factory=dict[str, str])
    """By plain name."""
    children: list["Node"] = field(default_factory=list["Node"])
    parts: list[str] = field(default_factory=list[str])
    text_chars: int = 0
    line: int = 1

    @property
    def key(self) -> str:
        """Its tag as a plain name."""
        return plain(self.tag)

    @property
    def text(self) -> str:
        """Its own text, without that of its children."""
        return "".join(self.parts).strip()

    def get(self, *names: str) -> str:
        """The first of these that it has, as an attribute or as the text of a child; empty when it has none."""
        for name in names:
            wanted = plain(name)
            if self.attributes.get(wanted):
                return self.attributes[wanted]
            for child in self.children:
                if child.key == wanted and child.text:
                    return child.text
        return ""

    def walk(self) -> Iterator["Node"]:
        """Itself and all below, in the order of the document."""
        waiting: list[Node] = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node.children))

    def find(self, *names: str) -> Iterator["Node"]:
        """All below it, and itself, with one of these tags."""
        wanted = {plain(name) for name in names}
        return (node for node in self.walk() if node.key in wanted)


@dataclass(frozen=True, slots=True)
class ReadTree:
    """A document, as far as it could be read."""

    root: Node | None = None
    problem: Sayable | None = None


class _Refused(Exception):
    """Raised out of a handler, and never further than `read_tree`."""

    def __init__(self, says: Statement) -> None:
        super().__init__(says.code)
        self.says = says


def plain(name: str) -> str:
    """A name as it is compared: `{ns}Stage_Id`, `stageId` and `StageID` are the same."""
    return name.rpartition("}")[2].rpartition(":")[2].replace("_", "").replace("-", "").lower()


def read_tree(text: str) -> ReadTree:
    """The tree of a document. Never raises."""
    builder = _Builder()
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = builder.refuse_doctype
    parser.EntityDeclHandler = builder.refuse_doctype
    parser.StartElementHandler = lambda tag, attributes: builder.start(tag, attributes, parser.CurrentLineNumber)
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.characters
    start = text.lstrip("\ufeff \t\r\n")
    if not start:
        return ReadTree(problem=EMPTY)
    try:
        parser.Parse(start, True)
    except expat.ExpatError as error:
        return ReadTree(
            builder.root, say("scope.problem.broken_xml", line=statements.name(error.lineno), error=quote(expat.ErrorString(error.code)))
        )
    except _Refused as error:
        return ReadTree(None if builder.is_hostile else builder.root, error.says)
    return ReadTree(builder.root)


class _Builder:
    def __init__(self) -> None:
        self.root: Node | None = None
        self.open: list[Node] = []
        self.nodes = 0
        self.is_hostile = False

    def start(self, tag: str, attributes: dict[str, str], line: int) -> None:
        self.nodes += 1
        if self.nodes > MAX_NODES or len(self.open) >= MAX_DEPTH:
            if self.nodes > MAX_NODES:
                raise _Refused(say("scope.problem.large_xml", limit=exactly(MAX_NODES)))
            raise _Refused(say("scope.problem.nested_xml", limit=exactly(MAX_DEPTH)))
        node = Node(tag, {plain(name): value for name, value in attributes.items()}, line=line)
        if self.open:
            self.open[-1].children.append(node)
        else:
            self.root = node
        self.open.append(node)

    def end(self, _tag: str) -> None:
        self.open.pop()

    def characters(self, data: str) -> None:
        node = self.open[-1]
        if node.text_chars < TEXT_CHARS:
            node.parts.append(data[: TEXT_CHARS - node.text_chars])
            node.text_chars += len(data)

    def refuse_doctype(self, *_declaration: object) -> None:
        self.is_hostile = True
        raise _Refused(say("scope.problem.doctype"))
