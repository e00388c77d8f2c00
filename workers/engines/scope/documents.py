"""One way to ask XML and JSON: both become the same tree, so a parser need not know which of the two a cluster writes."""

import json
from typing import Any, cast

from workers.engines.artefacts.kinds import ArtefactSource
from workers.engines.scope.text import DEFAULT_BYTES, read_text
from workers.engines.scope.tree import MAX_DEPTH, MAX_NODES, TEXT_CHARS, Node, ReadTree, plain, read_tree

NO_DOCUMENT = "It is neither XML nor JSON."


def read_document(source: ArtefactSource, max_bytes: int = DEFAULT_BYTES) -> ReadTree:
    """The artefact's tree, and what of it could not be read. Never raises."""
    read = read_text(source, max_bytes)
    if not read.text.strip():
        return ReadTree(problem=read.problem or "It is empty.")
    found = tree_of(read.text)
    return ReadTree(found.root, joined(read.problem, found.problem))


def tree_of(text: str) -> ReadTree:
    """The tree of a text that is XML or JSON."""
    start = text.lstrip("\ufeff \t\r\n")[:1]
    if start == "<":
        return read_tree(text)
    if start in ("{", "["):
        return _json_tree(text)
    return ReadTree(problem=NO_DOCUMENT)


def joined(*problems: str | None) -> str | None:
    """The problems in one text; None when there is none."""
    return " ".join(dict.fromkeys(problem for problem in problems if problem)) or None


def _json_tree(text: str) -> ReadTree:
    try:
        told: Any = json.loads(text.lstrip("\ufeff"))
    except json.JSONDecodeError as error:
        return ReadTree(problem=f"Broken JSON in line {error.lineno}: {error.msg}.")
    except (ValueError, RecursionError):
        return ReadTree(problem="The JSON is nested too deeply, or has a number that is too long.")
    root = Node("json")
    waiting: list[tuple[Node, str, Any, int]] = [(root, "", told, 0)]
    nodes = 0
    while waiting:
        parent, name, value, depth = waiting.pop()
        nodes += 1
        if nodes > MAX_NODES or depth > MAX_DEPTH:
            return ReadTree(root, f"The JSON has more than {MAX_NODES} values or {MAX_DEPTH} levels; the rest was left out.")
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
