"""Questions in words against the queries that are meant, part by part, with the trivial method beside each."""

import hashlib
import re
from collections import defaultdict
from datetime import UTC, datetime
from typing import Any

from contracts.log_questions import LogReading, LogVocabulary
from contracts.logs import LogQuery
from workers.engines.logql import LogEntry, check_query, duration_ns, parse_logql
from workers.engines.logql.asking import read_log_question
from workers.engines.logql.asking.learning import learn_vocabulary
from workers.engines.logql.walk import log_queries, range_aggregations

NOW = datetime(2026, 1, 15, 12, tzinfo=UTC)
"""When the questions are asked; no figure depends on it."""

CORE = ("application", "kind", "function", "range", "grouped", "parsed", "filters")
"""The parts of the mean."""

_COUNTED = re.compile(r"how many|number of|count|average|total|top \d|most|maximum|percentage|distribution", re.IGNORECASE)
_LAST = re.compile(r"(?:last|past)\s+(\d+)?\s*(minute|hour|day|week|month)s?", re.IGNORECASE)
_UNITS = {"minute": "m", "hour": "h", "day": "d", "week": "w"}


def measure_questions(cases: list[dict[str, Any]], labels: dict[str, list[str]]) -> dict[str, float]:
    """The share of questions of which each part is right: of all, and of the two halves by a hash of the id."""
    vocabulary = LogVocabulary(labels={label: tuple(values) for label, values in labels.items()})
    parts: defaultdict[str, list[bool]] = defaultdict(list)
    halves: tuple[defaultdict[str, list[bool]], defaultdict[str, list[bool]]] = (defaultdict(list), defaultdict(list))
    valid = 0
    for case in cases:
        reading = read_log_question(case["question"], vocabulary, NOW)
        valid += reading.query is None or not check_query(reading.query)
        half = halves[int(hashlib.sha256(str(case["id"]).encode()).hexdigest(), 16) % 2]
        for name, right in (_parts(case, reading) | _trivial(case, labels)).items():
            parts[name].append(right)
            half[name].append(right)
    figures = {"questions": float(len(cases)), "questions_valid": valid / len(cases) if cases else 0.0}
    figures |= {f"question_{name}": sum(found) / len(found) for name, found in sorted(parts.items())}
    for name, found in (("", parts), ("_first_half", halves[0]), ("_second_half", halves[1])):
        if found:
            figures[f"question_parts{name}"] = sum(sum(found[part]) / len(found[part]) for part in CORE) / len(CORE)
    return figures


def _parts(case: dict[str, Any], reading: LogReading) -> dict[str, bool]:
    gold = case["parts"]
    wanted = {tuple(matcher) for matcher in gold["matchers"]}
    found = {(matcher.label, matcher.op.value, matcher.value) for matcher in reading.matchers}
    named = {matcher for matcher in wanted if matcher[2].lower() in case["question"].lower()}
    texts = " ".join(_plain(text) for _, text in gold["line_filters"])
    ours = [_plain(sought.text.replace("\\b", "")) for line_filter in reading.filters for sought in line_filter.sought]
    return {
        "application": _of(wanted, "application") == _of(found, "application"),
        "matchers": wanted == found,
        "matchers_named": named <= found <= wanted,
        "kind": (case["kind"] == "metric") is reading.is_metric,
        "function": gold["range_functions"][:1] == ([reading.function] if reading.function else []),
        "range": [duration_ns(text) for text in gold["ranges"][:1]] == ([reading.range_ns] if reading.range_ns else []),
        "grouped": bool(gold["group_by"]) is bool(reading.group_by),
        "parsed": bool(gold["parsers"]) is bool(reading.parsers),
        "filters": all(text in texts for text in ours) and bool(ours) is bool(texts),
        "filters_sound": all(text in texts for text in ours),
    }


def _trivial(case: dict[str, Any], labels: dict[str, list[str]]) -> dict[str, bool]:
    """The application by its name, the kind by keywords, the range by a pattern; counted, not grouped, not parsed, not filtered."""
    question, gold = case["question"], case["parts"]
    names = [value for value in labels.get("application", []) if value in question]
    is_metric = _COUNTED.search(question) is not None
    span = _LAST.search(question)
    length: int | None = None
    if span is not None:
        unit = span[2].lower()
        length = duration_ns("30d" if unit == "month" else f"{span[1] or 1}{_UNITS[unit]}")
    return {
        "application_trivial": _of({tuple(matcher) for matcher in gold["matchers"]}, "application") == max(names, key=len, default=None),
        "kind_trivial": (case["kind"] == "metric") is is_metric,
        "function_trivial": gold["range_functions"][:1] == (["count_over_time"] if is_metric else []),
        "range_trivial": [duration_ns(text) for text in gold["ranges"][:1]] == ([length] if length is not None else []),
        "grouped_trivial": not gold["group_by"],
        "parsed_trivial": not gold["parsers"],
        "filters_trivial": not gold["line_filters"],
    }


def _of(matchers: set[Any], label: str) -> str | None:
    return next((value for name, _, value in matchers if name == label), None)


def _plain(text: str) -> str:
    """The text of a regular expression without its escapes."""
    return re.sub(r"\\(.)", r"\1", text).lower()


def measure_dialogues(cases: list[dict[str, Any]], lines: list[dict[str, Any]]) -> dict[str, float]:
    """The share of log turns with the label matchers, filters, range function, range and grouping that are meant, and the time."""
    vocabulary = learn_vocabulary(_entry(line) for line in lines)
    right = turns = asked_back = to_ask = 0
    for case in cases:
        before: LogReading | None = None
        if not case.get("logs"):
            continue
        for turn in case["turns"]:
            before = read_log_question(turn["user"], vocabulary, NOW, before)
            wanted = turn["expect"].get("log")
            if wanted is not None:
                turns += 1
                right += _is_meant(before, wanted)
            elif turn["expect"].get("ends_with") == "question":
                to_ask += 1
                asked_back += bool(before.missing)
    return {
        "dialogue_log_turns": float(turns),
        "dialogue_log_turns_right": right / turns if turns else 0.0,
        "dialogue_asked_back": asked_back / to_ask if to_ask else 0.0,
    }


def _entry(line: dict[str, Any]) -> LogEntry:
    return LogEntry(round(datetime.fromisoformat(line["ts"]).timestamp() * 1e9), line["labels"], line["line"])


def _is_meant(reading: LogReading, wanted: dict[str, Any]) -> bool:
    if reading.query is None or reading.start is None or reading.end is None:
        return False
    gold = parse_logql(wanted["logql"])
    times = tuple(datetime.fromisoformat(wanted[name]) for name in ("start", "end"))
    return _shape(reading.query) == _shape(gold) and (reading.start, reading.end) == times


def _shape(query: Any) -> Any:
    """What counts of a query: the order of matchers does not."""
    logs = [(frozenset(log.matchers), log.stages) for log in log_queries(query)]
    ranges = [(part.function, part.range_ns) for part in range_aggregations(query)]
    grouping = getattr(query, "grouping", None)
    return isinstance(query, LogQuery), logs, ranges, frozenset(grouping.labels) if grouping is not None else frozenset[str]()
