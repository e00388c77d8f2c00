"""S38: facts about the user, and what they make of "my region"."""

import pytest

from workers.kinds.ask.rules.background import facts_in, with_background


@pytest.mark.parametrize(
    ("about", "expected"),
    [
        ("department=sales, region = East", {"department": "sales", "region": "East"}),
        ("部门：销售；区域：华东", {"部门": "销售", "区域": "华东"}),
        ("cost centre: 4711\nregion=North West", {"cost centre": "4711", "region": "North West"}),
        ("I work in sales", {}),
        ("", {}),
        ("= , :", {}),
    ],
)
def test_facts_are_names_with_values(about: str, expected: dict[str, str]) -> None:
    assert facts_in(about) == expected


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("orders of my region in May", "orders of East in May"),
        ("orders of Our own REGION", "orders of East"),
        ("orders by region", "orders by region"),
        ("my regional manager", "my regional manager"),
        ("by my region = West I mean another", "by my region = West I mean another"),
    ],
)
def test_my_region_is_its_value(words: str, expected: str) -> None:
    assert with_background(words, "region=East") == expected


@pytest.mark.parametrize("words", ["我们区域的订单", "我的区域的订单", "本区域的订单", "我所在的区域的订单"])
def test_so_it_is_in_chinese(words: str) -> None:
    assert with_background(words, "区域：华东") == "华东的订单"


def test_a_value_is_no_pattern() -> None:
    assert with_background("my region", r"region=\\1 (x)") == r"\\1 (x)"
