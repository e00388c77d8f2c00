"""Statements: their JSON, their text in each language, and what happens when something is missing."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from pydantic import TypeAdapter, ValidationError

from contracts.statements import (
    Join,
    Number,
    Sayable,
    Shown,
    Statement,
    Target,
    code,
    count,
    listing,
    milliseconds,
    moment,
    name,
    number,
    quote,
    ratio,
    ref,
    say,
    seconds,
    sentences,
    share,
    size,
    term,
    usd,
)
from tests.support import texts
from workers.saying import INSTALLED, Catalogues, Span, SpanKind, UnknownMessage, spans_of, text_of
from workers.saying.catalogues import FLEET_CATALOGUE

LOCALE = Path(texts.__file__).with_name("locale")
CATALOGUES = Catalogues(FLEET_CATALOGUE, LOCALE)
SKEW = say("test.skew", stage=name("12"), longest=seconds(842.0), median=seconds(2.1))


def test_a_statement_is_small_json_that_reads_back_as_itself() -> None:
    assert SKEW.to_json() == {
        "kind": "statement",
        "code": "test.skew",
        "values": {
            "longest": {"kind": "seconds", "value": 842.0},
            "median": {"kind": "seconds", "value": 2.1},
            "stage": {"kind": "name", "text": "12"},
        },
    }
    assert Statement.model_validate(SKEW.to_json()) == SKEW


def test_equal_statements_have_equal_json_and_hashes_in_whatever_order_their_values_came() -> None:
    other = say("test.skew", median=seconds(2.1), longest=seconds(842), stage=name("12"))

    assert other.model_dump_json() == SKEW.model_dump_json()
    assert len({other, SKEW}) == 1


def test_a_finished_sentence_of_the_last_release_is_still_read_and_shown_as_it_is() -> None:
    told = TypeAdapter[Sayable](Sayable).validate_python("Stage 4 {was} slow.")

    assert told == "Stage 4 {was} slow."
    assert text_of(told, "zh", CATALOGUES) == "Stage 4 {was} slow."


@pytest.mark.parametrize("bad", ["skew", "Tune.x", "tune.", "tune..x", "tune.a b", ".tune", "tune.x\n"])
def test_a_code_is_a_dotted_identifier(bad: str) -> None:
    with pytest.raises(ValidationError):
        say(bad)


def test_one_statement_is_said_in_every_language() -> None:
    assert text_of(SKEW, "en", CATALOGUES) == "In stage 12 the longest task took 14 min, the median task 2.1 s."
    assert text_of(SKEW, "zh", CATALOGUES) == "Stage 12 中最长的 task 用了 14 分钟，中位数为 2.1 秒。"
    assert text_of(SKEW, "qaa", CATALOGUES) == "Taluk 14 min, solun 2.1 s, 12-mi."


@pytest.mark.parametrize(
    ("value", "english", "chinese"),
    [
        (size(2_469_606_195), "2.3 GiB", "2.3 GiB"),
        (size(512), "512 B", "512 B"),
        (milliseconds(204), "204 ms", "204 毫秒"),
        (seconds(12.34), "12.3 s", "12.3 秒"),
        (seconds(99.96), "100 s", "100 秒"),
        (seconds(250), "4 min 10 s", "4 分钟 10 秒"),
        (seconds(3_480), "58 min", "58 分钟"),
        (seconds(7_500), "2 h 5 min", "2 小时 5 分钟"),
        (seconds(7_200), "2 h", "2 小时"),
        (seconds(0), "0 ms", "0 毫秒"),
        (share(0.384), "38%", "38%"),
        (share(0.004), "0.4%", "0.4%"),
        (share(0.0000004), "<0.1%", "<0.1%"),
        (Number(value=0.0104), "0.01", "0.01"),
        (Number(value=-0.00163), "-0.0016", "-0.0016"),
        (Number(value=0.0000000004), "4.00e-10", "4.00e-10"),
        (share(0.9999), ">99%", ">99%"),
        (share(1), "100%", "100%"),
        (ratio(4.23), "4.2 times", "4.2 倍"),
        (count(12_416), "12,416", "1.24 万"),
        (count(12_416, exact=True), "12,416", "12,416"),
        (count(1_640_000), "1.64 million", "164 万"),
        (count(2_000_000_000), "2 billion", "20 亿"),
        (number(0.25, 2), "0.25", "0.25"),
        (number(-0.01), "-0.01", "-0.01"),
        (number(1234.5), "1,234", "1,234"),
        (usd(0.000123), "$0.000123", "US$0.000123"),
        (usd(12.5), "$12.50", "US$12.50"),
        (name("spark.sql.x"), "spark.sql.x", "spark.sql.x"),
        (quote("慢 job"), "“慢 job”", "「慢 job」"),
        (term("test.word.slow"), "slow", "慢"),
        (ref(Target.FIX, "F1"), "F1", "F1"),
        (listing(name("a"), name("b")), "a and b", "a 和 b"),
        (listing(name("a"), name("b"), name("c"), join=Join.OR), "a, b, or c", "a、b 或 c"),
        (listing(name("a"), name("b"), name("c"), join=Join.PLAIN), "a, b, c", "a、b、c"),
        (listing(name("a"), name("b"), join=Join.CLAUSES), "a, b", "a，b"),
        (sentences(quote("a"), quote("b")), "“a” “b”", "「a」「b」"),
        (listing(), "", ""),
    ],
)
def test_values_are_shown_as_people_read_them(value: Shown, english: str, chinese: str) -> None:
    assert text_of(value, "en", CATALOGUES) == english
    assert text_of(value, "zh", CATALOGUES) == chinese


def test_a_moment_is_shown_in_utc() -> None:
    at = moment(datetime(2026, 11, 22, 15, 4, tzinfo=UTC))

    assert text_of(at, "en", CATALOGUES).replace("\u202f", " ") == "Nov 22, 2026, 3:04:00 PM UTC"
    assert text_of(at, "zh", CATALOGUES) == "2026年11月22日 15:04:00 UTC"


def test_a_language_of_babel_needs_no_code_of_ours_for_its_numbers() -> None:
    assert text_of(count(1_640_000), "de", CATALOGUES) == "1,64 Millionen"
    assert text_of(seconds(12.34), "de", CATALOGUES) == "12,3 Sek."


@pytest.mark.parametrize(
    ("number", "english", "made_up"), [(1, "1 more row", "1 linu"), (2, "2 more rows", "2 linut"), (7, "7 more rows", "7 linutek")]
)
def test_the_plural_form_is_chosen_by_the_language(number: int, english: str, made_up: str) -> None:
    more = say("saying.chart.more", n=count(number))

    assert text_of(more, "en", CATALOGUES) == english
    assert text_of(more, "qaa", CATALOGUES) == made_up


def test_a_placeholder_with_a_capital_begins_with_one() -> None:
    assert text_of(say("test.only_english", word=term("test.word.slow")), "en", CATALOGUES).startswith("Slow: ")
    assert text_of(say("test.only_english", word=name("spark.x")), "en", CATALOGUES).startswith("spark.x: ")


def test_values_are_never_read_as_templates() -> None:
    said = say("test.skew", stage=name("{longest}"), longest=quote("{stage} {0} %s"), median=code("{median!r}"))

    assert text_of(said, "en", CATALOGUES) == "In stage {longest} the longest task took “{stage} {0} %s”, the median task `{median!r}`."


def test_spans_say_what_is_data() -> None:
    assert spans_of(say("saying.labelled", label=term("saying.callout.note"), value=code("x\n\x1by")), "en", CATALOGUES) == (
        Span("Note: "),
        Span("x ␛y", SpanKind.CODE),
    )
    assert spans_of(ref(Target.TICKET, "T-1"), "en", CATALOGUES) == (Span("T-1", SpanKind.REF, "ticket:T-1"),)


def test_a_message_that_a_language_lacks_is_said_in_english() -> None:
    assert text_of(say("test.only_english", word=term("test.word.slow")), "zh", CATALOGUES) == "慢: this has not been translated."


def test_what_is_missing_is_an_error_in_a_test_and_visible_to_a_user() -> None:
    missing, lacking = say("test.no_such", stage=name("12")), say("test.skew", stage=name("12"))

    assert text_of(missing, "en", CATALOGUES) == "test.no_such stage=12"
    assert text_of(lacking, "en", CATALOGUES) == "In stage 12 the longest task took ‹longest›, the median task ‹median›."
    with CATALOGUES.strictly(), pytest.raises(UnknownMessage, match=r"test\.no_such"):
        text_of(missing, "en", CATALOGUES)
    with CATALOGUES.strictly(), pytest.raises(UnknownMessage, match=r"has no value for \{longest\}"):
        text_of(lacking, "en", CATALOGUES)


def test_tests_are_strict_about_the_installed_catalogues() -> None:
    with pytest.raises(UnknownMessage):
        text_of(say("test.no_such"), "en", INSTALLED)
