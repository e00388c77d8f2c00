"""How much of a Chinese question a text has."""

import pytest

from workers.retrieval.coverage import covered_part

INVOICES = "发票抬头必须是公司全称，并注明税号。遗失发票的按金额的一半报销。"


@pytest.mark.parametrize(
    ("question", "part"),
    [
        ("发票丢了还能报销吗？", 0.8),  # 发票 and 报销, without 丢
        ("出国需要办签证吗？", 0.0),
        ("怎么办？", 1.0),  # nothing is asked about
        ("MySQL 的发票", 0.5),
        ("", 1.0),
    ],
)
def test_characters_count_in_pairs_that_the_text_has_too(question: str, part: float) -> None:
    assert covered_part(question, INVOICES) == part
