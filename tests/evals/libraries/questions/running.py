"""Reads all questions, runs what is answered, and compares with the right queries; scores which questions can be answered at all."""

import math
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from contracts.base import Json
from contracts.questions import Verdict
from contracts.tables import TableDetail
from tests.evals.libraries.questions.cases import Case, load_cases, load_definitions, load_tables, value_look_up
from tests.evals.libraries.questions.companies import write_companies
from tests.evals.libraries.questions.files import json_lines, write_lines
from tests.evals.libraries.questions.form import QuestionsEvaluation
from tests.evals.libraries.sql.databases import SqliteDatabase
from workers.engines.questions import Reader
from workers.engines.questions.words import key
from workers.engines.sql.build import build_sql
from workers.kinds.base import Bench, EvaluationResult

_DIGITS = 2
"""Cells are compared rounded to so many digits."""


class QuestionsReport(EvaluationResult):
    """Figures, and the outcome of every question."""

    outcomes: tuple[Json, ...]


def run_evaluation(bench: Bench, form: QuestionsEvaluation) -> QuestionsReport:
    """Measure under the form. Neither a server nor a model is used."""
    if form.data is not None:
        return measure_questions(form.data, form)
    with tempfile.TemporaryDirectory() as folder:
        write_companies(Path(folder))
        return measure_questions(Path(folder), form)


def measure_questions(data: Path, form: QuestionsEvaluation | None = None) -> QuestionsReport:
    """Precision and coverage in both languages, and the area under the curve of answerable against unanswerable questions."""
    form = form or QuestionsEvaluation(data=data)
    tables, definitions = load_tables(data), load_definitions(data)
    databases = {name: SqliteDatabase(data / "sqlite" / f"{name}.sqlite", form.now.date().isoformat()) for name in tables}
    readers = {
        name: Reader(
            found,
            form.now,
            look_up=value_look_up(data / "sqlite" / f"{name}.sqlite", found),
            definitions=definitions.get(name, ()),
        )
        for name, found in tables.items()
    }
    english, chinese = load_cases(data)
    outcomes = [
        _outcome(case, language, readers[case.database], tables[case.database], databases[case.database])
        for language, cases in (("en", english), ("zh", chinese))
        for case in cases
    ]
    for database in databases.values():
        database.close()
    figures = dict(_figures(outcomes, ""))
    if apart := {name.strip() for name in form.apart.split(",") if name.strip()}:
        figures |= dict(_figures([outcome for outcome in outcomes if outcome["database"] in apart], "_apart"))
        figures |= dict(_figures([outcome for outcome in outcomes if outcome["database"] not in apart], "_others"))
    refused = [_refused(row, readers[row["db"]]) for row in json_lines(data / "unanswerable.jsonl")]
    figures |= _answerable(outcomes, refused, english, tables)
    if form.details is not None:
        write_lines(form.details, [*outcomes, *refused])
    return QuestionsReport(figures=figures, outcomes=tuple(outcomes))


def _outcome(case: Case, language: str, reader: Reader, tables: Sequence[TableDetail], database: SqliteDatabase) -> Json:
    reading = reader.read(case.question)
    made: Json = {
        "id": case.id, "database": case.database, "language": language, "question": case.question, "verdict": reading.verdict.value,
        "answerable": round(reading.answerable, 4), "unplaced": list(reading.unplaced),
    }  # fmt: skip
    if reading.verdict != Verdict.ANSWERED:
        return made
    plan = reading.readings[0].plan
    statement = build_sql(plan, tables, "sqlite", pretty=False)
    found = database.rows(statement)
    right = [database.rows(gold) for gold in case.gold]
    is_right = not isinstance(found, str) and any(not isinstance(gold, str) and _bag(gold) == _bag(found) for gold in right)
    read = {source.table for source in plan.sources} | {item.table for item in plan.related}
    return made | {"sql": statement, "right": is_right, "reads_all_tables": case.gold_tables <= read}


def _bag(rows: Sequence[tuple[Any, ...]]) -> Counter[tuple[str, ...]]:
    """Rows without their order, cells of a row without theirs."""
    return Counter(tuple(sorted(_cell(value) for value in row)) for row in rows)


def _cell(value: Any) -> str:
    return f"{float(value):.{_DIGITS}f}" if isinstance(value, int | float) else str(value)


def _figures(outcomes: Sequence[Json], suffix: str) -> Iterator[tuple[str, float]]:
    for language in ("en", "zh"):
        own = [outcome for outcome in outcomes if outcome["language"] == language]
        answered = [outcome for outcome in own if outcome["verdict"] == Verdict.ANSWERED.value]
        right = [outcome for outcome in answered if outcome["right"]]
        name = f"{language}{suffix}"
        yield f"questions_{name}", float(len(own))
        yield f"coverage_{name}", round(len(answered) / max(1, len(own)), 4)
        yield f"precision_{name}", round(len(right) / max(1, len(answered)), 4)
        yield f"precision_all_tables_{name}", round(sum(outcome["reads_all_tables"] for outcome in right) / max(1, len(answered)), 4)
        yield f"ambiguous_{name}", float(sum(outcome["verdict"] == Verdict.AMBIGUOUS.value for outcome in own))


def _refused(row: Json, reader: Reader) -> Json:
    reading = reader.read(row["question"])
    return {
        "database": row["db"], "language": "none", "question": row["question"], "verdict": reading.verdict.value,
        "answerable": round(reading.answerable, 4), "unplaced": list(reading.unplaced),
    }  # fmt: skip


def _answerable(
    outcomes: Sequence[Json], refused: Sequence[Json], english: Sequence[Case], tables: Mapping[str, Sequence[TableDetail]]
) -> dict[str, float]:
    known = [outcome["answerable"] for outcome in outcomes if outcome["language"] == "en"]
    baseline = _TfIdf(tables)
    likeness = [baseline.likeness(case.database, case.question) for case in english]
    unlike = [baseline.likeness(row["database"], row["question"]) for row in refused]
    return {
        "unanswerable": float(len(refused)),
        "unanswerable_executed": float(sum(row["verdict"] == Verdict.ANSWERED.value for row in refused)),
        "unanswerable_auc": round(area(known, [row["answerable"] for row in refused]), 4),
        "unanswerable_auc_tfidf": round(area(likeness, unlike), 4),
    }


def area(high: Sequence[float], low: Sequence[float]) -> float:
    """The part of pairs in which the first is above the second; equal counts half."""
    wins = sum((first > second) + 0.5 * (first == second) for first in high for second in low)
    return wins / max(1, len(high) * len(low))


class _TfIdf:
    """The trivial method: the highest cosine of a question with the text of a table, words weighted by how rare they are."""

    def __init__(self, tables: Mapping[str, Sequence[TableDetail]]) -> None:
        texts = {name: [_words(_text_of(table)) for table in found] for name, found in tables.items()}
        every = [set(words) for found in texts.values() for words in found]
        self._count, self._seen = len(every), Counter(word for words in every for word in words)
        self._vectors = {name: [self._vector(words) for words in found] for name, found in texts.items()}

    def _vector(self, words: Sequence[str]) -> dict[str, float]:
        weighed = {word: number * (1 + math.log((1 + self._count) / (1 + self._seen[word]))) for word, number in Counter(words).items()}
        length = math.sqrt(sum(value * value for value in weighed.values())) or 1.0
        return {word: value / length for word, value in weighed.items()}

    def likeness(self, database: str, question: str) -> float:
        """The cosine with the nearest table."""
        asked = self._vector(_words(question))
        return max((sum(value * vector.get(word, 0.0) for word, value in asked.items()) for vector in self._vectors[database]), default=0.0)


def _text_of(table: TableDetail) -> str:
    parts = [table.name, table.description]
    parts += [f"{column.name} {column.description} {' '.join(column.values)}" for column in table.columns]
    return " ".join(parts)


def _words(text: str) -> list[str]:
    return [key(word) for word in "".join(letter if letter.isalnum() else " " for letter in text).split()]
