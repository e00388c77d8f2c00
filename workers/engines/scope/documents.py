"""One way to ask XML and JSON: both become the same tree, so a parser need not know which of the two a cluster writes."""

import json
from typing import Any, cast

from contracts import statements
from contracts.statements import quote, say
from workers.engines.artefacts.kinds import ArtefactSource
from workers.engines.counts import exactly
from workers.engines.problems import EMPTY, all_of
from workers.engines.scope.text import read_text
from workers.engines.scope.tree import MAX_DEPTH, MAX_NODES, TEXT_CHARS, Node, ReadTree, plain, read_tree

NO_DOCUMENT = say("scope.problem.no_document")


def read_document(source: ArtefactSource) -> ReadTree:
    """The artefact's tree, and what of it could not be read. Never raises."""
    read = read_text(source)
    if not read.text.strip():
        return ReadTree(problem=read.problem or EMPTY)
    found = tree_of(read.text)
    return ReadTree(found.root, all_of(read.problem, found.problem))


def tree_of(text: str) -> ReadTree:
    """The tree of a text that is XML or JSON."""
    start = text.lstrip("\ufeff \t\r\n")[:1]
    if start == "<":
        return read_tree(text)
    if start in ("{", "["):
        return _json_tree(text)
    return ReadTree(problem=NO_DOCUMENT)


def _json_tree(text: str) -> ReadTree:
    try:
        content: Any = json.loads(text.lstrip("\ufeff"))
    except json.JSONDecodeError as error:
        return ReadTree(problem=say("scope.problem.broken_json", line=statements.name(error.lineno), error=quote(error.msg)))
    except (ValueError, RecursionError):
        return ReadTree(problem=say("scope.problem.nested_json"))
    root = Node("json")
    waiting: list[tuple[Node, str, Any, int]] = [(root, "", content, 0)]
    nodes = 0
    while waiting:
        parent, name, value, depth = waiting.pop()
        nodes += 1
        if nodes > MAX_NODES or depth > MAX_DEPTH:
            return ReadTree(root, say("scope.problem.large_json", values=exactly(MAX_NODES), levels=exactly(MAX_DEPTH)))
        if isinstance(value, dict):
            node = parent if not name else Node(name)
            if name:
                parent.children.append(node)
            waiting.extend((node, str(key), item, depth + 1) for key, item in reversed(list(cast("dict[Any, Any]", value).items())))
        elif isinstance(value, list):
            waiting.extend((parent, name or "item", item, depth + 1) for item in reversed(cast("list[Any]", value)))
        elif value is not None:
            _scalar(parent, name, value)
    return ReadTree(root)


def _scalar(parent: Node, name: str, value: object) -> None:
    text = str(value).lower() if isinstance(value, bool) else str(value)[:TEXT_CHARS]
    if plain(name) in parent.attributes or not name or name == "item":
        parent.children.append(Node(name or "item", parts=[text]))
    else:
        parent.attributes[plain(name)] = text
