"""Explain: does the text mention every clause and every name of the statement, in both languages?

The structure is counted on the parsed statement, by other code than that of the explanation: queries, clauses by kind, and all names of
tables, columns and results, numbers and texts. The trivial method repeats the first SELECT list and FROM.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from sqlglot import exp, parse_one

from contracts.base import Json
from contracts.sql_explanation import ClauseKind, SqlExplanation
from contracts.tables import TableDetail
from tests.evals.libraries.sql.cases import rows_of, share, tables_of
from tests.evals.libraries.sql.measurement import Measured, Measurement
from workers.engines.sql.explain import explain, statements_of
from workers.engines.sql.trees import NotParsed
from workers.kinds.base import Bench
from workers.saying import text_of

LANGUAGES = ("en", "zh")
ENGINES = ("postgres", "sqlite")
COUNTED = (
    ("where", ClauseKind.FILTER),
    ("having", ClauseKind.HAVING),
    ("order", ClauseKind.ORDER),
    ("limit", ClauseKind.LIMIT),
    ("distinct", ClauseKind.DISTINCT),
)
"""Clauses of a query that occur at most once, and the kind of their sentence."""

NEGATION = re.compile(r"\bnot\b|\bno\b|\bnone\b|\bis false\b")
WORD = re.compile(r"[^\W_]\w*")


def measure_explaining(bench: Bench, data: Path) -> Measured:
    """The share of gold statements whose explanation leaves nothing out."""
    questions, tables = rows_of(data, "nl2sql/questions.jsonl"), tables_of(data)
    details = [
        _outcome(question["id"], engine, question[f"gold_{engine}"][0], tables.get(question.get("db") or question.get("db_name") or "", []))
        for question in questions
        for engine in ENGINES
    ]
    total = len(details)
    figures = {
        "explain_clauses_mentioned": share(sum(not row["missing_clauses"] for row in details), total),
        "explain_names_mentioned": share(sum(not row["missing_names"] for row in details), total),
        "explain_complete": share(sum(not row["missing_clauses"] and not row["missing_names"] for row in details), total),
        "explain_complete_select_and_from": share(sum(row["is_trivial_complete"] for row in details), total),
        "explain_as_code": share(sum(row["code"] > 0 for row in details), total),
    }
    missed = tuple(f"{row['id']}/{row['engine']}" for row in details if row["missing_clauses"] or row["missing_names"])
    return Measured(figures, {"explain": total}, {"explain_complete": missed})


def _outcome(case_id: str, engine: str, sql: str, tables: Sequence[TableDetail]) -> Json:
    tree = parse_one(sql, read=engine)
    try:
        explanation = explain(sql, engine, tables)
    except NotParsed:
        return {
            "id": case_id,
            "engine": engine,
            "missing_clauses": ["all"],
            "missing_names": ["all"],
            "is_trivial_complete": False,
            "code": 0,
        }
    texts = {language: "\n".join(text_of(line, language) for line in statements_of(explanation)) for language in LANGUAGES}
    names = sorted(set(_names(tree)))
    missing = [f"{language}:{word}" for language, text in texts.items() for word in names if word.lower() not in _words(text)]
    first = tree.find(exp.Select)
    trivial = " ".join(item.sql() for item in [*first.selects, first.args.get("from_")] if item is not None) if first is not None else ""
    return {
        "id": case_id,
        "engine": engine,
        "missing_clauses": missing_clauses(tree, explanation) + missing_negations(tree, texts["en"]),
        "missing_names": missing,
        "is_trivial_complete": all(word.lower() in _words(trivial) for word in names),
        "code": texts["en"].count("`") // 2,
        "text": texts["en"],
        "sql": sql,
    }


def _words(text: str) -> set[str]:
    return {word.lower() for word in WORD.findall(text)} | {word.lower() for word in re.findall(r"\d+", text)}


def _names(tree: exp.Expr) -> Iterator[str]:
    """What a text must mention: tables, columns, names of results, numbers, and the words of texts."""
    for node in tree.walk():
        if isinstance(node, exp.Table) or (isinstance(node, exp.Column) and not isinstance(node.this, exp.Star)):
            yield node.name
        elif isinstance(node, exp.Alias):
            yield node.alias
        elif isinstance(node, exp.Literal) and not _is_date_talk(node):
            yield from WORD.findall(node.name)


def _is_date_talk(node: exp.Literal) -> bool:
    """Formats, modifiers and units of dates, ones and zeros of counting, places in lists: said in words, not as they are written."""
    around = node.find_ancestor(exp.Interval, exp.Anonymous, exp.TimeToStr, exp.Date, exp.Case, exp.Group, exp.Ordered, exp.Mod, exp.Select)
    if not isinstance(around, exp.Select):
        return True
    return not node.is_string and node.name in {"0", "1"}


def missing_clauses(tree: exp.Expr, explanation: SqlExplanation) -> list[str]:
    """The clauses of a statement without a sentence."""
    found = Counter(clause.kind for query in explanation.queries for clause in query.clauses)
    wanted = Counter[ClauseKind]()
    for select in tree.find_all(exp.Select):
        wanted[ClauseKind.RESULT] += 1
        wanted[ClauseKind.SOURCE] += select.args.get("from_") is not None
        wanted[ClauseKind.JOIN] += len(select.args.get("joins") or [])
        wanted[ClauseKind.GRAIN] += 1
    for query in tree.find_all(exp.Select, exp.SetOperation):
        for key, kind in COUNTED:
            is_set_distinct = isinstance(query, exp.SetOperation) and key == "distinct"
            wanted[kind] += query.args.get(key) is not None and not is_set_distinct
    return [f"{kind}: {found[kind]} of {number}" for kind, number in wanted.items() if found[kind] < number]


def missing_negations(tree: exp.Expr, text: str) -> list[str]:
    """`NOT` and `IS NOT NULL` without a word for it in English."""
    wanted = sum(isinstance(node, exp.Not | exp.NEQ) or bool(node.args.get("negate")) for node in tree.walk())
    found = len(NEGATION.findall(text))
    return [f"negation: {found} of {wanted}"] if found < wanted else []


EXPLAIN = Measurement("explain", "nl2sql/questions.jsonl", measure_explaining)
