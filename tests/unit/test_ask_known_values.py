"""Texts of a statement against the values of their own columns."""

import pytest

from contracts.questions import UsedDefinition
from contracts.tables import ColumnDetail, TableDetail
from workers.kinds.ask.work.defined import Expected, Needs, objection_of
from workers.kinds.ask.work.known_values import with_known_values


def table(name: str, *values: str) -> TableDetail:
    return TableDetail(name=name, columns=(ColumnDetail(name="status", type="TEXT", values=values, distinct=len(values)),))


ORDERS, TICKETS, BOTH = table("orders", "Paid", "OPEN"), table("tickets", "Open", "Closed"), table("both", "Paid", "PAID", "Open")


@pytest.mark.parametrize(
    ("sql", "corrected"),
    [
        ("SELECT COUNT(*) FROM orders WHERE status = 'paid'", "SELECT COUNT(*) FROM orders WHERE status = 'Paid'"),
        ("SELECT COUNT(*) FROM tickets WHERE status = 'OPEN'", "SELECT COUNT(*) FROM tickets WHERE status = 'Open'"),
        (
            "WITH t AS (SELECT status FROM orders) SELECT 1 FROM t WHERE status = 'paid'",
            "WITH t AS (SELECT status FROM orders) SELECT 1 FROM t WHERE status = 'Paid'",
        ),
        ("WITH t AS (SELECT LOWER(status) AS status FROM orders) SELECT 1 FROM t WHERE status = 'paid'", ""),
        ("SELECT COUNT(*) FROM both WHERE LOWER(status) = 'paid'", ""),
    ],
)
def test_a_text_is_spelled_as_its_own_column_has_it(sql: str, corrected: str) -> None:
    assert with_known_values(sql, "postgres", (ORDERS, TICKETS, BOTH)) == (corrected or sql, [])


@pytest.mark.parametrize(("name", "value", "known"), [("both", "paid", ("PAID", "Paid")), ("tickets", "Paid", ("Closed", "Open"))])
def test_a_text_that_its_column_does_not_have_is_an_objection(name: str, value: str, known: tuple[str, ...]) -> None:
    sql = f"SELECT COUNT(*) FROM {name} WHERE status = '{value}'"  # noqa: S608 parsed only

    made, unknown = with_known_values(sql, "postgres", (ORDERS, TICKETS, BOTH))

    assert (made, [each.known for each in unknown]) == (sql, [known])


@pytest.mark.parametrize(
    ("sql", "is_held"),
    [
        ("SELECT SUM(amount) FROM orders WHERE status = 'completed'", True),
        ("SELECT SUM(amount) FILTER (WHERE status IN ('completed')) FROM orders", True),
        ("SELECT SUM(CASE WHEN status <> 'completed' THEN 0 ELSE amount END) FROM orders", True),
        ("SELECT SUM(amount) FROM orders WHERE NOT status <> 'completed'", True),
        ("SELECT SUM(amount) FROM orders WHERE status <> 'completed'", False),
        ("SELECT SUM(amount) FROM orders WHERE status NOT IN ('completed')", False),
        ("SELECT SUM(amount), 'completed' AS label, MAX(status) FROM orders", False),
    ],
)
def test_a_definition_s_value_has_to_be_the_one_that_counts(sql: str, is_held: bool) -> None:
    needs = Needs(columns=(frozenset({"amount"}), frozenset({"status"})), values=(frozenset({"completed"}),))
    used = UsedDefinition(name="revenue", text="sum of orders.amount with status completed", place="p")

    assert (objection_of(sql, "postgres", [Expected(used, (needs,))]) is None) is is_held
