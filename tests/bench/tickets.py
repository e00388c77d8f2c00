"""How fast a history of N tickets is imported and searched: `python -m tests.bench.tickets [N]`. Starts its own Postgres."""

import argparse
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from contracts.tickets import Anomaly, Ticket
from workers.blackboard.engine import Database
from workers.blackboard.schema import migrate
from workers.llm import load_embedder
from workers.local.postgres import EmbeddedPostgres
from workers.tickets import gather_evidence, import_tickets, search_tickets

THINGS = (
    "orders",
    "invoices",
    "sessions",
    "partitions",
    "replicas",
    "indexes",
    "checkpoints",
    "locks",
    "backups",
    "vacuums",
    "pools",
    "caches",
)
SIGNS = ("slow", "blocked", "missing", "full", "lagging", "cancelled", "waiting", "bloated", "corrupt", "saturated", "skewed", "stale")
ZH_THINGS = ("订单表", "会话", "分区", "备库", "索引", "检查点", "锁", "备份", "连接池", "缓存", "日志盘", "统计信息")
ZH_SIGNS = ("变慢", "阻塞", "缺失", "写满", "延迟", "取消", "等待", "膨胀", "损坏", "饱和", "倾斜", "过期")


def synthetic(count: int, causes: int = 300, seed: int = 7) -> Iterator[tuple[int, Ticket]]:
    """Tickets in English and Chinese with causes of very unequal frequency; a third of the phenomena is worded alike."""
    chance = random.Random(seed)
    weights = [1 / (rank + 3) for rank in range(causes)]
    for number in range(1, count + 1):
        cause = chance.choices(range(causes), weights)[0]
        chinese = chance.random() < 0.5
        anomalies = tuple(_anomaly(chance, cause, chinese) for _ in range(chance.randint(2, 6)))
        thing, sign = _pick(chance, cause, chinese)
        user = chance.randint(1, 5000)
        text = (
            f"用户 {user} 报告{thing}{sign}，业务受影响"
            if chinese
            else f"Customer {user} says that the {thing} are {sign} since the release"
        )
        yield (
            number,
            Ticket(
                ticket_id=f"T-{number:06}",
                description=text,
                root_cause=f"Cause number {cause}: {THINGS[cause % 12]} {SIGNS[cause // 12 % 12]}",
                solution=f"Do what cures cause {cause}.",
                anomalies=anomalies,
            ),
        )


def _pick(chance: random.Random, cause: int, chinese: bool) -> tuple[str, str]:
    place = cause if chance.random() < 0.7 else chance.randrange(144)
    things, signs = (ZH_THINGS, ZH_SIGNS) if chinese else (THINGS, SIGNS)
    return things[place % 12], signs[place // 12 % 12]


def _anomaly(chance: random.Random, cause: int, chinese: bool) -> Anomaly:
    thing, sign = _pick(chance, cause + chance.randint(0, 3), chinese)
    value = 90 if chance.random() < 0.33 else chance.randint(1, 999)
    text = (
        f"监控显示{thing}{sign}，指标超过 {value}"
        if chinese
        else f"The monitor shows {thing} {sign}: wait_event_{cause % 40} above {value}"
    )
    method = f"metrics show --thing {thing} --sign {sign} --above {value}"
    return Anomaly(description=text, observation_method=method, why_relevant="It comes with it.")


def measure(call: Callable[[], object], rounds: int = 60) -> str:
    """Median and 95th percentile in milliseconds."""
    call()
    times: list[float] = []
    for _ in range(rounds):
        start = time.perf_counter()
        call()
        times.append((time.perf_counter() - start) * 1000)
    return f"p50 {statistics.median(times):.1f} ms, p95 {statistics.quantiles(times, n=20)[18]:.1f} ms"


def main() -> None:
    """Import, import again, search, gather evidence; with vectors and without."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", nargs="?", type=int, default=10_000)
    count = parser.parse_args().count
    with tempfile.TemporaryDirectory() as folder, EmbeddedPostgres(Path(folder) / "postgres") as server:
        db = Database(server.url)
        migrate(db)
        embedder = load_embedder("wordllama")
        tickets = list(synthetic(count))
        start = time.perf_counter()
        report = import_tickets(db, embedder, tickets)
        print(f"import    {report.imported} in {time.perf_counter() - start:.1f} s")
        start = time.perf_counter()
        report = import_tickets(db, embedder, tickets)
        print(f"again     {report.unchanged} unchanged in {time.perf_counter() - start:.1f} s")
        in_english = "Since the release the orders are slow, the replicas are lagging. Users wait."
        in_chinese = "版本上线后订单表变慢，备库延迟，用户等待"
        seen = ["The monitor shows orders slow: wait_event_0 above 90", "监控显示备库延迟，指标超过 90"]
        for name, model in (("vectors", embedder), ("words", None)):
            for language, text in (("en", in_english), ("zh", in_chinese)):
                confirmed = [card.phenomenon_id for card in gather_evidence(db, model, text).phenomena[:3]]
                print(f"{name:9} {language} search    {measure(lambda m=model, t=text: search_tickets(db, m, t))}")
                print(f"{name:9} {language} evidence  {measure(lambda m=model, t=text: gather_evidence(db, m, t))}")
                turn = measure(lambda m=model, t=text, c=confirmed: gather_evidence(db, m, t, seen, c))
                print(f"{name:9} {language} next turn {turn}")
        db.close()


if __name__ == "__main__":
    main()
