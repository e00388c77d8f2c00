"""tests/five_runs.md shows what the five runs give (`python -m tests.five_runs` prints them)."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.five_runs import MONTHS, REVENUE, all_five
from tests.support.benches import silent_bench
from tests.support.databases import Databases
from tests.support.etl_jobs import FACTS
from workers.catalogue import offer_sample
from workers.settings import load_settings

SHOWN = (Path(__file__).parents[1] / "five_runs.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(?:yaml)?\n(.*?)```", SHOWN, re.DOTALL)


def bare(text: str) -> str:
    """Without the width at which it is shown: lines and columns run on."""
    return re.sub(r"[\s│]+", " ", text).strip()


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory, databases: Databases) -> Iterator[list[list[str]]]:
    settings = load_settings().model_copy(update={"home": tmp_path_factory.mktemp("home"), "embeddings": "none"})
    with silent_bench(settings, databases) as bench:
        offer_sample(bench.database, bench.settings.data_dir)
        yield [lines for _, lines in all_five(bench)]


def test_the_docs_show_the_requirements_that_are_played() -> None:
    assert bare(FACTS).startswith(bare(BLOCKS[0]))
    assert f"`{MONTHS}`" in SHOWN
    assert f"`{REVENUE}`" in SHOWN


def test_the_docs_show_what_the_runs_give(printed: list[list[str]]) -> None:
    """The trial of the first, the Chinese one as it is shown, the question of the third; in which version of DuckDB is not compared."""
    facts, months, revenue, _, _ = (re.sub(r"duckdb [\d.]+", "duckdb", bare(" ".join(lines))) for lines in printed)

    for line in re.sub(r"duckdb [\d.]+", "duckdb", BLOCKS[1]).strip().splitlines():
        check = re.sub(r"^.*?passed ", "", bare(line))
        assert check == "" or check in facts
    for line in re.sub(r"duckdb [\d.]+", "duckdb", BLOCKS[2]).strip().splitlines():
        assert bare(line) in months
    question = bare(re.sub(r"[╭╮╰╯─]|analysis asks", " ", BLOCKS[3].partition("╰")[0]))
    assert question in revenue
    assert "region_revenue is done" in revenue


def test_the_docs_show_the_counterexample_of_the_fan_out(printed: list[list[str]]) -> None:
    """Each value that the docs name is of the same row; the review's score is the one they give."""
    lines = printed[3]
    rows = dict(line.split(": ", 1) for line in lines[: next(at for at, line in enumerate(lines) if line == "script/1")] if ": " in line)

    assert f"({lines[0]})" in SHOWN
    for line in filter(None, map(bare, BLOCKS[4].splitlines())):
        table, _, values = re.sub(r"^(The script gives|It should give):? ?", r"\1: ", line).partition(": ")
        for row in re.split(r" · ", values.strip()):
            assert any(all(value.strip() in found.split(", ") for value in row.split(",")) for found in rows[table].split(" · ")), line


def test_the_docs_show_which_steps_a_change_redoes(printed: list[list[str]]) -> None:
    """`script/2` is not touched."""
    assert re.findall(r"^[0-9a-f]{12}\s+(\S+)", BLOCKS[5], re.MULTILINE) == printed[4]
    assert "script/2" not in printed[4]
