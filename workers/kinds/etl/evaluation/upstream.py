"""Upstream tables: for documented models of dbt projects, which of their project's tables they read."""

import json
import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from contracts.tables import ColumnDetail, TableDetail
from workers.engines.requirements.upstream import rank_upstream, words_of

FIRST = 5
"""Tables of a ranking that are looked at."""


def measure_upstream(folder: Path) -> dict[str, float]:
    """Recall among the first five, of ours with and without the target's name, and of TF-IDF."""
    catalogues = json.loads((folder / "dbt_catalogs.json").read_text("utf-8"))
    rows = [json.loads(line) for line in (folder / "dbt_upstream.jsonl").read_text("utf-8").splitlines() if line.strip()]
    found: dict[str, list[float]] = {"upstream_at_5": [], "upstream_at_5_unnamed": [], "upstream_at_5_tfidf": []}
    for row in rows:
        tables = _tables(catalogues[row["project"]], row)
        columns = [column[0] for column in row["columns"]]
        for name, target in (("upstream_at_5", row["model"]), ("upstream_at_5_unnamed", "")):
            ranked = [table.name for table, _ in rank_upstream(target, row["requirement"], columns, tables)]
            found[name].append(_recall(ranked, row["refs"]))
        text = f"{row['requirement']} {' '.join(columns)}"
        found["upstream_at_5_tfidf"].append(_recall(_tfidf(text, tables), row["refs"]))
    return {name: round(sum(values) / max(1, len(values)), 4) for name, values in found.items()} | {"upstream_cases": len(rows)}


def _recall(ranked: Sequence[str], wanted: Sequence[str]) -> float:
    return len(set(ranked[:FIRST]) & set(wanted)) / len(set(wanted))


def _tables(catalogue: dict[str, Any], row: dict[str, Any]) -> list[TableDetail]:
    """The candidates as the data counts them (`n_candidates`): models, sources, what is documented, and what is read from packages."""
    names = dict.fromkeys([*catalogue["models"], *catalogue["src"], *catalogue["desc"], *sorted(row["refs"])])
    return [
        TableDetail(
            name=name,
            description=catalogue["desc"].get(name) or "",
            columns=tuple(ColumnDetail(name=item[0], description=item[1] or "") for item in catalogue["cols"].get(name, ())),
        )
        for name in names
        if name != row["model"]
    ]


def _tfidf(text: str, tables: Sequence[TableDetail]) -> list[str]:
    documents = [Counter(words_of(f"{t.name} {t.description} {' '.join(c.name for c in t.columns)}")) for t in tables]
    frequency = Counter(word for document in documents for word in document)
    rarity = {word: math.log((1 + len(tables)) / (1 + count)) + 1 for word, count in frequency.items()}

    def vector(words: Counter[str]) -> dict[str, float]:
        raw = {word: count * rarity.get(word, 0.0) for word, count in words.items()}
        length = math.sqrt(sum(value * value for value in raw.values())) or 1.0
        return {word: value / length for word, value in raw.items()}

    wanted = vector(Counter(words_of(text)))
    scores = [
        (sum(value * wanted.get(word, 0.0) for word, value in vector(document).items()), -place) for place, document in enumerate(documents)
    ]
    return [tables[-place].name for _, place in sorted(scores, reverse=True)]
