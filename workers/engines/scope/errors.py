"""The Error file: XML, JSON or plain text. An empty one is good news: the job ended without."""

import re

from contracts.bundles import Information
from contracts.scope import ScopeError, ScopeErrors
from contracts.statements import quote, say
from workers.engines.artefacts.kinds import ArtefactSource, Parsed
from workers.engines.counts import exactly
from workers.engines.problems import all_of
from workers.engines.scope.documents import tree_of
from workers.engines.scope.text import read_text
from workers.engines.scope.tree import Node

ERRORS = 50
LINES = 2_000
TEXT_CHARS = 2_000
NAME_CHARS = 300
CODE = re.compile(r"\b(?:E_[A-Z][A-Z0-9_]{2,80}|VERTEX_TIMEOUT|[A-Z]+(?:_[A-Z0-9]+){1,8}_(?:ERROR|FAILED|FAILURE|TIMEOUT|EXCEEDED))\b")
VERTEX = re.compile(r"\bSV\d+\w{0,200}(?:\[[\d.\]\[]{1,40})?")
TIMEOUT = re.compile(
    r"vertex[\s_]{0,3}time[\s_]?out|time[\s_]?out[\s_]{0,3}(?:of|in)?[\s_]{0,3}vertex|exceeded.{0,60}(?:run|execution)\s?time",
    re.IGNORECASE,
)
TELLING = re.compile(r"error|exception|fail|timeout|timed out|out ?of ?memory|exceed|错误|失败|超时", re.IGNORECASE)


def parse_error(source: ArtefactSource) -> Parsed:
    """`ScopeErrors`; none in it means that the job ended without."""
    read = read_text(source)
    tells = frozenset({Information.ERRORS})
    if not read.text.strip():
        if read.problem:
            return Parsed(problem=read.problem)
        return Parsed((ScopeErrors(artefact=source.name),), tells, say("scope.summary.no_error"))
    found = tree_of(read.text)
    errors = _from_tree(found.root) if found.root is not None else []
    is_text = not errors
    errors = errors or _from_text(read.text)
    if not errors:
        return Parsed(problem=all_of(read.problem, found.problem if found.root is not None else None, say("scope.problem.no_error")))
    problem = None if is_text and found.root is None else found.problem
    first = errors[0]
    shown = quote(" ".join(part for part in (first.error_id or first.code, first.message) if part)[:200])
    summary = say("scope.summary.errors", n=exactly(len(errors)), first=shown)
    return Parsed((ScopeErrors(artefact=source.name, errors=tuple(errors)),), tells, summary, all_of(read.problem, problem))


def _from_tree(root: Node) -> list[ScopeError]:
    """The outermost elements that have an id or a code, and a message."""
    found: list[ScopeError] = []
    waiting = [root]
    while waiting and len(found) < ERRORS:
        node = waiting.pop()
        error = _error(node)
        if error is not None:
            found.append(error)
        else:
            waiting.extend(reversed(node.children))
    return found


def _error(node: Node) -> ScopeError | None:
    message = node.get("Message", "ErrorMessage", "Description")
    error_id = node.get("ErrorId", "Id", "ErrorName", "Name")
    code = node.get("DiagnosticCode", "Code", "ErrorCode", "Number")
    if not message or not (error_id or code):
        return None
    details = node.get("InternalDiagnostics", "InternalDiagnostic", "Details", "Stack", "StackTrace")
    return _error_of(code, node.get("Component", "Source"), error_id, message, node.get("Resolution", "Solution", "HelpText"), details)


def _from_text(text: str) -> list[ScopeError]:
    """Plain text: the lines that speak of an error, as one."""
    lines = [line.strip() for line in text.splitlines()[:LINES] if line.strip()]
    telling = [line for line in lines if CODE.search(line[:TEXT_CHARS]) or TELLING.search(line[:TEXT_CHARS])]
    if not telling:
        return []
    named = CODE.search(text[: 20 * TEXT_CHARS])
    return [_error_of("", "", named[0] if named else "", telling[0], "", "\n".join(lines))]


def _error_of(code: str, component: str, error_id: str, message: str, resolution: str, details: str) -> ScopeError:
    everything = f"{error_id} {message[:TEXT_CHARS]} {details[:TEXT_CHARS]}"
    vertex = VERTEX.search(everything)
    return ScopeError(
        code=code[:NAME_CHARS],
        component=component[:NAME_CHARS],
        error_id=error_id[:NAME_CHARS],
        message=message[:TEXT_CHARS],
        resolution=resolution[:TEXT_CHARS],
        details=details[:TEXT_CHARS],
        vertex=vertex[0] if vertex else "",
        is_timeout=TIMEOUT.search(everything) is not None,
    )
