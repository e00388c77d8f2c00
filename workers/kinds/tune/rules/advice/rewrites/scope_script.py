"""Rewritten lines of a SCOPE or U-SQL script. A diff is only given if the language's parser reads the new script as it should be: with
one partitioning less, with the hint at the join, or with the statements that were added."""

import re

from contracts.scope import ScopeJoin, ScopeScriptFacts
from contracts.verdicts import ScriptSpot
from workers.engines.scope.script import read_scope
from workers.engines.scripts.given import NamedScript
from workers.kinds.tune.rules.advice.rewrites.patches import diff_of

INTO = re.compile(r"\s+INTO\s+\d{1,9}\b", re.IGNORECASE)
JOIN_WORD = re.compile(r"\bJOIN\b", re.IGNORECASE)
HINT = "BROADCASTRIGHT"
NUMERIC = re.compile(r"-?\d{1,18}(?:\.\d{1,9})?")
NUMBERS = ("int", "long", "short", "byte", "double", "float", "decimal", "bigint", "smallint")

ASSIGNED = re.compile(
    r"(?P<lead>(?:^|;)(?:\s|//[^\n]*\n|/\*(?:(?!\*/).)*\*/)*)(?P<name>@?\w+)(?P<gap>\s*=\s*)(?P<body>SELECT\b[^;]*)\Z",
    re.IGNORECASE | re.DOTALL,
)
"""A statement from the end of the one before it: `name = SELECT ...`."""

FROM = re.compile(r"\bFROM\s+(?P<rowset>@?\w+)\s+(?:AS\s+)?(?P<alias>\w+)(?=\s+(?:INNER|LEFT)\b)", re.IGNORECASE)
JOINED = re.compile(r"\bJOIN\s+(?P<rowset>@?\w+)\s+(?:AS\s+)?(?P<alias>\w+)(?=\s+ON\b)", re.IGNORECASE)
OTHER_CLAUSES = re.compile(
    r"\b(?:GROUP|ORDER|HAVING|UNION|INTERSECT|EXCEPT|DISTINCT|TOP|OVER|DISTRIBUTE|DISTRIBUTED|CLUSTERED|CLUSTER|PARTITION|FETCH|OPTION|WHERE)\b",
    re.IGNORECASE,
)
"""Clauses after which two statements are no longer the same as one."""


def without_partitioning(script: NamedScript, spot: ScriptSpot) -> str:
    """The diff that takes out a clause that partitions, such as `HASH DISTRIBUTE BY Key INTO 600`; empty where it cannot be found."""
    span = _span(script.text, spot)
    if span is None:
        return ""
    start, end = span
    into = INTO.match(script.text, end)
    end = into.end() if into else end
    start -= len(script.text[:start]) - len(script.text[:start].rstrip())
    new = script.text[:start] + script.text[end:]
    before, after = read_scope(script.text), read_scope(new)
    is_right = len(after.partitionings) == len(before.partitionings) - 1 and _reads_as_well(before, after)
    return diff_of(script.name, script.text, new) if is_right else ""


def with_broadcast(script: NamedScript, spot: ScriptSpot) -> str:
    """The diff that sends the right side of an inner or left join to every vertex; empty for joins of other kinds or with a hint."""
    new = _hinted(script.text, spot)
    before, after = read_scope(script.text), read_scope(new or "")
    if new is None or not _reads_as_well(before, after):
        return ""
    hinted = [join for join in after.joins if join.line == spot.line and HINT in join.hints]
    return diff_of(script.name, script.text, new) if hinted and _kinds(before.joins) == _kinds(after.joins) else ""


def keys_apart(script: NamedScript, spot: ScriptSpot, columns: tuple[str, str], values: tuple[str, ...], column_type: str) -> str:
    """The diff that joins the rows with these values of the left side's key in a statement of their own. There the right side's rows of
    these keys are sent to every vertex; UNION ALL puts both together. `columns`: the key on the left and on the right. Empty unless the
    join is all that its statement does beside selecting."""
    literals = [literal for value in values if (literal := _literal(value, column_type))]
    start, end = _statement(script.text, spot)
    found = ASSIGNED.search(script.text[:end], start)
    body = found["body"] if found else ""
    sides = FROM.search(body)
    if found is None or sides is None or len(literals) != len(values) or OTHER_CLAUSES.search(body) or len(JOIN_WORD.findall(body)) != 1:
        return ""
    name, rowset = found["name"], sides["rowset"]
    hot, rest = f"{name}Heavy", f"{name}Rest"
    left, _ = columns
    heavy = [" OR ".join(f"{column} == {literal}" for literal in literals) for column in columns]
    others = " AND ".join(f"{left} != {literal}" for literal in literals)
    heavy_body = _hinted_join(_right_rows(_left_rows(body, sides, rowset, heavy[0]), heavy[1]) or "")
    if heavy_body is None:
        return ""
    both = f"SELECT * FROM {hot}\n    UNION ALL\n    SELECT * FROM {rest}"  # noqa: S608  a script that is shown and parsed, and never run
    rest_body = _left_rows(body, sides, rowset, others)
    made = ";\n\n".join(f"{own}{found['gap']}{made}" for own, made in ((hot, heavy_body), (rest, rest_body), (name, both)))
    new = script.text[: found.start("name")] + made + script.text[end:]
    before, after = read_scope(script.text), read_scope(new)
    is_right = len(after.joins) == len(before.joins) + 1 and after.statements == before.statements + 2 and _reads_as_well(before, after)
    return diff_of(script.name, script.text, new) if is_right else ""


def _right_rows(body: str, condition: str) -> str | None:
    """The joined rowset with this condition; None where it is not a name."""
    found = JOINED.search(body)
    if found is None:
        return None
    return f"{body[: found.start()]}JOIN {_rows(found['rowset'], condition)} AS {found['alias']}{body[found.end() :]}"


def _left_rows(body: str, sides: re.Match[str], rowset: str, condition: str) -> str:
    return f"{body[: sides.start()]}FROM {_rows(rowset, condition)} AS {sides['alias']}{body[sides.end() :]}"


def _rows(rowset: str, condition: str) -> str:
    return f"(SELECT * FROM {rowset} WHERE {condition})"  # noqa: S608  a script that is shown and parsed, and never run


def _hinted_join(body: str) -> str | None:
    """The hint before the statement's only JOIN, unless it has another one."""
    found = re.search(r"\b(INNER|LEFT\s+OUTER|LEFT)\s+JOIN\b", body, re.IGNORECASE)
    return f"{body[: found.end() - len('JOIN')]}{HINT} {body[found.end() - len('JOIN') :]}" if found else None


def _hinted(text: str, spot: ScriptSpot) -> str | None:
    span = _span(text, spot)
    if span is None:
        return None
    made = _hinted_join(text[span[0] : span[1]])
    return None if made is None else text[: span[0]] + made + text[span[1] :]


def _span(text: str, spot: ScriptSpot) -> tuple[int, int] | None:
    """Where the operation of a spot lies in the text: its words from its line and column on, with any white space between them."""
    lines = text.split("\n")
    if not 1 <= spot.line <= len(lines):
        return None
    at = sum(len(line) + 1 for line in lines[: spot.line - 1]) + spot.column
    words = [re.escape(word) for word in spot.text.split() if word != "..."]
    found = re.compile(r"\s*".join(words)).match(text, at) if words else None
    return found.span() if found else None


def _statement(text: str, spot: ScriptSpot) -> tuple[int, int]:
    """From the end of the statement before the spot's to the spot's own semicolon."""
    at = sum(len(line) + 1 for line in text.split("\n")[: spot.line - 1])
    end = text.find(";", at)
    return max(0, text.rfind(";", 0, at)), end if end >= 0 else len(text)


def _literal(value: str, column_type: str) -> str:
    """As C# writes it; empty where the column's type does not say how."""
    kind = column_type.lower().rstrip("?")
    if kind in NUMBERS:
        return value if NUMERIC.fullmatch(value) else ""
    if kind == "string" or (not kind and not NUMERIC.fullmatch(value)):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"' if value.isprintable() else ""
    return ""


def _reads_as_well(before: ScopeScriptFacts, after: ScopeScriptFacts) -> bool:
    """The parser understands no less of it."""
    return not after.script.unreadable and len(after.unread) <= len(before.unread)


def _kinds(joins: tuple[ScopeJoin, ...]) -> list[tuple[str, tuple[str, ...]]]:
    return [(join.kind.value, join.left_keys) for join in joins]
