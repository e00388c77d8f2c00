"""A review of SQL as a reader sees it."""

from contracts.sql_review import SqlReview
from contracts.tables import ColumnDetail, TableDetail
from tests.support.texts import foreign_words_in
from workers.engines.catalogue import LOCALE
from workers.engines.sql.review import review
from workers.engines.sql.sandbox import open_sandbox
from workers.saying.catalogues import FLEET_CATALOGUE, Catalogues
from workers.saying.document import Document
from workers.saying.markdown import to_markdown
from workers.saying.sql_review import example_lines, review_blocks

SHIP = TableDetail(
    name="ship",
    columns=(ColumnDetail(name="ship_id", type="integer"), ColumnDetail(name="towed_by", type="integer")),
    primary_key=("ship_id",),
)
SQL = "select ship_id from ship\nwhere ship_id not in (select towed_by from ship)"


def page(found: SqlReview) -> Document:
    """A review as a page."""
    return Document(title="Ships", blocks=review_blocks(found, [SQL]))


def test_a_finding_is_shown_with_its_line_the_rows_and_both_results() -> None:
    with open_sandbox() as sandbox:
        shown = page(review(SQL, (SHIP,), "postgres", sandbox))

    text = to_markdown(shown, "en")

    assert "Blocker: statement `1`, line `2`" in text
    assert "where ship_id not in (select towed_by from ship)" in text
    assert "| `1` | null |" in text
    assert "No rows." in text
    catalogues = Catalogues(FLEET_CATALOGUE, LOCALE)
    assert foreign_words_in(shown, "zh", known=("NOT", "IN", "EXISTS", "Ships"), catalogues=catalogues) == []
    assert "阻断：第 `1` 条语句，第 `2` 行" in to_markdown(shown, "zh")


def test_nothing_found_is_said_too() -> None:
    assert "The review found nothing." in to_markdown(page(review("select ship_id from ship", (SHIP,), "postgres", None)), "en")


def test_a_question_has_the_rows_a_table_on_a_line_and_no_line_of_a_script_that_is_not_shown() -> None:
    """Its tables were broken by a screen of 80 columns, and its line numbers were those of no file."""
    with open_sandbox() as sandbox:
        found = example_lines(review(SQL, (SHIP,), "postgres", sandbox).findings[0], "en")

    assert found[1:] == [
        "On these rows:", "ship (ship_id, towed_by): (1, NULL)", "The script gives: (ship_id): no rows", "It should give: (ship_id): (1)",
    ]  # fmt: skip
