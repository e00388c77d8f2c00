"""Questions of people with other words than the companies that the rules were written for: a container port and a chain of pharmacies."""

from datetime import datetime

import pytest

from contracts.questions import QuestionReading, Verdict
from contracts.tables import ColumnDetail, ForeignKey, TableDetail
from workers.engines.questions import Reader
from workers.engines.sql.build import build_sql

NOW = datetime(2026, 11, 21, 12)  # noqa: DTZ001 local time of the data


def column(text: str, comment: str = "", values: tuple[str, ...] = ()) -> ColumnDetail:
    """`name type`; without nulls."""
    name, _, type_ = text.partition(" ")
    return ColumnDetail(name=name, type=type_, description=comment, values=values, nulls=0)


def table(name: str, *columns: ColumnDetail, comment: str = "", owners: tuple[tuple[str, str], ...] = ()) -> TableDetail:
    """Its first column is its key. `owners`: a column, and the table whose key of the same name it holds."""
    return TableDetail(
        schema_name="main",
        name=name,
        description=comment,
        columns=columns,
        primary_key=(columns[0].name,),
        foreign_keys=tuple(ForeignKey(columns=(own,), table=f"main.{other}", references=(own,)) for own, other in owners),
    )


PORT = (
    table("shipping_lines", column("line_id INTEGER"), column("line_name VARCHAR")),
    table(
        "vessels", column("vessel_id INTEGER"), column("vessel_name VARCHAR"), column("line_id INTEGER"), column("capacity_teu INTEGER"),
        column("built_year INTEGER"), owners=(("line_id", "shipping_lines"),),
    ),
    table(
        "port_calls", column("call_id INTEGER"), column("vessel_id INTEGER"), column("arrived_at TIMESTAMP"),
        owners=(("vessel_id", "vessels"),),
    ),
    table(
        "containers", column("container_id INTEGER"), column("box_type VARCHAR", values=("dry", "reefer")), column("weight_t DOUBLE"),
        column("line_id INTEGER"), owners=(("line_id", "shipping_lines"),),
    ),
    table(
        "crane_moves", column("move_id INTEGER"), column("call_id INTEGER"), column("container_id INTEGER"),
        column("move_type VARCHAR", values=("load", "discharge")), column("duration_s INTEGER"), column("crane VARCHAR"),
        owners=(("call_id", "port_calls"), ("container_id", "containers")),
    ),
    table("pickers", column("picker_id INTEGER"), column("picker_name VARCHAR")),
)  # fmt: skip

PHARMACY = (
    table("t_store", column("store_id INT", "门店编号"), column("store_nm VARCHAR", "门店名称"), comment="门店"),
    table(
        "t_drug", column("drug_id INT", "药品编号"), column("drug_nm VARCHAR", "药品名称"),
        column("drug_cat VARCHAR", "药品类别", values=("处方药", "保健品")), column("retail_price DECIMAL", "零售价（元）"), comment="药品",
    ),
    table(
        "t_member", column("member_id INT", "会员编号"), column("card_level VARCHAR", "会员卡等级", values=("金卡", "银卡")),
        column("age INT", "年龄"), comment="会员",
    ),
    table(
        "t_sale", column("sale_id INT", "销售单号"), column("store_id INT", "门店编号"), column("sale_tm DATETIME", "销售时间"),
        column("pay_type TINYINT", "支付方式：1 微信，2 支付宝，3 医保", ("1", "2", "3")),
        column("total_amt DECIMAL", "销售金额（元）"), comment="销售单",
        owners=(("store_id", "t_store"),),
    ),
    table(
        "t_sale_item", column("item_id INT", "明细编号"), column("sale_id INT", "销售单号"), column("drug_id INT", "药品编号"),
        column("qty INT", "数量"), comment="销售明细", owners=(("sale_id", "t_sale"), ("drug_id", "t_drug")),
    ),
)  # fmt: skip


@pytest.fixture(scope="module")
def port() -> Reader:
    return Reader(PORT, NOW)


@pytest.fixture(scope="module")
def pharmacy() -> Reader:
    return Reader(PHARMACY, NOW)


def sql(reading: QuestionReading, tables: tuple[TableDetail, ...], place: int = 0) -> str:
    return build_sql(reading.readings[place].plan, tables, "duckdb", pretty=False).replace('"', "")


@pytest.mark.parametrize(
    ("company", "question", "part"),
    [
        ("port", "What is the average capacity of the vessels per line?", "AVG(vessels.capacity_teu)"),
        ("port", "Average move duration per crane", "AVG(crane_moves.duration_s)"),
        ("port", "Average weight of dry containers", "AVG(containers.weight_t)"),
        ("port", "Which vessels were built before 2005?", "vessels.built_year < 2005"),
        ("port", "the oldest vessel", "ORDER BY vessels.built_year"),
        ("port", "Heaviest 10 containers", "ORDER BY containers.weight_t DESC"),
        ("port", "Top 5 vessels by port calls", "ORDER BY COUNT(*) DESC"),
        ("port", "How many containers by type", "GROUP BY containers.box_type"),
        ("port", "fastest duration", "MIN(crane_moves.duration_s)"),
        ("port", "按类型统计集装箱数量", "GROUP BY containers.box_type"),
        ("port", "How many vessels had no port call in 2026?", "NOT EXISTS(SELECT 1 FROM main.port_calls"),
        ("pharmacy", "处方药的平均零售价", "t_drug.drug_cat = '处方药'"),
        ("pharmacy", "金卡会员有多少？", "t_member.card_level = '金卡'"),
        ("pharmacy", "60岁以上的会员有多少人？", "t_member.age >= 60"),
        ("pharmacy", "医保支付的销售金额，按月", "SUM(t_sale.total_amt)"),
        ("pharmacy", "上个月的销售金额", "SUM(t_sale.total_amt)"),
        ("pharmacy", "各门店的销售金额占比", "OVER ()"),
    ],
)
def test_what_people_of_a_port_and_of_a_pharmacy_ask_is_read(
    port: Reader, pharmacy: Reader, company: str, question: str, part: str
) -> None:
    reader, schema = {"port": (port, PORT), "pharmacy": (pharmacy, PHARMACY)}[company]
    reading = reader.read(question)

    assert reading.verdict is Verdict.ANSWERED, (reading.unplaced, reading.remarks)
    assert part in sql(reading, schema)


def test_a_type_of_another_table_is_not_that_of_what_is_counted(port: Reader) -> None:
    assert port.read("How many vessels by type").verdict is Verdict.UNPLACED  # only containers and moves have one


@pytest.mark.parametrize("question", ["What did the pickers earn?", "What do the vessels use?"])
def test_a_list_of_those_who_do_something_is_no_answer_to_what_they_do(port: Reader, question: str) -> None:
    assert port.read(question).verdict is Verdict.UNPLACED


@pytest.mark.parametrize("question", ["哪个药品卖得最多？", "Which drug sold the most?"])
def test_what_sold_the_most_may_be_pieces_or_sales(pharmacy: Reader, question: str) -> None:
    reading = pharmacy.read(question)

    assert reading.verdict is Verdict.AMBIGUOUS
    ranked = [sql(reading, PHARMACY, place).partition("ORDER BY ")[2] for place in range(len(reading.readings))]
    assert any(order.startswith("SUM(t_sale_item.qty)") for order in ranked)
    assert any(order.startswith("COUNT(") for order in ranked)


@pytest.mark.parametrize(
    "question", ["average prc_eur per chnl", "average prc_eur of tkt_sls per chnl", "total prc_eur", "number of tkt_sls per chnl"]
)
def test_names_as_they_are_written_in_the_schema_are_understood(question: str) -> None:
    """`tkt_sls` is found as ticket sales too, but who types the identifier means it."""
    columns = tuple(
        ColumnDetail(name=name, type=type_, nullable=True) for name, type_ in (("tkt_id", "INTEGER"), ("chnl", "TEXT"), ("prc_eur", "REAL"))
    )

    assert Reader((TableDetail(name="tkt_sls", columns=columns),), NOW).read(question).verdict == Verdict.ANSWERED
