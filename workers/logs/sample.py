"""The log of the sample shop: ten days around its outage, from the orders of the sample source.

The payment service was away on 16 and 17 September 2025: its lines say so, checkouts end with 503, and the orders of those days failed.
On 19 September the catalogue was slow for two hours, which has nothing to do with it.
"""

import json
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import uuid4

import duckdb
import numpy as np

from workers.sources.sample import OUTAGE, make_shop

FIRST_DAY, DAYS = date(2025, 9, 12), 10
SLOW = (datetime(2025, 9, 19, 14, tzinfo=UTC), datetime(2025, 9, 19, 16, tzinfo=UTC))
_SEED = 20_250_912
_VISITS_PER_HOUR = 90
_PAGES = (("/products", 0.5), ("/search", 0.25), ("/product", 0.2), ("/account", 0.05))

_Line = tuple[datetime, str, str, str]
"""Time, application, level, text."""


def make_log(folder: Path) -> Path:
    """Write the log's file into the folder; an existing one is replaced in one go."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "shop.jsonl"
    unfinished = folder / f"shop.{uuid4().hex[:8]}"
    try:
        _write(unfinished)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
    return path


def _write(path: Path) -> None:
    rng = np.random.default_rng(_SEED)
    lines = sorted([*_visits(rng), *_orders(rng), *_stock(rng)], key=lambda line: line[0])
    with path.open("w", encoding="utf-8") as out:
        for at, app, level, text in lines:
            labels = {"app": app, "env": "prod", "host": f"node-{int(rng.integers(1, 4))}", "level": level}
            out.write(json.dumps({"ts": at.isoformat(timespec="milliseconds"), "labels": labels, "line": text}) + "\n")


def _visits(rng: np.random.Generator) -> Iterator[_Line]:
    """Pages that people look at, by the gateway."""
    for hour in range(DAYS * 24):
        start = datetime(FIRST_DAY.year, FIRST_DAY.month, FIRST_DAY.day, tzinfo=UTC) + timedelta(hours=hour)
        busy = 1.0 if 7 <= start.hour < 23 else 0.15
        for _ in range(int(rng.poisson(_VISITS_PER_HOUR * busy))):
            at = start + timedelta(milliseconds=int(rng.integers(3_600_000)))
            slow = SLOW[0] <= at < SLOW[1]
            took = int(rng.gamma(4, 500 if slow else 22)) + 5
            status = 200 if rng.random() > (0.06 if slow else 0.004) else 500
            path = _PAGES[int(np.searchsorted(np.cumsum([share for _, share in _PAGES]), rng.random()))][0]
            yield at, "gateway", "info" if status == 200 else "error", _access("GET", path, status, took)
            if slow and rng.random() < 0.4:
                yield at, "catalog", "warn", f'level=warn msg="slow query" table=products took={took}ms'


def _access(method: str, path: str, status: int, took_ms: int) -> str:
    return json.dumps({"method": method, "path": path, "status": status, "took_ms": took_ms})


def _orders(rng: np.random.Generator) -> Iterator[_Line]:
    """What the services write of each order of the shop."""
    for order, ordered_at, status, method, amount in _shop_orders():
        at = ordered_at.replace(tzinfo=UTC)
        away = OUTAGE[0] <= at.date() <= OUTAGE[1]
        failed = status == "failed"
        took = int(rng.gamma(5, 60)) + 40
        if failed and away:
            for attempt in range(1, 4):
                text = f'level=error msg="payment provider timeout" order={order} attempt={attempt} took=3000ms'
                yield at + timedelta(seconds=3 * attempt), "payment", "error", text
            took = 9_000 + took
        elif failed:
            yield at, "payment", "warn", f'level=warn msg="payment declined" order={order} method={method} took={took}ms'
        else:
            text = f'level=info msg="payment received" order={order} method={method} amount={amount:.2f} took={took}ms'
            yield at, "payment", "info", text
        code = 503 if failed and away else 402 if failed else 201
        level = "error" if code == 503 else "info"
        done = at + timedelta(milliseconds=took)
        yield done, "gateway", level, _access("POST", "/checkout", code, took)
        text = f'msg="order placed" order={order}' if code == 201 else f'msg="order failed" order={order} status={code}'
        yield done, "checkout", level, f"level={level} {text}"


def _shop_orders() -> list[tuple[int, datetime, str, str, float]]:
    last = FIRST_DAY + timedelta(days=DAYS)
    with TemporaryDirectory(prefix="bullpen-") as folder:
        path = Path(folder, "shop.duckdb")
        make_shop(path)
        with duckdb.connect(str(path), read_only=True) as connection:
            return connection.execute(
                "SELECT order_id, ordered_at, orders.status, method, amount::DOUBLE FROM orders JOIN payments USING (order_id) "
                "WHERE ordered_at >= ? AND ordered_at < ? AND channel <> 'store' ORDER BY order_id",
                [FIRST_DAY, last],
            ).fetchall()


def _stock(rng: np.random.Generator) -> Iterator[_Line]:
    """A job that runs every half hour."""
    start = datetime(FIRST_DAY.year, FIRST_DAY.month, FIRST_DAY.day, tzinfo=UTC)
    for number in range(DAYS * 48):
        at = start + timedelta(minutes=30 * number, seconds=int(rng.integers(5)))
        took = int(rng.gamma(6, 300))
        yield at, "stock", "info", f'level=info msg="stock synchronised" products={int(rng.integers(15, 18))} took={took}ms'
        if rng.random() < 0.01:
            yield at, "stock", "error", 'level=error msg="connection reset by peer" host=warehouse-1'
