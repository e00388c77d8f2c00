"""How answers at first sight are compared with what is known of a case: tune and analyze."""

from pathlib import Path

import pytest
import yaml

from tests.bench.spark_jobs.bundles import labels
from tests.evals.analyze_first_sight import Findings, figures_in, is_among, judged, read_data
from tests.evals.tune_first_sight import read_form, statement_at

CASES = Path(__file__).parents[1] / "evals" / "analyze_cases"


@pytest.mark.parametrize(
    ("figure", "text", "is_said"),
    [
        (34.2, "a share of 34.2 %", True),
        (34.2, "34.17 per cent", True),
        (34.2, "0.3417", True),
        (27519.2, "损失 27,519.20 元", True),
        (34.2, "34 of 100", False),
        (1.22, "above the limit 1.2", False),
    ],
)
def test_a_figure_is_said_with_as_many_decimals_or_more(figure: float, text: str, is_said: bool) -> None:
    assert is_among(figure, figures_in(text)) is is_said


@pytest.mark.parametrize(
    ("text", "change", "line"),
    [
        ("CLASS: other\nCAUSE: a loop.\nLINE: 13\nCHANGE: cache `known`\nand release it", "cache `known`\nand release it", 13),
        ("**CLASS:** other\n**CAUSE:** a loop.\n**LINE:** line 9\n**CHANGE:** none", "", 9),
    ],
)
def test_a_plain_answer_is_read_in_its_four_parts(text: str, change: str, line: int) -> None:
    assert read_form(text) == {"class": "other", "cause": "a loop.", "line": line, "change": change}


def test_a_line_is_right_in_the_statement_that_is_to_blame_and_of_a_loop_in_its_head() -> None:
    by_id = {label.id: label for label in labels(of="library")}

    for label in by_id.values():
        assert label.is_healthy or label.line() in statement_at(label)
    assert list(statement_at(by_id["quarters_counted"])) == [13]


def test_every_task_has_an_answer_that_its_skill_s_rules_alone_give(tmp_path: Path) -> None:
    """`read_data` raises where a forgotten rule gives the same figures."""
    data = read_data(CASES, tmp_path)
    tasks = yaml.safe_load((CASES / "tasks.yaml").read_text("utf-8"))

    assert sum(len(source.cases) for source in data) == len(tasks) == 12
    for source in data:
        for task in source.cases:
            cells, never = source.gold(task)
            own = " ".join(map(str, cells)) or "There is nothing of that in the data."
            right = judged(source, task, {"kind": "answered", "findings": Findings("answered", own)})
            wrong = judged(source, task, {"kind": "answered", "findings": Findings("answered", f"{own} {never[0]}")})
            stray = judged(source, task, {"kind": "answered", "findings": Findings("answered", own, own_words="987654.3")})
            assert right["right"], task["id"]
            assert stray["stray"] == ["987654.3"]
            assert wrong["wrong"] or not task["expect"] or is_among(never[0], [float(cell) for cell in cells if not isinstance(cell, str)])
