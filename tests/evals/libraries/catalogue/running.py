"""Imports the tables, asks every question of the catalogue, and counts what was found."""

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from contracts.base import Json
from contracts.catalogue import NodeKind
from contracts.pointers import TablePointer
from contracts.tables import TableDetail
from tests.evals.libraries.catalogue.baseline import Ranker, by_model, by_tfidf
from tests.evals.libraries.catalogue.form import CatalogueEvaluation
from workers.catalogue import Catalogue, Form, import_path
from workers.catalogue.forms.files import read_text
from workers.errors import InvalidInput
from workers.kinds.base import Bench, EvaluationResult

Place = tuple[str, str]
"""A source and a table."""


@dataclass(frozen=True, slots=True)
class Case:
    """A question with the tables that it needs."""

    id: str
    text: str
    gold: frozenset[Place]


class CatalogueResult(EvaluationResult):
    """What was measured, and the questions of which a table was not found."""

    questions: int
    translated: int
    missed: tuple[str, ...]
    """`id: tables that were not found`."""


def run_evaluation(bench: Bench, form: CatalogueEvaluation) -> CatalogueResult:
    """Measure. Raises `InvalidInput` for files that are not of the form."""
    cases = _cases(form.questions)
    translated = _translated(form.translated, {case.id: case for case in cases}) if form.translated else []
    db = bench.empty_database("catalogue")
    import_path(db, bench.embedder, form.tables, form=Form.TABLES, embed_s=3_600)
    catalogue = Catalogue(db, bench.embedder)
    sources = sorted({source for case in cases for source, _ in case.gold})
    tables = [(source, table) for source in sources for table in catalogue.tables(source, owner=None)]
    missed: list[str] = []
    figures: dict[str, float] = {}
    baselines = _baselines(bench, tables)
    for language, asked in (("en", cases), ("zh", translated)):
        if asked:
            figures |= _measured(bench, catalogue, asked, language, form.k, missed)
            places = [(source, table.name) for source, table in tables]
            for name, rank in baselines.items():
                found = [_recall({places[number] for number in rank(case.text)[: form.k]}, case) for case in asked]
                figures[f"recall_at_{form.k}_{language}_{name}"] = round(sum(found) / len(found), 4)
    return CatalogueResult(figures=figures, questions=len(cases), translated=len(translated), missed=tuple(missed))


def _measured(bench: Bench, catalogue: Catalogue, cases: Sequence[Case], language: str, k: int, missed: list[str]) -> dict[str, float]:
    recalls: list[float] = []
    reciprocal: list[float] = []
    took: list[float] = []
    with bench.progress(f"Questions ({language})", len(cases)) as progress:
        for number, case in enumerate(cases, start=1):
            began = time.perf_counter()
            pointers = catalogue.search(case.text, owner="evaluation", kinds={NodeKind.TABLE}, limit=50)
            took.append((time.perf_counter() - began) * 1000)
            ranked = [(pointer.catalog, pointer.table) for pointer in pointers if isinstance(pointer, TablePointer)]
            recalls.append(_recall(set(ranked[:k]), case))
            first = next((place for place, found in enumerate(ranked, start=1) if found in case.gold), None)
            reciprocal.append(1 / first if first else 0.0)
            if lost := case.gold - set(ranked[:k]):
                missed.append(f"{case.id} ({language}): {', '.join('.'.join(place) for place in sorted(lost))}")
            progress(number)
    took.sort()
    return {
        f"recall_at_{k}_{language}": round(sum(recalls) / len(recalls), 4),
        f"mrr_{language}": round(sum(reciprocal) / len(reciprocal), 4),
        f"search_p50_ms_{language}": round(took[len(took) // 2], 1),
        f"search_p95_ms_{language}": round(took[int(len(took) * 0.95)], 1),
    }


def _recall(found: set[Place], case: Case) -> float:
    return len(found & case.gold) / len(case.gold)


def _baselines(bench: Bench, tables: Sequence[tuple[str, TableDetail]]) -> dict[str, Ranker]:
    texts = [
        f"{source} {table.name} {table.description} " + " ".join(f"{column.name} {column.description}" for column in table.columns)
        for source, table in tables
    ]
    found = {"tfidf": by_tfidf(texts)}
    return found if bench.embedder is None else {**found, "model": by_model(bench.embedder, texts)}


def _cases(path: Path) -> list[Case]:
    cases: list[Case] = []
    for number, row in enumerate(_rows(path), start=1):
        try:
            text = " ".join(filter(None, (row["question"], row.get("instructions") or "")))
            cases.append(Case(str(row["id"]), text, frozenset((str(row["db"]), str(table)) for table in row["gold_tables"])))
        except (KeyError, TypeError):
            raise InvalidInput(f"{path.name}, line {number}: needs id, db, question and gold_tables.") from None
    if not cases or not all(case.gold for case in cases):
        raise InvalidInput(f"{path.name} has no questions, or questions without tables.")
    return cases


def _translated(path: Path, cases: dict[str, Case]) -> list[Case]:
    found: list[Case] = []
    for row in _rows(path):
        case = cases.get(str(row.get("id")))
        if case is not None and row.get("question_zh"):
            text = " ".join(filter(None, (str(row["question_zh"]), str(row.get("instructions_zh") or ""))))
            found.append(Case(case.id, text, case.gold))
    return found


def _rows(path: Path) -> list[Json]:
    rows: list[Any] = []
    for number, line in enumerate(read_text(path).splitlines(), start=1):
        if line.strip():
            try:
                rows.append(json.loads(line))
            except ValueError:
                raise InvalidInput(f"{path.name}, line {number}: is not JSON.") from None
    if not all(isinstance(row, dict) for row in rows):
        raise InvalidInput(f"{path.name}: every line must be an object.")
    return rows
