"""A finished job's result as Markdown or a page, in a language of the reader's choice, without running anything again."""

from uuid import UUID

import pytest

from tests.support.commands import Commands


@pytest.fixture
def diagnosed(bullpen: Commands) -> UUID:
    """A diagnosis over an empty history: the cause is unknown."""
    job = UUID(bullpen.out("submit", "diagnose", "queries got slow").strip())
    bullpen.run_all()
    for _ in range(5):
        if bullpen.json("show", job)["status"] == "waiting_human":
            bullpen.out("answer", job, "unknown")
            bullpen.run_all()
    return job


def is_chinese(text: str) -> bool:
    return any("\u4e00" <= sign <= "\u9fff" for sign in text)


def test_a_result_is_printed_as_markdown_in_two_languages(bullpen: Commands, diagnosed: UUID) -> None:
    steps = len(bullpen.json("show", diagnosed)["steps"])

    english = bullpen.out("show", diagnosed, "--format", "md", "--language", "en")
    chinese = bullpen.out("show", diagnosed, "--format", "md", "--language", "zh")

    assert english.startswith("# ")
    assert chinese.startswith("# ")
    assert (is_chinese(english), is_chinese(chinese)) == (False, True)
    assert len(bullpen.json("show", diagnosed)["steps"]) == steps, "nothing was run again"


def test_a_page_needs_nothing_beside_it(bullpen: Commands, diagnosed: UUID) -> None:
    page = bullpen.out("show", diagnosed, "--format", "html", "--language", "zh")

    assert page.lower().startswith("<!doctype html>")
    assert 'lang="zh"' in page
    assert "<script" not in page
    assert "src=" not in page


def test_a_kind_without_a_view_is_printed_as_its_values(bullpen: Commands) -> None:
    job = bullpen.submit(kind="noop")
    bullpen.run_all()

    assert '"stage": "s6"' in bullpen.out("show", job, "--format", "md")


def test_a_format_is_refused_where_it_means_nothing(bullpen: Commands) -> None:
    job = bullpen.submit(kind="noop")

    assert "has no result to print" in bullpen.fails("show", job, "--format", "md", code=5)
    assert "leave --json and --stage out" in bullpen.fails("show", job, "--format", "html", "--json", code=2)
