"""Requirements by their parts: lists, tables of columns and labels are read, and what is not read is asked about part by part."""

from datetime import UTC, datetime

import duckdb
import pytest

from contracts.pipelines.analysis import EtlClarification, OpenPart
from contracts.tables import ColumnDetail, ForeignKey, TableDetail
from contracts.times import TimeSettings, Weekday
from workers.engines.requirements import RequirementReading, read_requirement
from workers.engines.steps import Relations, statements_of
from workers.kinds.etl.rules.answers import with_answers
from workers.saying import text_of

NOW = datetime(2026, 11, 22, tzinfo=UTC)
SETUP = (
    "CREATE TABLE boats (boat_id INTEGER, name VARCHAR, harbour VARCHAR)",
    "INSERT INTO boats VALUES (1, 'Gull', 'Bergen'), (2, 'Tern', 'Oslo')",
    "CREATE TABLE rentals (rental_id INTEGER, boat_id INTEGER, state VARCHAR, started_at TIMESTAMP, distance_km DOUBLE)",
    "INSERT INTO rentals VALUES (1, 1, 'finished', '2026-03-01 09:00:00', 10), (2, 1, 'cancelled', '2026-03-08 09:00:00', 0), "
    "(3, 1, 'finished', '2026-04-02 09:00:00', 5)",
)


def column(name: str, type_: str, description: str = "", values: tuple[str, ...] = ()) -> ColumnDetail:
    return ColumnDetail(name=name, type=type_, description=description, values=values, nullable=False)


TABLES = (
    TableDetail(
        name="boats",
        description="Boats 船",
        columns=(column("boat_id", "INTEGER"), column("name", "VARCHAR", "船名"), column("harbour", "VARCHAR")),
        primary_key=("boat_id",),
    ),
    TableDetail(
        name="rentals",
        description="Rentals 租船",
        columns=(
            column("rental_id", "INTEGER"), column("boat_id", "INTEGER"), column("state", "VARCHAR", values=("cancelled", "finished")),
            column("started_at", "TIMESTAMP", "开始时间"), column("distance_km", "DOUBLE", "kilometres sailed"),
        ),
        primary_key=("rental_id",),
        foreign_keys=(ForeignKey(columns=("boat_id",), table="boats", references=("boat_id",)),),
    ),
)  # fmt: skip


def read(text: str, **settings: object) -> RequirementReading:
    return read_requirement(text, TABLES, (), NOW, settings=TimeSettings.model_validate(settings) if settings else None)


def rows_of(reading: RequirementReading) -> list[tuple[object, ...]]:
    assert reading.target is not None, reading
    with duckdb.connect(":memory:") as connection:
        for statement in SETUP:
            connection.execute(statement)
        relations = Relations(reading.steps, TABLES, "duckdb")
        for statement in statements_of(relations, reading.steps[-1], reading.target, "duckdb")[0]:
            connection.execute(statement)
        return sorted(connection.table(reading.target.table).fetchall(), key=str)


@pytest.mark.parametrize(
    "text",
    [
        "I need a table boat_facts for the harbour team, one record per boat.\n\n| column | meaning |\n|---|---|\n| boat_id | |\n"
        "| rentals | number of finished rentals |\n| km | total distance, 0 if none |\n\nRefreshed every night.",
        "Table: boat_facts\nGrain: boat\nColumns:\n- boat_id\n- rentals: how many finished rentals\n- km - total distance, 0 if none",
        "需求：船只概况表 boat_facts，一条船一条记录。\n- boat_id：船编号\n- rentals：state 为 finished 的租船数\n"
        "- km：distance_km 之和，没有则为 0\n每天凌晨3点全量覆盖。",
    ],
)
def test_a_list_of_columns_is_read_in_the_shape_in_which_it_is_written(text: str) -> None:
    assert rows_of(read(text)) == [(1, 2, 15.0), (2, 0, 0.0)]


OPEN = "Build boat_facts, one row per boat: boat_id; joy (how merry its finished rentals were, in kilometres)."


def test_a_column_that_is_not_read_is_asked_about_with_definitions_that_can_be() -> None:
    reading = read(OPEN)

    assert reading.target is None
    (point,) = reading.ambiguities
    assert (point.part, point.words) == (OpenPart.COLUMN, "joy")
    assert "sum of distance_km of rentals with state finished" in [text_of(choice, "en") for choice in point.choices]


@pytest.mark.parametrize("reply", ["1", "joy: sum of distance_km of rentals with state finished", "sum of distance_km of finished rentals"])
def test_an_answer_about_a_column_lets_the_requirement_go_on(reply: str) -> None:
    asked = EtlClarification(ambiguities=read(OPEN).ambiguities, confidence=0.5)
    chosen = text_of(asked.ambiguities[0].choices[0], "en")

    text = with_answers(OPEN, [(asked, chosen if reply == "1" else reply)])

    found = rows_of(read(text))
    assert found[0] in ((1, 15.0), (1, 15))


def test_what_a_row_is_can_be_answered() -> None:
    text = "We need a table boat_months that tells us about the season. Columns: boat_id, month, rentals (number of rentals)."
    (point,) = read(text).ambiguities
    assert point.part is OpenPart.GRAIN

    asked = EtlClarification(ambiguities=(point,), confidence=0.5)
    row = (asked, "one row per boat_id and month of started_at")
    (left,) = read(with_answers(text, [row])).ambiguities  # words beside the name may restrict rows
    assert (left.part, "season" in left.words) == (OpenPart.SENTENCE, True)

    rest = (EtlClarification(ambiguities=(left,), confidence=0.5), "leave it out")
    assert [found[2] for found in rows_of(read(with_answers(text, [row, rest])))] == [2, 1]


def test_a_sentence_that_is_not_read_is_left_out_only_when_somebody_says_so() -> None:
    text = "Table: boat_names\nGrain: boat\nColumns: boat_id, name\n\nMind the tide."
    (point,) = read(text).ambiguities
    assert (point.part, point.words) == (OpenPart.SENTENCE, "Mind the tide")

    answered = with_answers(text, [(EtlClarification(ambiguities=(point,), confidence=0.5), "leave it out")])

    reading = read(answered)
    assert rows_of(reading) == [(1, "Gull"), (2, "Tern")]
    assert any("Mind the tide" in text_of(said, "en") for said in reading.assumptions)


def test_a_reply_that_is_a_requirement_takes_the_place_of_the_first() -> None:
    again = "Build boat_names, one row per boat: boat_id; name."

    assert with_answers(OPEN, [(EtlClarification(ambiguities=read(OPEN).ambiguities, confidence=0.5), again)]) == again


def test_rows_with_partners_are_not_counted_as_if_all_had_one() -> None:
    """A count of things that have rows in another table, per group: it was the count of all things."""
    reading = read("Build harbours, one row per harbour: harbour; rented (number of boats with at least one rental).")

    assert reading.target is None


def test_weeks_and_the_last_days_follow_the_settings() -> None:
    text = "Build boat_weeks, one row per boat_id and week of started_at: boat_id; week; rentals (number of rentals)."

    weeks = {str(row[1])[:10] for row in rows_of(read(text, week_start=Weekday.SUNDAY))}

    assert weeks == {"2026-03-01", "2026-03-08", "2026-03-29"}
    assert {str(row[1])[:10] for row in rows_of(read(text))} == {"2026-02-23", "2026-03-02", "2026-03-30"}


def test_what_follows_a_colon_is_not_lost_where_the_columns_are_listed_below() -> None:
    """The words after the colon of the head were passed over once an answer said what a row is."""
    text = "The crew needs boat_trips: boats with two rentals.\n\nGrain: boat\nColumns:\n- boat_id\n- rentals: number of rentals\n"

    (left,) = read(text).ambiguities

    assert (left.part, "boats with two rentals" in left.words) == (OpenPart.SENTENCE, True)


def test_words_in_a_list_that_name_no_column_may_be_left_out() -> None:
    text = "Build boat_names, one row per boat: boat_id, name, 'as the harbour master likes it'."
    (point,) = read(text).ambiguities
    assert (point.part, point.choices != ()) == (OpenPart.WORDS, True)

    reading = read(with_answers(text, [(EtlClarification(ambiguities=(point,), confidence=0.5), "leave it out")]))

    assert rows_of(reading) == [(1, "Gull"), (2, "Tern")]
    assert any("harbour master" in text_of(said, "en") for said in reading.assumptions)


@pytest.mark.parametrize(
    "rule",
    ["Only rows where rentals >= 2.", "Only boats with at least 2 rentals.", "Only rows where rentals > 1 and boat_id = 1."],
)
def test_rows_of_the_target_can_be_chosen_by_its_columns(rule: str) -> None:
    reading = read(f"Build boat_trips, one row per boat: boat_id; rentals (number of rentals). {rule}")

    assert rows_of(reading) == [(1, 3)]
    assert reading.target is not None
    assert reading.target.keeps_all == ""


@pytest.mark.parametrize(
    "rule", ["Only rows where luck >= 2.", "Only rows where harbour_tax > 1.", "Only boats with less than 2 total luck."]
)
def test_a_choice_by_what_no_column_has_is_asked_about(rule: str) -> None:
    reading = read(f"Build boat_trips, one row per boat: boat_id; rentals (number of rentals). {rule}")

    assert reading.target is None


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("busy if rentals > 2, calm if rentals > 0, otherwise idle", ["busy", "idle"]),
        ("'busy' when rentals >= 3; 'idle' otherwise", ["busy", "idle"]),
        ("rentals > 2 为 busy，否则为 idle", ["busy", "idle"]),
        ("1 if rentals > 2, else 0", [1, 0]),
    ],
)
def test_cases_in_words_are_read(words: str, expected: list[object]) -> None:
    reading = read(f"Table: boat_kinds\nGrain: boat\n\n- boat_id\n- rentals: number of rentals\n- kind: {words}\n")

    assert [row[2] for row in rows_of(reading)] == expected


@pytest.mark.parametrize("words", ["busy if rentals > 2", "busy if rentals > 2, idle", "boat_id if rentals > 2, otherwise idle"])
def test_cases_that_do_not_say_all_are_asked_about(words: str) -> None:
    reading = read(f"Table: boat_kinds\nGrain: boat\n\n- boat_id\n- rentals: number of rentals\n- kind: {words}\n")

    assert reading.target is None


def test_columns_with_a_slash_between_them_share_their_words() -> None:
    reading = read("Table: boat_trips\nGrain: boat\n\n- boat_id\n- rentals / trips: number of rentals\n")

    assert rows_of(reading) == [(1, 3, 3), (2, 0, 0)]


def test_a_column_that_is_explained_by_its_thing_is_the_things_own() -> None:
    """`harbour: the boat`, cinema_name（影院）: it was a dead end without a question."""
    reading = read("Table: trips\nGrain: rental\n\n- rental_id\n- name: boat\n")

    assert rows_of(reading) == [(1, "Gull"), (2, "Gull"), (3, "Gull")]


def answered(text: str, *replies: str) -> RequirementReading:
    asked: list[tuple[EtlClarification, str]] = []
    for reply in replies:
        reading = read(with_answers(text, asked))
        asked.append((EtlClarification(ambiguities=reading.ambiguities, confidence=0.5), reply))
    return read(with_answers(text, asked))


def test_an_answer_may_say_more_than_was_asked() -> None:
    """What a row is was asked; the reply also defines a column and says which rows count."""
    text = "Build boat_trips with the columns boat_id, trips and far."

    reading = answered(text, "one row per boat\ntrips: number of rentals\nfar: sum(distance_km)\nOnly rentals with state finished.")

    assert rows_of(reading) == [(1, 2, 15.0), (2, 0, None)]


def test_conditions_that_exclude_each_other_are_asked_about() -> None:
    (point,) = read(
        "Build late_rentals: rental_id of rentals with started_at before 2026-01-01 and started_at after 2026-06-01."
    ).ambiguities

    assert "exclude each other" in text_of(point.question, "en")


def test_a_time_behind_partners_is_not_taken_for_a_time_of_the_thing() -> None:
    """`Boats without rentals since March`: boats have no time, rentals have. It was once read as a time of the thing itself."""
    text = "Build idle_boats, one row per boat: boat_id. Only boats without finished rentals since 2026-04-01."

    assert rows_of(read(text)) == [(2,)]


@pytest.mark.parametrize(
    ("rule", "expected"),
    [("Of the latest rows, only those with state finished.", [(1, 3)]), ("First, only rentals with state cancelled.", [(1, 2)])],
)
def test_rows_are_left_out_before_or_after_the_latest_is_taken_as_it_is_said(rule: str, expected: list[tuple[object, ...]]) -> None:
    text = "Build last_rentals: the latest rental of each boat (by started_at), with boat_id, rental_id."

    assert rows_of(answered(f"{text} {rule}")) == expected


def test_whether_rows_are_left_out_before_the_latest_is_taken_is_asked() -> None:
    text = "Build last_rentals: the latest rental of each boat (by started_at), with boat_id, rental_id. Only rentals with state finished."

    (point,) = read(text).ambiguities

    assert (point.part, point.words) == (OpenPart.SENTENCE, "Only rentals with state finished")


@pytest.mark.parametrize(("sentence", "matters"), [("Only the harbour of Oslo", True), ("Our captain will be pleased", False)])
def test_words_that_are_left_out_and_may_matter_are_kept_in_mind(sentence: str, matters: bool) -> None:
    text = f"Build boat_names, one row per boat: boat_id, name. {sentence}."

    reading = answered(text, "leave it out")

    assert (reading.target is not None, bool(reading.left_out)) == (True, matters)


def test_definitions_of_columns_do_not_take_the_place_of_a_restriction() -> None:
    text = "Build boat_trips, one row per boat with at least 2 rentals in spring: boat_id."

    reading = answered(text, "trips: number of rentals")

    assert reading.target is None or reading.left_out


def test_a_window_in_sql_is_read_over_the_rows() -> None:
    text = "Build trips_in_order, one row per rental: rental_id, trip_before."

    reading = answered(text, "trip_before: lag(rental_id) over (partition by boat_id order by started_at)")

    assert rows_of(reading) == [(1, None), (2, 1), (3, 2)]


WIND = (
    TableDetail(
        name="turbines",
        columns=(column("turbine_no", "INTEGER"), column("park", "VARCHAR"), column("rated_kw", "INTEGER"), column("commissioned", "DATE")),
        primary_key=("turbine_no",),
    ),
    TableDetail(
        name="readings",
        columns=(
            column("reading_no", "INTEGER"), column("turbine_no", "INTEGER"),
            column("avg_kw", "DOUBLE"), column("measured_at", "TIMESTAMP"),
        ),
        primary_key=("reading_no",),
        foreign_keys=(ForeignKey(columns=("turbine_no",), table="turbines", references=("turbine_no",)),),
    ),
)  # fmt: skip


@pytest.mark.parametrize("by", ["month", "month of commissioned"])
def test_a_month_of_which_several_times_could_be_meant_is_asked_about(by: str) -> None:
    """What is added up beside the turbines has times of its own; where the text names the turbines' date, that is meant."""
    text = f"Make park_output: for every park and {by}, energy = sum of avg_kw, possible = sum of rated_kw."

    reading = read_requirement(text, WIND, (), NOW)

    asked = [text_of(point.question, "en") for point in reading.ambiguities]
    assert any("Which time is meant by" in question for question in asked) is (by == "month"), (asked, reading.unread)


HERD = (
    TableDetail(
        name="farms",
        description="牧场",
        columns=(column("farm_id", "INTEGER"), column("farm_name", "VARCHAR", "牧场名称")),
        primary_key=("farm_id",),
    ),
    TableDetail(
        name="cows",
        description="奶牛",
        columns=(
            column("cow_id", "INTEGER"), column("farm_id", "INTEGER"),
            ColumnDetail(name="left_on", type="DATE", description="离场日期，在场为空", nullable=True),
            ColumnDetail(name="sold_on", type="DATE", description="Day of sale; null while it is kept", nullable=True),
        ),
        primary_key=("cow_id",),
        foreign_keys=(ForeignKey(columns=("farm_id",), table="farms", references=("farm_id",)),),
    ),
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("建立 herd，每个牧场一行：farm_id、n（在场奶牛数）。", "cows.left_on IS NULL"),
        ("建立 herd，每个牧场一行：farm_id、n（已离场的奶牛数）。", "cows.left_on IS NOT NULL"),
        ("Build herd, one row per farm: farm_id, n (number of kept cows).", "cows.sold_on IS NULL"),
    ],
)
def test_what_lasts_while_a_moment_is_empty_has_not_ended(text: str, condition: str) -> None:
    """The comment says 在场为空: those on site have no day of leaving. It was read as if they had one."""
    reading = read_requirement(text, HERD, (), NOW)
    assert reading.target is not None, reading

    statements = statements_of(Relations(reading.steps, HERD, "duckdb"), reading.steps[-1], reading.target, "duckdb")[0]

    assert condition in " ".join(" ".join(statements).split())


FEES = (
    TableDetail(
        name="fees",
        description="Fees 费用",
        columns=(
            column("fee_id", "INTEGER"), column("method", "VARCHAR"), column("amount", "DECIMAL(10,2)", "金额"),
            column("paid_at", "TIMESTAMP"),
        ),
        primary_key=("fee_id",),
    ),
)  # fmt: skip


def test_a_definition_that_is_not_read_is_not_the_sum_of_the_only_amount() -> None:
    """A column that is called `amount` added up all of them, whatever its definition said."""
    text = "建立 method_stats，每种 method 一行：method、fees（费用数）、amount（大额费用金额合计）。"

    (point,) = read_requirement(text, FEES, (), NOW).ambiguities

    assert (point.part, point.words) == (OpenPart.COLUMN, "amount")


def test_definitions_of_columns_do_not_take_the_place_of_a_value() -> None:
    """`finished` restricts the rows: an answer about the columns that does not say it again leaves it out, and a draft results."""
    text = "Build long_trips, one row per rental: rental_id, state and a trip_length of those finished."

    reading = answered(text, "state: state\ntrip_length: distance_km")

    assert reading.target is not None
    assert len(reading.left_out) == 1


@pytest.mark.parametrize("note", ["null if fewer than 3 rentals", "started_at 为空"])
def test_a_note_about_null_that_is_a_rule_is_not_passed_over(note: str) -> None:
    text = f"Build boat_km, one row per boat: boat_id, km (average of distance_km of rentals, {note})."

    assert [point.words for point in read(text).ambiguities] == ["km"]


def test_columns_may_come_before_the_rows_that_they_are_of() -> None:
    text = (
        "Build far_trips: rental_id and harbour for rentals with state finished that were made before 2026-04-01 and have distance_km > 5."
    )

    assert rows_of(read(text)) == [(1, "Bergen")]


def test_parts_with_partners_stand_beside_parts_without() -> None:
    text = "Build fleet, one row per boat: boat_id, rentals (number of rentals), per_name (number of rentals divided by boat_id)."

    assert rows_of(read(text)) == [(1, 3, 3.0), (2, 0, 0.0)]


@pytest.mark.parametrize("definition", ["当月 amount 之和", "total amount of this month"])
def test_a_time_that_may_be_the_rows_own_is_not_one_before_now(definition: str) -> None:
    text = f"建立 fee_month，每种 method 每月一行：method、month、amount（amount 之和）、other（{definition}）。"

    (point,) = read_requirement(text, FEES, (), NOW).ambiguities

    assert (point.part, point.words) == (OpenPart.COLUMN, "other")


def test_what_has_not_happened_is_what_the_comment_says_is_empty() -> None:
    """缴费时间，未缴为空: those that are not paid have no time of payment."""
    fees = FEES[0].model_copy(
        update={
            "columns": (
                *FEES[0].columns[:3],
                ColumnDetail(name="paid_at", type="TIMESTAMP", description="缴费时间，未缴为空", nullable=True),
            )
        }
    )
    for words, wanted in (("未缴", "fees.paid_at IS NULL"), ("已缴", "fees.paid_at IS NOT NULL")):
        reading = read_requirement(f"建立 arrears：{words}费用的 fee_id、amount。", [fees], (), NOW)
        assert reading.target is not None, reading
        made = statements_of(Relations(reading.steps, [fees], "duckdb"), reading.steps[-1], reading.target, "duckdb")[0]
        assert f"WHERE {wanted}" in " ".join(" ".join(made).split())


@pytest.mark.parametrize(
    "text",
    [
        "Build last_trips: for each boat the latest rental (by started_at; ties: the higher rental_id): boat_id, rental_id, state.",
        "Build last_trips: for each boat the latest rental by started_at (ties: the higher rental_id) with boat_id, rental_id, state.",
    ],
)
def test_the_latest_row_of_each_thing_may_say_by_what_in_brackets(text: str) -> None:
    assert rows_of(read(text)) == [(1, 3, "finished")]


@pytest.mark.parametrize("reply", ["亮度: rentals 的数量", "亮度：number of rentals"])
def test_a_column_in_words_that_is_answered_by_its_name_is_kept(reply: str) -> None:
    """亮度（租船的亮度） is asked about, and the answer defines 亮度: it was left out without a word."""
    text = "建立 glow，每个 harbour 一行：harbour；亮度（租船的亮度）；km（distance_km 之和）。"
    first = read(text)
    again = with_answers(text, [(EtlClarification(confidence=0.5, ambiguities=first.ambiguities), reply)])
    reading = read(again)

    assert first.ambiguities[0].part in (OpenPart.WORDS, OpenPart.COLUMN)
    assert reading.target is not None
    assert [column.name for column in reading.target.columns] == ["harbour", "亮度", "km"]
    assert rows_of(reading) == [("Bergen", 3, 15.0)]
