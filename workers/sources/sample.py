"""The sample source: a small shop in DuckDB, two years of it, made by a generator that always makes the same.

What is in the data, for charts to show: orders grow over the two years; November and December are strong, Sundays weak; the payment
service was away for two days in September 2025, so that orders failed; prices rose by 8 % in March 2026, and fewer orders came
for a month; since July 2026 shoes are returned twice as often.
"""

import csv
from collections.abc import Iterable, Sequence
from datetime import date, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import uuid4

import duckdb
import numpy as np

FIRST_DAY, DAYS = date(2024, 11, 1), 730
OUTAGE = (date(2025, 9, 16), date(2025, 9, 17))
PRICE_CHANGE = date(2026, 3, 2)
RETURNS_RISE = date(2026, 7, 1)
_SEED = 20_241_101

_CATEGORIES: dict[str, tuple[tuple[str, float], ...]] = {
    "shoes": (("Trail Runner", 119.0), ("City Sneaker", 89.0), ("Hiking Boot", 159.0), ("Sandal", 49.0)),
    "clothing": (("Rain Jacket", 139.0), ("Wool Shirt", 69.0), ("Shorts", 39.0), ("Fleece", 79.0), ("Socks", 12.0)),
    "camping": (("Tent", 299.0), ("Sleeping Bag", 149.0), ("Camp Stove", 59.0), ("Headlamp", 35.0)),
    "accessories": (("Backpack", 99.0), ("Water Bottle", 19.0), ("Trekking Poles", 75.0), ("Cap", 22.0)),
}
_REGIONS = (("north", 0.34), ("south", 0.28), ("east", 0.21), ("west", 0.17))
_CHANNELS = (("web", 0.58), ("app", 0.32), ("store", 0.10))
_METHODS = (("card", 0.62), ("paypal", 0.24), ("invoice", 0.14))
_SEASON = (0.85, 0.85, 0.95, 1.0, 1.08, 1.1, 1.05, 0.95, 0.98, 1.0, 1.3, 1.5)
_WEEKDAY = (1.05, 1.0, 1.0, 1.02, 1.1, 1.05, 0.78)
_FIRST_NAMES = (
    "Ada",
    "Ben",
    "Chen",
    "Dora",
    "Emil",
    "Fatima",
    "Goran",
    "Hana",
    "Ivan",
    "Jun",
    "Kira",
    "Liang",
    "Mona",
    "Nils",
    "Olga",
    "Pia",
)
_LAST_NAMES = ("Adler", "Bauer", "Costa", "Diaz", "Engel", "Fischer", "Gao", "Haas", "Ito", "Jansen", "Kovac", "Lin", "Meyer", "Novak")

_TABLES = """
CREATE TABLE customers (customer_id INTEGER PRIMARY KEY, name VARCHAR NOT NULL, email VARCHAR NOT NULL, region VARCHAR NOT NULL, signed_up DATE NOT NULL);
CREATE TABLE products (product_id INTEGER PRIMARY KEY, name VARCHAR NOT NULL, category VARCHAR NOT NULL, price DECIMAL(10, 2) NOT NULL, cost DECIMAL(10, 2) NOT NULL);
CREATE TABLE orders (order_id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customers, ordered_at TIMESTAMP NOT NULL, channel VARCHAR NOT NULL, status VARCHAR NOT NULL);
CREATE TABLE order_items (order_id INTEGER NOT NULL REFERENCES orders, line INTEGER NOT NULL, product_id INTEGER NOT NULL REFERENCES products, quantity INTEGER NOT NULL, unit_price DECIMAL(10, 2) NOT NULL, PRIMARY KEY (order_id, line));
CREATE TABLE payments (payment_id INTEGER PRIMARY KEY, order_id INTEGER NOT NULL REFERENCES orders, paid_at TIMESTAMP, method VARCHAR NOT NULL, amount DECIMAL(12, 2) NOT NULL, status VARCHAR NOT NULL);
CREATE TABLE returns (return_id INTEGER PRIMARY KEY, order_id INTEGER NOT NULL, line INTEGER NOT NULL, returned_at TIMESTAMP NOT NULL, reason VARCHAR NOT NULL, refund DECIMAL(10, 2) NOT NULL);
"""  # noqa: E501 a table a line

_COMMENTS = {
    "customers": "People who have an account in the shop; one row a customer",
    "customers.region": "Sales region of the customer's address: north, south, east, west",
    "customers.signed_up": "Day on which the account was made",
    "customers.email": "Address for mails; personal data",
    "products": "What the shop sells; price and cost as of today",
    "products.category": "shoes, clothing, camping or accessories",
    "products.price": "Price today in euros, value added tax included; what was paid is order_items.unit_price",
    "products.cost": "What the shop pays for a piece, in euros",
    "orders": "Orders, paid or not; one row an order",
    "orders.ordered_at": "Local time of the order",
    "orders.channel": "web, app or store",
    "orders.status": "completed, or failed when the payment did not go through",
    "order_items": "The lines of the orders; revenue is the sum of quantity * unit_price over completed orders",
    "order_items.unit_price": "Price of a piece at the time of the order, in euros",
    "payments": "Attempts to pay; one row an order",
    "payments.amount": "Sum of the order in euros",
    "payments.paid_at": "When the money was received; empty for a failed payment",
    "payments.status": "received or failed",
    "returns": "Lines of orders that came back; one row a line",
    "returns.reason": "size, damaged, late or changed_mind",
    "returns.refund": "What was paid back, in euros",
}


def make_shop(path: Path) -> None:
    """Write the shop's database file; an existing one is replaced in one go."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f"{path.name}.{uuid4().hex[:8]}")
    try:
        _write(unfinished)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def _write(path: Path) -> None:
    with TemporaryDirectory(prefix="bullpen-") as folder, duckdb.connect(str(path)) as connection:
        connection.execute(_TABLES)
        for name, rows in _rows().items():
            file = Path(folder, f"{name}.csv")
            with file.open("w", newline="", encoding="utf-8") as out:
                csv.writer(out).writerows(rows)
            connection.execute(f"COPY {name} FROM '{file.as_posix()}' (HEADER false, NULLSTR '')")
        for name, comment in _COMMENTS.items():
            place = "COLUMN" if "." in name else "TABLE"
            connection.execute(f"COMMENT ON {place} {name} IS '{comment.replace(chr(39), chr(39) * 2)}'")


def _rows() -> dict[str, Iterable[Sequence[Any]]]:
    rng = np.random.default_rng(_SEED)
    products = [
        (number, name, category, round(price * 1.08, 2), round(price * 0.55, 2))
        for number, (category, name, price) in enumerate(
            ((category, name, price) for category, items in _CATEGORIES.items() for name, price in items), start=1
        )
    ]
    customers = _customers(rng, 2_400)
    shop = _Shop(rng, products, customers)
    for day in range(DAYS):
        shop.trade(FIRST_DAY + timedelta(days=day), day)
    return {
        "customers": customers, "products": products, "orders": shop.orders, "order_items": shop.items, "payments": shop.payments,
        "returns": shop.returns,
    }  # fmt: skip


def _customers(rng: np.random.Generator, number: int) -> list[tuple[Any, ...]]:
    """Half of them were there before the first day."""
    made: list[tuple[Any, ...]] = []
    for customer in range(1, number + 1):
        first, last = _FIRST_NAMES[rng.integers(len(_FIRST_NAMES))], _LAST_NAMES[rng.integers(len(_LAST_NAMES))]
        day = max(0, int((customer - number / 2) / (number / 2) * (DAYS - 30)))
        signed_up = FIRST_DAY + timedelta(days=day - (int(rng.integers(1, 700)) if customer <= number / 2 else 0))
        made.append((customer, f"{first} {last}", f"{first}.{last}{customer}@example.com".lower(), _pick(rng, _REGIONS), signed_up))
    return made


def _pick(rng: np.random.Generator, shares: tuple[tuple[str, float], ...]) -> str:
    point = float(rng.random())
    for name, share in shares:
        point -= share
        if point < 0:
            return name
    return shares[-1][0]


class _Shop:
    """Two years of trade, day by day."""

    def __init__(self, rng: np.random.Generator, products: list[tuple[Any, ...]], customers: list[tuple[Any, ...]]) -> None:
        self._rng, self._products = rng, products
        self._signed_up = [customer[4] for customer in customers]
        self.orders: list[tuple[Any, ...]] = []
        self.items: list[tuple[Any, ...]] = []
        self.payments: list[tuple[Any, ...]] = []
        self.returns: list[tuple[Any, ...]] = []

    def trade(self, day: date, number: int) -> None:
        """The orders of one day."""
        expected = 18 * (1 + 0.6 * number / DAYS) * _SEASON[day.month - 1] * _WEEKDAY[day.weekday()]
        if PRICE_CHANGE <= day < PRICE_CHANGE + timedelta(days=30):
            expected *= 0.8
        known = sum(signed_up <= day for signed_up in self._signed_up)
        for _ in range(int(self._rng.poisson(expected))):
            self._order(day, known)

    def _order(self, day: date, known: int) -> None:
        rng, order = self._rng, len(self.orders) + 1
        at = datetime(day.year, day.month, day.day, int(rng.integers(7, 23)), int(rng.integers(60)), int(rng.integers(60)))  # noqa: DTZ001 local time
        failed = float(rng.random()) < (0.97 if OUTAGE[0] <= day <= OUTAGE[1] else 0.02)
        customer = 1 + int(known * float(rng.random()) ** 1.6)
        self.orders.append((order, customer, at, _pick(rng, _CHANNELS), "failed" if failed else "completed"))
        amount = 0.0
        for line in range(1, 1 + int(min(1 + rng.poisson(0.9), 6))):
            amount += self._line(order, line, at, failed)
        self.payments.append(
            (order, order, "" if failed else at + timedelta(minutes=int(rng.integers(1, 30))), _pick(rng, _METHODS), round(amount, 2),
             "failed" if failed else "received")
        )  # fmt: skip

    def _line(self, order: int, line: int, at: datetime, failed: bool) -> float:
        rng = self._rng
        product = self._products[int(rng.integers(len(self._products)))]
        price = product[3] if at.date() >= PRICE_CHANGE else round(product[3] / 1.08, 2)
        quantity = 1 + int(rng.poisson(0.3))
        self.items.append((order, line, product[0], quantity, price))
        share = 0.06 * (2 if product[2] == "shoes" and at.date() >= RETURNS_RISE else 1)
        if not failed and float(rng.random()) < share:
            back = at + timedelta(days=int(rng.integers(2, 25)))
            reason = (
                "size"
                if product[2] in ("shoes", "clothing") and rng.random() < 0.7
                else ("damaged", "late", "changed_mind")[rng.integers(3)]
            )
            self.returns.append((len(self.returns) + 1, order, line, back, reason, round(price * quantity, 2)))
        return price * quantity
