"""LangGraph: a graph of six no-op nodes with its Postgres saver, `durability="sync"`."""

import sys
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import Any, TypedDict

import psycopg
from langgraph.checkpoint.postgres import PostgresSaver
from langgraph.graph import END, START, StateGraph
from psycopg.rows import dict_row
from psycopg_pool import ConnectionPool

from tests.bench.drivers import Driven
from tests.bench.load import document, work
from tests.bench.measure import STAGES, Servers
from tests.bench.processes import serve


class State(TypedDict):
    """What the nodes hand on."""

    stage: str
    given: str
    text: str


def _node(name: str) -> Any:
    def node(state: State) -> State:
        work()
        return {"stage": name, "given": state["stage"], "text": document(name)}

    return node


def make_graph(saver: PostgresSaver) -> Any:
    graph: Any = StateGraph(State)
    names = [START, *(f"s{n}" for n in range(1, STAGES + 1)), END]
    for name in names[1:-1]:
        graph.add_node(name, _node(name))
    for above, below in pairwise(names):
        graph.add_edge(above, below)
    return graph.compile(checkpointer=saver)


def langgraph_saver(servers: Servers, folder: Path, *, broker: int, threads: int) -> Driven:
    """Checkpoints a job: the input, the start, and one after each node."""

    def count(url: str, tag: str) -> int:
        with psycopg.connect(url) as db:
            row = db.execute("SELECT count(*) FROM checkpoints WHERE starts_with(thread_id, %s)", [f"{tag}-"]).fetchone()
        return 0 if row is None else row[0]

    return Driven(
        "langgraph, postgres", "tests.bench.langgraph_saver", servers, folder,
        database="bench_langgraph", broker=broker, threads=threads, count=count, rows_a_job=STAGES + 2,
    )  # fmt: skip


def main(database_url: str, _broker_url: str, threads: str) -> None:
    """A driver process."""
    options = {"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row}
    pool: Any = ConnectionPool(database_url, min_size=int(threads), max_size=int(threads), kwargs=options)
    saver = PostgresSaver(pool)
    saver.setup()
    graph = make_graph(saver)
    executor = ThreadPoolExecutor(int(threads))

    def job(thread_id: str) -> float:
        started = time.perf_counter()
        given = {"stage": "input", "given": "", "text": document("input")}
        graph.invoke(given, {"configurable": {"thread_id": thread_id}}, durability="sync")
        return time.perf_counter() - started

    serve(lambda tag, jobs: list(executor.map(job, [f"{tag}-{n}" for n in range(jobs)])))


if __name__ == "__main__":
    main(*sys.argv[1:4])
