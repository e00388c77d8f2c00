"""Requirements written as reports, on schemas of our own, in English and Chinese, with the query whose rows they should give."""

# ruff: noqa: E501 requirements as users write them, and rows

from contracts.tables import ColumnDetail, ForeignKey, TableDetail

_SEGMENTS = ("private", "school", "office")
_COUNTRIES = ("PERU", "NEPAL", "KENYA")


def _columns(text: str, **values: tuple[str, ...]) -> tuple[ColumnDetail, ...]:
    made: list[ColumnDetail] = []
    for part in text.split(";"):
        head, _, comment = part.partition("|")
        label, type_ = head.split(" ", 1)
        made.append(ColumnDetail(name=label, type=type_, description=comment, values=values.get(label, ())))
    return tuple(made)


def _refers(column: str, table: str, to: str) -> ForeignKey:
    return ForeignKey(columns=(column,), table=table, references=(to,))


MARKET: tuple[TableDetail, ...] = (
    TableDetail(name="country", columns=_columns("k_no INTEGER|key of the country;k_name VARCHAR|name of the country", k_name=_COUNTRIES), primary_key=("k_no",), description="Countries"),
    TableDetail(
        name="buyer",
        columns=_columns("b_buyerkey INTEGER|key of the buyer;b_name VARCHAR|name;b_branch VARCHAR|trade branch;b_countryno INTEGER|country.k_no", b_branch=_SEGMENTS),
        primary_key=("b_buyerkey",), foreign_keys=(_refers("b_countryno", "country", "k_no"),), description="Buyers",
    ),
    TableDetail(
        name="sale",
        columns=_columns("s_salekey INTEGER|key of the sale;s_buyerkey INTEGER|buyer.b_buyerkey;s_saledate DATE|date of the sale;s_urgency VARCHAR|urgency;s_totalvalue DOUBLE|value of the whole sale", s_urgency=("1-NOW", "2-SOON", "3-LATER")),
        primary_key=("s_salekey",), foreign_keys=(_refers("s_buyerkey", "buyer", "b_buyerkey"),), description="Sales, one row a sale.",
    ),
    TableDetail(
        name="saleline",
        columns=_columns("l_salekey INTEGER|sale.s_salekey;l_pieces INTEGER|number of pieces;l_grossprice DOUBLE|price of the line before discount;l_discount DOUBLE|discount, 0 to 1;l_carrier VARCHAR|carrier;l_senddate DATE|sent on;l_duedate DATE|promised for;l_arrivaldate DATE|arrived on", l_carrier=("BIKE", "VAN", "DRONE")),
        foreign_keys=(_refers("l_salekey", "sale", "s_salekey"),), description="Lines of sales, one row a line.",
    ),
)  # fmt: skip
"""Tables whose columns begin with a letter for the table and write their words together, as old warehouses do."""

MARKET_ROWS = (
    "CREATE TABLE country AS SELECT i AS k_no, ['PERU','NEPAL','KENYA'][i] AS k_name FROM range(1,4) t(i)",
    "CREATE TABLE buyer AS SELECT i AS b_buyerkey, 'B' || i AS b_name, ['private','school','office'][1+i%3] AS b_branch, 1+i%3 AS b_countryno FROM range(1,16) t(i)",
    "CREATE TABLE sale AS SELECT i AS s_salekey, 1+(i*7)%13 AS s_buyerkey, DATE '2024-11-01' + ((i*5)%150)::INTEGER AS s_saledate, ['1-NOW','2-SOON','3-LATER'][1+(i*i)%3] AS s_urgency, (100+i*3.5)::DOUBLE AS s_totalvalue FROM range(1,81) t(i)",
    "CREATE TABLE saleline AS SELECT 1+(i*11)%79 AS l_salekey, 1+(i*13)%40 AS l_pieces, ((i*17)%300+1)::DOUBLE AS l_grossprice, (i%5)*0.05::DOUBLE AS l_discount, ['BIKE','VAN','DRONE'][1+i%3] AS l_carrier, DATE '2024-11-05' + ((i*3)%160)::INTEGER AS l_senddate, DATE '2024-11-10' + ((i*7)%160)::INTEGER AS l_duedate, DATE '2024-11-08' + ((i*3)%160+i%9)::INTEGER AS l_arrivaldate FROM range(1,301) t(i)",
)

_FIRST = "select s_salekey, sum(l_grossprice*(1-l_discount)) r, s_saledate, s_urgency from saleline join sale on l_salekey=s_salekey join buyer on s_buyerkey=b_buyerkey where b_branch='school' and s_saledate < date '2025-02-01' and l_senddate > date '2025-02-01' group by all order by r desc, s_saledate, s_salekey limit 5"
_LARGE = "select b_name, b_buyerkey, s_salekey, s_saledate, s_totalvalue, sum(l_pieces) p from saleline join sale on l_salekey=s_salekey join buyer on s_buyerkey=b_buyerkey group by all having p > 90 order by s_totalvalue desc limit 6"
_LATE = "select l_carrier, count(*) filter (s_urgency in ('1-NOW','2-SOON')), count(*) filter (s_urgency = '3-LATER') from saleline join sale on l_salekey=s_salekey where l_carrier in ('BIKE','VAN') and year(l_arrivaldate)=2025 and l_arrivaldate > l_duedate and l_senddate < l_duedate group by all"

CASES: tuple[tuple[str, str, str], ...] = (
    ("first-en", "The 5 sales with the highest open value: buyers of branch school, ordered before 2025-02-01, counting only lines sent after that day. Sale key, revenue (discounted price), sale date, urgency; by revenue downward, then date.", ""),
    ("first-own-verb-en", "The 5 sales with the highest revenue: buyers of branch school, sale date before 2025-02-01, counting only lines sent after that day. Sale key, revenue (discounted price), sale date, urgency; by revenue downward, then date, then sale key.", _FIRST),
    ("large-en", "Large sales: buyers and sales with a total of pieces above 90: buyer name and key, sale key, date, total value, total pieces; highest total value first; at most 6.", _LARGE),
    ("late-en", "For carriers BIKE and VAN, lines arrived in 2025 after the due date but sent before it: how many belong to sales of urgency 1-NOW or 2-SOON, how many to others; sorted by carrier.", _LATE),
    ("late-zh", "carrier BIKE 与 VAN：2025 年到货、晚于承诺日到货但早于承诺日发货的行中，属于 1-NOW 或 2-SOON 订单的有多少，其他有多少；按 carrier 排序。", ""),
    ("per-en", "Lines sent in 2025 per carrier: number of lines, total pieces, revenue (discounted price); sorted by carrier.", "select l_carrier, count(*), sum(l_pieces), sum(l_grossprice*(1-l_discount)) from saleline where year(l_senddate)=2025 group by all"),
    ("per-year-en", "For each carrier and year of sending: number of lines, average discount; sorted by carrier.", ""),
    ("per-place-en", "Sales per country name and urgency: number of sales, total value of the sale; highest number of sales first.", ""),
    ("of-country-en", "Sales of buyers of NEPAL: sale key, sale date, buyer name; sorted by sale date.", "select s_salekey, s_saledate, b_name from sale join buyer on s_buyerkey=b_buyerkey join country on b_countryno=k_no where k_name='NEPAL'"),
    ("having-en", "Buyers with more than 6 sales: name, branch, number of sales; most first.", "select b_name, b_branch, count(*) n from buyer join sale on s_buyerkey=b_buyerkey group by all having n > 6"),
    ("having-none-en", "Buyers with fewer than 4 sales: name, number of sales.", "select b_name, count(s_salekey) n from buyer left join sale on s_buyerkey=b_buyerkey group by all having n < 4"),
    ("having-sum-below-en", "Sales with a total of pieces below 90: sale key, total pieces.", ""),
    ("heading-alone-en", "Large sales: sale key, sale date.", ""),
    ("order-of-nothing-en", "Buyers with more than 6 sales: name, number of sales; by region.", ""),
    ("limit-without-order-en", "Buyers with more than 6 sales: name, number of sales; at most 3.", ""),
    ("unknown-word-en", "Lines sent in 2025 per carrier: number of fragile lines.", ""),
    ("fan-out-en", "Lines sent in 2025 per carrier: total sale value.", ""),
)  # fmt: skip
"""Name, requirement, and the query; an empty query: the requirement is left open."""
