"""Warnings and diagnostics: what the compiler and the engine found worth a word, with the script's line where they tell it."""

import re
from collections.abc import Sequence
from enum import StrEnum

from contracts.bundles import Information
from contracts.scope import ScopeMessage, ScopeMessages
from contracts.statements import Statement, quote, say, say_member
from workers.engines.artefacts.kinds import ArtefactSource, Parsed
from workers.engines.counts import exactly
from workers.engines.scope.documents import read_document
from workers.engines.scope.tree import Node
from workers.engines.scope.values import count

MESSAGES = 500
TEXT_CHARS = 1_000
NAME_CHARS = 300
LEADING_CODE = re.compile(r"^\W{0,3}([A-Z]{0,10}_?\d{1,6}|[WEI]_[A-Z0-9_]{3,80})[\s:]{0,3}")
"""Some writers put code and text into the id: `132The operation 'LIST' is potentially non-deterministic.`"""
LINE = re.compile(r"\bline\s{0,3}[=:]?\s{0,3}(\d{1,7})\b|\((\d{1,7})[,:]\d{1,7}\)|第\s{0,3}(\d{1,7})\s{0,3}行", re.IGNORECASE)
TAGS = ("warning", "warnings", "message", "messages", "diagnostic", "diagnostics", "issue", "issues", "finding", "event", "item", "entry")


MESSAGE_CHARS = 120


class MessageList(StrEnum):
    """What a file lists."""

    WARNINGS = "warnings"
    DIAGNOSTICS = "diagnostics"


def parse_warnings(source: ArtefactSource) -> Parsed:
    """`ScopeMessages`."""
    return _parsed(source, MessageList.WARNINGS, Information.WARNINGS)


def parse_diagnostics(source: ArtefactSource) -> Parsed:
    """`ScopeMessages`. With an error among them, `ERRORS` is part of the information found."""
    return _parsed(source, MessageList.DIAGNOSTICS, Information.WARNINGS)


def _parsed(source: ArtefactSource, what: MessageList, tells: Information) -> Parsed:
    read = read_document(source)
    if read.root is None:
        return Parsed(problem=read.problem)
    found = messages_of(read.root)
    information = {tells}
    if any(message.severity.lower().startswith(("err", "fatal", "crit")) for message in found):
        information.add(Information.ERRORS)
    if not found and (read.problem or not any(plain_list in read.root.key for plain_list in ("warning", "diagnos", "json"))):
        return Parsed(problem=read.problem or say_member("scope.problem.no", what))
    facts = ScopeMessages(artefact=source.name, messages=tuple(found))
    return Parsed((facts,), frozenset(information), _summary(what, found), read.problem)


def _summary(what: MessageList, found: Sequence[ScopeMessage]) -> Statement:
    counted = say_member("scope.count", what, n=exactly(len(found)))
    if not found:
        return say("scope.summary.messages", messages=counted)
    return say("scope.summary.messages_first", messages=counted, first=quote(found[0].message[:MESSAGE_CHARS]))


def messages_of(root: Node) -> list[ScopeMessage]:
    """All messages of a document, each once, with how often it came."""
    found: dict[tuple[str, str, int | None], ScopeMessage] = {}
    waiting = [root]
    while waiting:
        node = waiting.pop()
        message = _message(node) if node.key in TAGS else None
        if message is None:
            waiting.extend(reversed(node.children))
            continue
        key = (message.code, message.message, message.line)
        if key in found:
            found[key] = found[key].model_copy(update={"occurrences": found[key].occurrences + message.occurrences})
        elif len(found) < MESSAGES:
            found[key] = message
    return list(found.values())


def _message(node: Node) -> ScopeMessage | None:
    text = node.get("Message", "Text", "Description") or (node.text if not node.children else "")
    number = node.get("Id", "Code", "WarningId", "Number", "Category")
    if not text and not (" " in number and node.key in ("warning", "diagnostic")):
        return None
    code = LEADING_CODE.match(number)
    place = LINE.search(f"{node.get('Location', 'Position', 'Source')[:200]} {text[:TEXT_CHARS]}")
    line = count(node.get("Line", "LineNumber", "StartLine") or (next(filter(None, place.groups())) if place else "?"))
    return ScopeMessage(
        code=(code[1] if code else number if " " not in number else "")[:NAME_CHARS],
        severity=node.get("Severity", "Level", "Type")[:NAME_CHARS],
        message=(text or number[code.end() if code else 0 :])[:TEXT_CHARS],
        line=line or None,
        occurrences=count(node.get("Occurrences", "Count") or "1") or 1,
        solution=node.get("Solution", "Resolution", "Recommendation", "Advice")[:TEXT_CHARS],
    )
