"""A word with definitions: what is asked about, which columns are another thing, and what an answer rests on."""

from datetime import datetime

import pytest

from contracts.questions import QuestionReading, Verdict
from contracts.tables import ColumnDetail, TableDetail
from tests.support.said import said
from workers.engines.definitions.definition import Definition, digest_of
from workers.engines.questions import Reader

ORDERS = TableDetail(
    name="orders", schema_name="main", rows=4, primary_key=("order_id",),
    columns=(
        ColumnDetail(name="order_id", type="integer", distinct=4), ColumnDetail(name="city", type="varchar", values=("Ulm", "Bonn")),
        ColumnDetail(name="status", type="varchar", values=("delivered", "open"), distinct=2), ColumnDetail(name="amount", type="integer"),
        ColumnDetail(name="turnover", type="integer"), ColumnDetail(name="is_test", type="boolean"),
    ),
)  # fmt: skip
GROSS = Definition("turnover", formula="sum of orders.amount")
NET = Definition("turnover", formula="sum of amount over delivered orders")
DESCRIBED = Definition("turnover", ("销售额",), "sum of orders.amount", description="Only delivered orders count", place="shop.turnover")


def read(question: str, *definitions: Definition | str) -> QuestionReading:
    return Reader((ORDERS,), datetime(2026, 11, 21), definitions=definitions).read(question)  # noqa: DTZ001  local time of the source


def statuses(reading: QuestionReading) -> list[list[str]]:
    """The conditions on rows of each reading."""
    return [[f"{item.column} {item.operator} {','.join(item.values)}".strip() for item in each.plan.filters] for each in reading.readings]


def test_a_description_beside_a_formula_gives_the_values_that_it_names_to_choose_from() -> None:
    found = read("turnover per city", DESCRIBED)

    assert found.verdict is Verdict.AMBIGUOUS
    assert found.open_word is not None
    assert [meaning.text for meaning in found.open_word.meanings] == [
        "sum of orders.amount with orders.status 'delivered'",
        "sum of orders.amount with orders.status not 'delivered'",
        "sum of orders.amount",
    ]
    assert found.open_word.says == ("Only delivered orders count",)
    assert statuses(found) == [["orders.status equal delivered"], ["orders.status not_equal delivered"], []]
    assert "Only delivered orders count" in said(found.remarks[0])


@pytest.mark.parametrize("description", ["The sum of the amounts of all orders", "Sum of amount", "", "turnover"])
def test_a_description_that_has_no_further_word_asks_nothing(description: str) -> None:
    found = read("turnover per city", Definition("turnover", formula="sum of orders.amount", description=description))

    assert found.verdict is Verdict.ANSWERED
    assert found.open_word is None


@pytest.mark.parametrize(
    "description",
    ["Net of refunds", "Delivered ones", "without open orders", "Only what is paid", "只算已付款的", "Money of the last year"],
)
def test_a_description_with_a_further_word_is_asked_about(description: str) -> None:
    assert read("turnover per city", Definition("turnover", formula="sum of amount", description=description)).open_word is not None


@pytest.mark.parametrize("restriction", ["with status 'delivered'", "with orders.status 'delivered' with not is_test", "none"])
def test_who_states_a_restriction_has_said_all_of_it(restriction: str) -> None:
    glossary = Definition("turnover", description="The money of orders that were delivered, without test orders")
    found = read("turnover per city", Definition("turnover", formula="sum of amount", restriction=restriction), glossary)

    assert found.verdict is Verdict.ANSWERED
    assert [condition.split()[0] for condition in statuses(found)[0]] == [
        f"orders.{column}" for column in ("status", "is_test") if column in restriction
    ]


def test_a_restriction_holds_for_both_parts_of_a_quotient() -> None:
    found = read("aov per city", Definition("aov", formula="sum of amount / number of orders", restriction="with status 'delivered'"))

    (shown,) = [item for item in found.readings[0].plan.selected if item.other is not None]
    assert [[(item.column, item.values) for item in part.where] for part in (shown.value, shown.other) if part] == [
        [("orders.status", ("delivered",))], [("orders.status", ("delivered",))],
    ]  # fmt: skip


@pytest.mark.parametrize("definitions", [(GROSS, NET), (NET, GROSS)])
def test_definitions_that_differ_are_asked_about_in_their_order(definitions: tuple[Definition, ...]) -> None:
    found = read("turnover per city", *definitions)

    assert found.open_word is not None
    assert found.open_word.differs
    assert [meaning.formula for meaning in found.open_word.meanings] == [each.formula for each in definitions]
    assert digest_of(definitions) == digest_of(definitions[::-1])


def test_the_same_figure_in_other_words_is_no_other_definition() -> None:
    other = Definition("turnover", formula="total orders.amount")

    assert read("turnover per city", GROSS, other).verdict is Verdict.ANSWERED


def test_a_word_inside_of_another_words_formula_is_asked_about_as_well() -> None:
    found = read("aov per city", Definition("aov", formula="turnover / number of orders"), DESCRIBED)

    assert found.open_word is not None
    assert found.open_word.name == "turnover"
    assert [used.name for used in found.readings[0].definitions] == ["aov", "turnover"]


def test_what_the_conversation_says_counts_before_all_others() -> None:
    found = read("turnover per city", "turnover = highest amount", GROSS, NET)

    assert found.verdict is Verdict.ANSWERED
    assert found.readings[0].definitions[0].text == "highest amount"


def test_the_reading_says_which_definition_it_used() -> None:
    (used,) = (
        read("turnover per city", Definition("turnover", formula="sum of amount", unit="EUR", place="shop.turnover"))
        .readings[0]
        .definitions
    )

    assert (used.name, used.text, used.place) == ("turnover", "sum of amount", "shop.turnover")


@pytest.mark.parametrize(
    "question", ["turnover per city", "top 3 cities by turnover", "average turnover per city", "orders with turnover above 3"]
)
def test_a_column_of_a_like_name_never_answers_a_defined_word(question: str) -> None:
    found = read(question, NET)

    assert all("orders.turnover" not in reading.plan.model_dump_json() for reading in found.readings)


@pytest.mark.parametrize("restriction", ["", "wibble"])
def test_nor_does_it_where_the_formula_is_not_read(restriction: str) -> None:
    formula = "sum of amount" if restriction else "whatever the books say"
    found = read("turnover per city", Definition("turnover", formula=formula, restriction=restriction))

    assert not found.readings
    assert said(found.remarks[0]).startswith("turnover is defined as")


def test_the_average_of_a_column_that_a_definition_adds_up_is_asked_for_by_its_name() -> None:
    amount = Definition("amount", formula="sum of amount", restriction="with status 'delivered'")

    assert statuses(read("amount per city", amount)) == [["orders.status equal delivered"]]
    assert statuses(read("average amount per city", amount)) == [[]]


@pytest.mark.parametrize(
    ("restriction", "computed"),
    [
        ("with status 'S'", "sum of net with status 'S'"),
        ("status = 'S'", "sum of net, where status = 'S'"),
        ("excluding cancelled ones", "sum of net excluding cancelled ones"),
    ],
)
def test_a_formula_and_its_restriction_are_one_sentence(restriction: str, computed: str) -> None:
    assert Definition("dues", formula="sum of net", restriction=restriction).computed == computed
