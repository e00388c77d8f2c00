"""Vectors of a server that speaks the OpenAI protocol, over real HTTP."""

import hashlib
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest
from structlog.testing import capture_logs

from contracts.tickets import Anomaly, Ticket
from workers.blackboard.engine import Database
from workers.errors import ConfigurationError, ModelAnswerUnusable, ModelUnavailable
from workers.llm import load_embedder, openai_embeddings
from workers.llm.embeddings import WordLlamaEmbedder
from workers.llm.openai_embeddings import OpenAIEmbedder
from workers.retrieval import vectors
from workers.retrieval.vectors import index_name
from workers.settings import Settings
from workers.tickets import count_history, gather_evidence, import_tickets, reindex, search_tickets

pytest.importorskip("langchain_openai")

KEY = "sk-very-secret"


class EmbeddingServer:
    """One vector a text, made from its bytes; says something else when it is told to."""

    def __init__(self) -> None:
        self.dim = 16
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.statuses: list[int] = []
        """Of the next answers; then 200."""
        self.value: Any = None
        """Stands in the place of every vector."""
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                outer.requests.append(body)
                outer.keys.append(self.headers["authorization"])
                status = outer.statuses.pop(0) if outer.statuses else 200
                answer = {"data": [outer.entry(n, text) for n, text in enumerate(body["input"])], "model": body["model"], "object": "list"}
                content = json.dumps(answer if status == 200 else {"error": {"message": f"wrong key {KEY}"}}).encode()
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_: Any) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}/v1"
        self._thread = threading.Thread(target=self.http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()

    def entry(self, number: int, text: str) -> dict[str, Any]:
        words = text.split()
        total = sum((self.word(word) for word in words), np.full(self.dim, 0.001))
        return {"object": "embedding", "index": number, "embedding": self.value if self.value is not None else total.tolist()}

    def word(self, word: str) -> Any:
        seed = int.from_bytes(hashlib.sha256(word.casefold().encode()).digest()[:4])
        return np.random.default_rng(seed).standard_normal(self.dim)

    def close(self) -> None:
        self.http.shutdown()
        self.http.server_close()
        self._thread.join()


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[EmbeddingServer]:
    monkeypatch.setattr(openai_embeddings, "_RETRIES", 1)
    running = EmbeddingServer()
    yield running
    running.close()


def embedder(server: EmbeddingServer, **more: Any) -> OpenAIEmbedder:
    return OpenAIEmbedder("Qwen/'small\" model", base_url=server.url, api_key=KEY, **more)


def ticket(ticket_id: str, description: str, *phenomena: str) -> Ticket:
    return Ticket(
        ticket_id=ticket_id,
        description=description,
        root_cause=f"cause of {ticket_id}",
        anomalies=tuple(Anomaly(description=text) for text in phenomena),
    )


HISTORY = (ticket("T-1", "orders are slow", "seq scan"), ticket("T-2", "备库 延迟", "disk full"))


def take(db: Database, model: OpenAIEmbedder | WordLlamaEmbedder) -> None:
    import_tickets(db, model, enumerate(HISTORY, start=1))


def test_the_settings_name_a_served_model(server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("EMBEDDINGS", "openai:bge-m3"), ("EMBEDDINGS_BASE_URL", server.url + "/"), ("EMBEDDINGS_API_KEY", KEY)):
        monkeypatch.setenv(f"BULLPEN_{name}", value)

    model = load_embedder(Settings())

    assert model is not None
    assert (model.model, model.dim, model.trust("查询")) == ("openai:bge-m3", 16, 1.0)
    assert server.requests == [{"input": ["ready?"], "model": "bge-m3", "encoding_format": "float"}]
    assert server.keys == [f"Bearer {KEY}"]
    assert KEY not in repr(Settings())


def test_vectors_have_length_one_and_come_in_batches(server: EmbeddingServer) -> None:
    texts = [f"text {n}" for n in range(150)] + ["", "x" * 9_000, "\ud800"]

    made = embedder(server).embed(texts, "query")

    assert made.shape == (153, 16)
    assert np.allclose(np.linalg.norm(made, axis=1), 1.0)
    assert [len(request["input"]) for request in server.requests] == [64, 64, 25]
    assert max(len(text) for request in server.requests for text in request["input"]) == 2_000
    assert all(text for request in server.requests for text in request["input"])


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_busy_server_is_asked_again(server: EmbeddingServer, status: int) -> None:
    server.statuses = [status]

    assert embedder(server).embed(["text"], "query").shape == (1, 16)


@pytest.mark.parametrize(("status", "error"), [(503, ModelUnavailable), (401, ModelAnswerUnusable), (404, ModelAnswerUnusable)])
def test_a_refusal_says_what_to_check_and_never_the_key(server: EmbeddingServer, status: int, error: type[Exception]) -> None:
    server.statuses = [status] * 5

    with pytest.raises(error, match=str(status)) as raised:
        embedder(server).embed(["text"], "query")

    assert KEY not in str(raised.value)


@pytest.mark.filterwarnings("ignore:Pydantic serializer")  # the client's own, of values that its types exclude
@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ([0.0] * 16, "has no direction"),
        ([float("nan")] * 16, "has no direction"),
        ([1e999] * 16, "has no direction"),
        ([1.0] * 15, "15 numbers where 16 were expected"),
        ([], "gave"),
        ("text", "gave"),
        ([[1.0]], "gave"),
    ],
)
def test_what_is_no_vector_is_refused(server: EmbeddingServer, value: Any, reason: str) -> None:
    server.value = value

    with pytest.raises(ModelAnswerUnusable, match=reason):
        embedder(server, dim=16).embed(["text"], "query")


@pytest.mark.parametrize("many", [False, True])
def test_a_served_model_is_searched_by_with_an_index_where_there_are_many(
    database: Database, server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch, many: bool
) -> None:
    """D7: Chinese too, when the model knows it."""
    monkeypatch.setattr(vectors, "EXACT_UP_TO", 1 if many else 10)
    model = embedder(server)
    take(database, model)

    indexes = {row["indexname"] for row in database.statement("SELECT indexname FROM pg_indexes WHERE tablename = 'embeddings'")}
    hits = search_tickets(database, model, "备库 延迟", 1)

    assert ({index_name(model.model, 16, "ticket"), index_name(model.model, 16, "phenomenon")} <= indexes) is many
    assert [(hit.ticket_id, hit.vector_rank) for hit in hits] == [("T-2", 1)]
    assert gather_evidence(database, model, "seq scan").phenomena[0].similarity == 1.0


def test_a_large_model_is_indexed_in_half_precision(database: Database, server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "EXACT_UP_TO", 1)
    server.dim = 3_072
    model = embedder(server)
    take(database, model)

    assert [hit.ticket_id for hit in search_tickets(database, model, "orders slow", 1)] == ["T-1"]


def test_switching_back_loses_nothing(database: Database, server: EmbeddingServer) -> None:
    local, served = WordLlamaEmbedder(), embedder(server)
    take(database, local)
    take(database, served)
    asked = len(server.requests)

    take(database, local)
    take(database, served)

    counts = count_history(database)
    assert (counts["vectors wordllama-256"], counts[f"vectors {served.model}"]) == (4, 4)
    assert len(server.requests) == asked + 1  # that it is ready; nothing was embedded again


def test_a_search_goes_by_words_while_the_server_is_down(database: Database, server: EmbeddingServer) -> None:
    model = embedder(server)
    take(database, model)
    server.statuses = [500] * 10

    with capture_logs() as logs:
        evidence = gather_evidence(database, model, "slow orders", ["seq scan"])
        hits = search_tickets(database, model, "slow orders", 1)

    assert evidence.tickets[0].ticket_id == "T-1"
    assert evidence.observations
    assert [(hit.ticket_id, hit.vector_rank) for hit in hits] == [("T-1", None)]
    assert [(line["event"], line["log_level"]) for line in logs] == [("searched_by_words_only", "warning")] * 2


def test_an_import_while_the_server_is_down_stores_nothing(database: Database, server: EmbeddingServer) -> None:
    server.statuses = [500] * 10

    with pytest.raises(ModelUnavailable, match="500"):
        take(database, embedder(server))

    assert count_history(database) == {"tickets": 0, "causes": 0, "phenomena": 0}


def test_a_server_that_fails_after_an_import_leaves_tickets_that_are_found_by_words(database: Database, server: EmbeddingServer) -> None:
    server.statuses = [200, 500, 500]

    take(database, embedder(server))
    hits = search_tickets(database, embedder(server), "orders are slow", 1)

    assert [(hit.ticket_id, hit.vector_rank) for hit in hits] == [("T-1", None)]


def test_a_server_that_is_not_there_is_unavailable(server: EmbeddingServer) -> None:
    model = OpenAIEmbedder("m", base_url="http://user:pass@127.0.0.1:9/v1", api_key=None)

    with pytest.raises(ModelUnavailable, match=r"http://127\.0\.0\.1:9 does not answer") as raised:
        model.embed(["text"], "query")

    assert "pass@" not in str(raised.value)


def test_another_dimension_under_the_same_name_is_refused_until_a_reindex(database: Database, server: EmbeddingServer) -> None:
    take(database, embedder(server))
    server.dim = 8
    more = ticket("T-3", "a third")

    with pytest.raises(ConfigurationError, match="have 16 numbers here, and it makes 8 now"):
        import_tickets(database, embedder(server), [(1, more)])
    words = gather_evidence(database, embedder(server), "orders slow")
    reindex(database, embedder(server))
    import_tickets(database, embedder(server), [(1, more)])

    assert words.tickets[0].ticket_id == "T-1"
    assert database.statement("SELECT DISTINCT dim FROM embeddings") == [{"dim": 8}]
    assert search_tickets(database, embedder(server), "a third", 1)[0].vector_rank == 1


@pytest.mark.parametrize("value", ["openai", "openai:", "word2vec", ""])
def test_a_setting_that_names_no_model_is_refused(value: str) -> None:
    with pytest.raises(ValueError, match="wordllama, none or openai:MODEL"):
        Settings(embeddings=value)
