"""The measurements of `bullpen eval logs`."""

import math
from contextlib import suppress
from pathlib import Path
from typing import Any

from contracts.base import Contract
from tests.evals.libraries.json_lines import read_lines
from tests.evals.libraries.logs.form import LogsEvaluation
from workers.engines.logql import LogEntry, check_logql, collect, parse_logql, vector_at
from workers.errors import InvalidInput
from workers.kinds.base import Bench, EvaluationResult


class LogsReport(EvaluationResult):
    """Figures, and the cases that were wrong."""

    wrong: tuple["WrongCase", ...] = ()


class WrongCase(Contract):
    """A case and what came out."""

    part: str
    id: str
    text: str


def run_evaluation(_bench: Bench, form: LogsEvaluation) -> LogsReport:
    """Measure the parts that data was given for. Raises `InvalidInput`."""
    figures: dict[str, float] = {}
    wrong: list[WrongCase] = []
    if form.queries is not None:
        figures |= _queries(form.queries, wrong)
    if form.metrics is not None:
        figures |= _metrics(form.metrics, wrong)
    if not figures:
        raise InvalidInput("Name at least one file to measure on: --queries or --metrics.")
    return LogsReport(figures=figures, wrong=tuple(wrong))


def _queries(path: Path, wrong: list[WrongCase]) -> dict[str, float]:
    """Balanced accuracy of the checker, of only its grammar, and of a check of brackets."""
    judged: list[tuple[bool, bool, bool, bool]] = []
    for case in read_lines(path):
        checked = check_logql(case["query"])
        judged.append((case["valid"], checked.is_valid, checked.query is not None, _brackets_match(case["query"])))
        if checked.is_valid is not case["valid"]:
            wrong.append(WrongCase(part="queries", id=str(case.get("id", "")), text=case["query"]))
    return {
        "queries": float(len(judged)),
        "check_balanced_accuracy": _balanced([(truth, found) for truth, found, _, _ in judged]),
        "check_balanced_accuracy_grammar": _balanced([(truth, found) for truth, _, found, _ in judged]),
        "check_balanced_accuracy_brackets": _balanced([(truth, found) for truth, _, _, found in judged]),
    }


def _balanced(pairs: list[tuple[bool, bool]]) -> float:
    shares = [
        sum(found is truth for truth, found in pairs if truth is wanted) / number
        for wanted in (True, False)
        if (number := sum(truth is wanted for truth, _ in pairs))
    ]
    return sum(shares) / len(shares) if shares else 0.0


def _brackets_match(text: str) -> bool:
    """The trivial method."""
    pairs, opened = {")": "(", "]": "[", "}": "{"}, list[str]()
    for character in text:
        if character in pairs.values():
            opened.append(character)
        elif character in pairs and (not opened or opened.pop() != pairs[character]):
            return False
    return not opened and text.count('"') % 2 == 0


def _metrics(path: Path, wrong: list[WrongCase]) -> dict[str, float]:
    """The share of queries with the right value."""
    right = number = 0
    for case in read_lines(path):
        number += 1
        if _value(case) == case["expected"] or _same(_value(case), case["expected"]):
            right += 1
        else:
            wrong.append(WrongCase(part="metrics", id=str(case.get("id", "")), text=f"{case['query']} → {_value(case)}"))
    return {"metrics": float(number), "metric_values_right": right / number if number else 0.0}


def _value(case: dict[str, Any]) -> str | None:
    unwraps = "unwrap" in case["query"]
    entries = [
        LogEntry(sample["ts"] * 10**9, {"foo": str(sample["value"])} if unwraps else {}, "x" * sample["value"])
        for sample in case["samples"]
    ]
    query = parse_logql(case["query"])
    found = vector_at(query, collect(query, entries), case["eval_at"] * 10**9)
    return repr(found[0][1]) if len(found) == 1 else None


def _same(found: str | None, expected: str) -> bool:
    if found is None:
        return False
    with suppress(ValueError):
        left, right = float(found), float(expected)
        return left == right or (math.isnan(left) and math.isnan(right))
    return False
