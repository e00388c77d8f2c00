"""Mends of text that is no SQL: brackets, commas, quotes, the order of clauses, misspelt and reserved words."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from contracts.sql_errors import SqlError
from contracts.statements import Statement, code, name, say
from workers.engines.sql.errors.proposals import distance
from workers.engines.sql.repair.smallest import Word, words_of


@dataclass(frozen=True, slots=True)
class TextMend:
    """A changed text."""

    sql: str
    why: Statement
    cost: float


FENCE = re.compile(r"^\s*```\w*\s*\n(?P<sql>.*?)\n?```\s*$", re.DOTALL)
CLAUSES = ("SELECT", "FROM", "WHERE", "GROUP BY", "HAVING", "ORDER BY", "LIMIT")
"""In the order in which they are written."""

KEYWORDS = (
    *(
        "SELECT",
        "FROM",
        "WHERE",
        "GROUP",
        "ORDER",
        "HAVING",
        "LIMIT",
        "OFFSET",
        "INNER",
        "LEFT",
        "RIGHT",
        "OUTER",
        "JOIN",
        "UNION",
        "DISTINCT",
    ),
    *(
        "BETWEEN",
        "EXISTS",
        "WITH",
        "WHEN",
        "THEN",
        "ELSE",
        "CASE",
        "AND",
        "NOT",
        "NULL",
        "LIKE",
        "INTERVAL",
        "DESC",
        "ASC",
        "OVER",
        "PARTITION",
    ),
)
ENDS = {"FROM", "WHERE", "GROUP", "ORDER", "HAVING", "LIMIT", "UNION", ")", ";"}
"""Words before which a comma is too many."""

SIGNS = (
    (re.compile("[\u2018\u2019\u02bc]"), "'"),
    (re.compile("[\u201c\u201d]"), '"'),
    (re.compile("[\uff08]"), "("),
    (re.compile("[\uff09]"), ")"),
    (re.compile("[\uff0c]"), ","),
    (re.compile("[\uff1d]"), "="),
    (re.compile("\u00a0"), " "),
)
"""Signs that editors and input methods put in the place of those of SQL."""


def text_mends(sql: str, error: SqlError, dialect: str) -> Iterator[TextMend]:
    """Changed texts, the likeliest first."""
    words = words_of(sql, dialect)
    if words is None:
        yield from _quotes(sql)
        return
    yield from _commas(sql, words)
    yield from _brackets(sql, words)
    yield from _keywords(sql, words)
    yield from _clause_order(sql, words)
    yield from _second_where(sql, words)
    yield from _unended_case(sql, words)
    yield from _at_the_error(sql, words, error, dialect)


def sign_mends(sql: str) -> Iterator[TextMend]:
    """Without the signs of editors and chats: typographic quotation marks, a code block. They break names and texts too."""
    if match := FENCE.match(sql):
        yield TextMend(match["sql"], say("sql_repair.fence"), 0.5)
    plain = sql
    for pattern, sign in SIGNS:
        plain = pattern.sub(sign, plain)
    if plain != sql:
        yield TextMend(plain, say("sql_repair.signs"), 0.5)


def _quotes(sql: str) -> Iterator[TextMend]:
    for quote in ("'", '"', "`"):
        if sql.count(quote) % 2:
            body = sql.rstrip().rstrip(";").rstrip()
            yield TextMend(body + quote, say("sql_repair.quote_closed", sign=code(quote)), 1)
            for match in re.finditer(re.escape(quote) + r"[^\s,()=]+(?=[\s,)])", body):
                yield TextMend(body[: match.end()] + quote + body[match.end() :], say("sql_repair.quote_closed", sign=code(quote)), 1.5)


def _cut(sql: str, *words: Word) -> str:
    for word in sorted(words, key=lambda word: -word.start):
        sql = sql[: word.start].rstrip() + " " + sql[word.end :].lstrip() if sql[word.end :].strip() else sql[: word.start].rstrip()
    return sql


def _commas(sql: str, words: list[Word]) -> Iterator[TextMend]:
    ends = [*[word.key for word in words[1:]], ";"]
    extra = [word for word, after in zip(words, ends, strict=True) if word.key == "," and (after in ENDS or after == ",")]
    extra += [after for word, after in pairwise(words) if word.key in {"SELECT", "BY", "("} and after.key == ","]
    if extra:
        yield TextMend(_cut(sql, *extra), say("sql_repair.comma_removed"), 1)


def _brackets(sql: str, words: list[Word]) -> Iterator[TextMend]:
    depth, unopened = 0, list[Word]()
    for word in words:
        depth += (word.key == "(") - (word.key == ")")
        if depth < 0:
            unopened.append(word)
            depth = 0
    if unopened:
        yield TextMend(_cut(sql, *unopened), say("sql_repair.bracket_removed"), 1)
    if depth > 0:
        body = sql.rstrip().rstrip(";").rstrip()
        yield TextMend(body + ")" * depth, say("sql_repair.bracket_closed"), 1)
        for place, word in enumerate(word for word in words if word.key in {"FROM", "WHERE", "GROUP", "ORDER", "AS", "AND", ","}):
            yield TextMend(
                sql[: word.start].rstrip() + ")" * depth + " " * (word.key != ",") + sql[word.start :],
                say("sql_repair.bracket_closed"),
                1.25 + 0.05 * place,
            )


def _keywords(sql: str, words: list[Word]) -> Iterator[TextMend]:
    names = [word for word in words if word.text.isalpha() and word.key not in KEYWORDS and len(word.text) > 2]
    for word in names:
        near = min(KEYWORDS, key=lambda keyword: _misspelling(word.key, keyword))
        if _misspelling(word.key, near) <= (1 if len(near) < 5 else 2) and len(near) > 3:
            why = say("sql_repair.keyword", old=name(word.text), new=name(near))
            yield TextMend(sql[: word.start] + near + sql[word.end :], why, 1 + _misspelling(word.key, near) / 4)
    for word, after in pairwise(words):
        if word.key in {"GROUP", "ORDER"} and after.key != "BY" and after.text.replace("_", "").isalnum():
            yield TextMend(sql[: word.end] + " BY" + sql[word.end :], say("sql_repair.by_added", keyword=name(word.key)), 1)
    if any(word.key == "==" for word in words) or "==" in sql:
        yield TextMend(sql.replace("==", "="), say("sql_repair.equals"), 1)


def _misspelling(word: str, keyword: str) -> int:
    """Letters that differ; two letters in each other's place count once."""
    if sorted(word) == sorted(keyword) and sum(a != b for a, b in zip(word, keyword, strict=True)) == 2:
        return 1
    return distance(word, keyword)


def _clause_starts(words: list[Word]) -> list[tuple[str, int]]:
    """The clauses of the outermost query with the place of their first word."""
    found, depth = list[tuple[str, int]](), 0
    for place, word in enumerate(words):
        depth += (word.key == "(") - (word.key == ")")
        pair = f"{word.key} {words[place + 1].key}" if place + 1 < len(words) else word.key
        clause = pair if pair in CLAUSES else word.key if word.key in CLAUSES else ""
        if depth == 0 and clause:
            found.append((clause, place))
    return found


def _clause_order(sql: str, words: list[Word]) -> Iterator[TextMend]:
    starts = _clause_starts(words)
    order = [CLAUSES.index(clause) for clause, _ in starts]
    if len(set(order)) < len(order) or order == sorted(order) or not order:
        return
    ends = [*[words[place].start for _, place in starts[1:]], len(sql.rstrip().rstrip(";"))]
    pieces = [(rank, sql[words[place].start : end].strip()) for rank, (_, place), end in zip(order, starts, ends, strict=True)]
    text = sql[: words[starts[0][1]].start] + " ".join(piece for _, piece in sorted(pieces))
    yield TextMend(text, say("sql_repair.clause_order"), 1)


def _second_where(sql: str, words: list[Word]) -> Iterator[TextMend]:
    wheres = [place for clause, place in _clause_starts(words) if clause == "WHERE"]
    if len(wheres) == 2:
        word = words[wheres[1]]
        yield TextMend(sql[: word.start] + "AND" + sql[word.end :], say("sql_repair.second_where"), 1)


def _unended_case(sql: str, words: list[Word]) -> Iterator[TextMend]:
    """A CASE without its END."""
    keys = [word.key for word in words]
    if keys.count("CASE") <= keys.count("END"):
        return
    for word in words[keys.index("CASE") :]:
        if word.key in {"FROM", "AS", ",", ")", "GROUP", "ORDER", "WHERE"}:
            space = "" if word.key in {",", ")"} else " "
            yield TextMend(sql[: word.start].rstrip() + " END" + space + sql[word.start :], say("sql_repair.end_added"), 1)
    yield TextMend(sql.rstrip().rstrip(";") + " END", say("sql_repair.end_added"), 1.25)


RESERVED = frozenset(
    (
        "ORDER",
        "GROUP",
        "USER",
        "TABLE",
        "INDEX",
        "KEY",
        "DESC",
        "LIMIT",
        "CHECK",
        "DEFAULT",
        "COLUMN",
        "VALUES",
        "REFERENCES",
        "UNIQUE",
        "TO",
    )
)
"""Reserved words that people use as names of columns and tables; the engine then stops at the word behind."""

QUOTES = {"mysql": "``", "spark": "``", "databricks": "``", "hive": "``", "bigquery": "``", "tsql": "[]"}
"""The quotation marks of names, where they are not those of the standard."""


def _quoted(word: str, dialect: str) -> str:
    left, right = QUOTES.get(dialect, '""')
    return f"{left}{word}{right}"


def _at_the_error(sql: str, words: list[Word], error: SqlError, dialect: str) -> Iterator[TextMend]:
    if not error.near:
        return
    first = error.near.split()[0] if error.near.split() else error.near
    for place, word in enumerate(words):
        if word.text != first:
            continue
        if word.text.replace("_", "").isalnum() and not word.text[0].isdigit():
            yield TextMend(
                sql[: word.start] + _quoted(word.text, dialect) + sql[word.end :], say("sql_repair.reserved", word=name(word.text)), 1.5
            )
        if place and words[place - 1].key in RESERVED:
            before = words[place - 1]
            why = say("sql_repair.reserved", word=name(before.text))
            yield TextMend(sql[: before.start] + _quoted(before.text, dialect) + sql[before.end :], why, 1.25)
        if place and words[place - 1].key not in {",", "(", "SELECT"}:
            end = words[place - 1].end
            yield TextMend(sql[:end] + "," + sql[end:], say("sql_repair.comma_added"), 1.75)
        yield TextMend(_cut(sql, word), say("sql_repair.word_removed", word=code(word.text)), 3)
