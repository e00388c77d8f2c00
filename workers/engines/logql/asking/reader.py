"""A search of a log in the closed form of `grammar.txt`, or LogQL with a time behind it, as a query: all of it, or what is not read."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from itertools import pairwise

from contracts.log_questions import LogReading, LogVocabulary
from contracts.logs import FilterOp, LineFilter, LogExpression, LogQuery, Sought
from contracts.statements import Statement, code, count, names, say, seconds
from workers.engines.logql.asking.grammar import Node, parse
from workers.engines.logql.asking.lexing import Token, lex
from workers.engines.logql.asking.times import back_from, length_ns, span_of
from workers.engines.logql.checker import check_logql, check_query
from workers.engines.logql.searches import Search
from workers.engines.logql.tokens import DURATION_NS

MOST_BYTES = 2_000
"""UTF-8 bytes of a text that the grammar reads."""
MOST_LOGQL_BYTES = 4_000
DEFAULT_RANGE_NS = DURATION_NS["h"]
"""The time that is looked at when a search names none. It is said."""
_Line = tuple[Node, list[str], LogExpression | None]
_BEHIND = 12
"""Words behind LogQL: a time has no more."""


def read_log_search(text: str, vocabulary: LogVocabulary, now: datetime, before: LogReading | None = None) -> LogReading:
    """The query of a search, or what is not read or missing; then it has none. A line below another changes it.

    `before`: the search before it in the conversation, which one changes that names no label, or begins with such a word as "only".
    """
    lines = _lines(text)
    if lines is None:
        too_long = say("logs.missing.short", limit=count(MOST_BYTES, exact=True))
        return LogReading(question=text[:MOST_BYTES], is_metric=False, missing=(too_long,))
    is_change = any(node.token("CHANGE") for node, _, _ in lines) or not any(query or node.token("KEY") for node, _, query in lines)
    query = before.query if is_change and before is not None else None
    search = Search(vocabulary) if query is None else Search.of(vocabulary, query, before)
    unused, left = list[str](), list[str]()
    for node, unread, query in lines:
        unused, left = [*unused, *left], list(unread)
        search = search if query is None else Search.of(vocabulary, query)
        _add(search, node, left, now)
    assumed = [say("logs.assumed.unused", words=names(unused))] if unused else []
    if search.span is None:
        search.span = back_from(now, DEFAULT_RANGE_NS)
        assumed.append(say("logs.assumed.time", length=seconds(DEFAULT_RANGE_NS / 1e9)))
    start, end = search.span
    length = round((end - start).total_seconds() * 1e9)
    step = search.step_ns if search.step_ns and search.step_ns < length else None
    if step and (rest := length % step):
        if end == now:  # the step that is not over is the one that matters in an incident
            end += timedelta(microseconds=(step - rest) // 1000)
        else:
            assumed.append(say("logs.assumed.last_step", length=seconds(rest / 1e9)))
    found = search.query(step or length)
    missing = _not_read(text, left, search) if left else search.missing or [problem.what for problem in check_query(found)]
    return LogReading(
        question=text, is_metric=not isinstance(found, LogQuery), query=None if missing else found, start=start, end=end, step_ns=step,
        missing=tuple(missing), assumed=tuple(assumed), unplaced=tuple(left),
    )  # fmt: skip


def is_log_search(text: str) -> bool:
    """Whether the grammar, or LogQL, consumes all of a text. Whether the log has its names is not looked at."""
    return bool(lines := _lines(text)) and all((node.parts or query is not None) and not left for node, left, query in lines)


def _lines(text: str) -> list[_Line] | None:
    """Each line as it is read; None: it is too long. LogQL may have several lines."""
    size = len(text.encode())
    if size <= MOST_LOGQL_BYTES and (whole := _logql(text)) is not None:
        return [whole]
    lines = [line for line in text.splitlines() if line.strip()] if size <= MOST_BYTES else []
    return [(_logql(line) if len(lines) > 1 else None) or _closed(line) for line in lines] if size <= MOST_BYTES else None


def _logql(text: str) -> _Line | None:
    """LogQL, with what stands behind it."""
    tokens = list(lex(text)) if "{" in text else []
    tails = ((at, *parse(tokens[at:], "behind_logql")) for at in range(max(len(tokens) - _BEHIND, 0), len(tokens)))
    cuts = [(tokens[at].begin, node) for at, node, left in tails if node.parts and not left]
    for begin, node in (*cuts[:1], (len(text), Node("behind_logql", ()))) if tokens else ():
        if (query := check_logql(text[:begin]).query) is not None:
            return node, [], query
    return None


def _closed(line: str) -> _Line:
    """What the grammar reads of a line, and the words that it does not use."""
    node, left = parse(list(lex(line)))
    return node, list(_words(left)), None


def _words(left: Sequence[Token]) -> Iterator[str]:
    """Words as they stand: neighbours, such as Chinese letters, together."""
    starts = [at for at, token in enumerate(left) if not at or token.begin != left[at - 1].stop]
    return ("".join(token.text for token in left[at:stop]) for at, stop in pairwise([*starts, len(left)]))


def _add(search: Search, node: Node, left: list[str], now: datetime) -> None:
    """What a line says, on top of the lines above it. What it says twice, or of a metric in LogQL, is left, and so is a text right behind
    one that lines are to be without: it may be another one of these."""
    seen: set[str] = set()
    for part in node.all("condition", "text", "per", "by", "range", "count"):
        tokens = [token for token in part.tokens if "BAR" not in token.kinds]
        key = part.rule if part.rule != "condition" else f"{tokens[0].text}{tokens[1].text}"
        is_twice = key in seen and part.rule not in ("text", "count") and "!" not in key
        is_of_metric = search.metric is not None and part.rule not in ("per", "range")
        if is_twice or is_of_metric or part.first("unclear") is not None:
            left.append(" ".join(token.text for token in tokens))
            continue
        seen.add(key)
        match part.rule:
            case "condition" if "COMPARISON" in tokens[1].kinds:
                search.measure(*(token.text for token in tokens))
            case "condition":
                label, op, *values = tokens
                search.compare(label.text, op.text, [None if "ANY" in each.kinds else (each.text, "TEXT" in each.kinds) for each in values])
            case "text":
                op = FilterOp.CONTAINS_NOT if part.token("WITHOUT") else FilterOp.CONTAINS
                search.filters.append(LineFilter(op=op, sought=tuple(Sought(text=each.text) for each in tokens if "TEXT" in each.kinds)))
            case "per":
                search.step_ns, search.counts = length_ns(part), True
            case "by":
                search.group_by, search.counts = tuple(token.text for token in tokens if "NAME" in token.kinds), True
            case "count":
                search.counts = True
            case _:
                search.span = span_of(part, now)
                search.missing += [] if search.span is not None else [say("logs.missing.time")]


def _not_read(text: str, left: list[str], search: Search) -> list[Statement]:
    """What to write instead; of LogQL, where it is wrong."""
    if text.lstrip().startswith("{") and (problems := check_logql(text).problems):
        return [problems[0].what]
    return [say("logs.missing.words", words=names(left), example=code(search.example))]
