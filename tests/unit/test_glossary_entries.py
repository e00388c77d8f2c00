"""What a document's glossary says of a term is read to its end, however it is laid out."""

from pathlib import Path

import pytest

from contracts.catalogue import EdgeKind, NodeKind
from contracts.tables import TableDetail
from workers.catalogue.forms.documents import read_documents
from workers.catalogue.forms.glossary import MOST_CHARACTERS, entries_in
from workers.catalogue.nodes import Edge, Node

WHOLE = "the sum of `orders.amount`. Refunded orders count nothing. Value added tax is included."
PARTS = ("the sum of `orders.amount`. Refunded", "orders count nothing. Value added tax", "is included.")


def read(folder: Path, text: str, name: str = "guide.md") -> list[object]:
    (folder / name).write_text(text, "utf-8")
    return list(read_documents(folder / name, "shop", [TableDetail(name="orders", schema_name="main", columns=())]))


def terms(items: list[object]) -> dict[str, str]:
    return {item.key: str(item.content["description"]) for item in items if isinstance(item, Node) and item.kind is NodeKind.TERM}


@pytest.mark.parametrize(
    "entry",
    [
        "- **Revenue**: " + "\n  ".join(PARTS),
        "- **Revenue**: " + "\n".join(PARTS),
        "1. **Revenue** (turnover)\n   " + "\n   ".join(PARTS),
        "* __Revenue:__ {}\n\n  {}\n  {}".format(*PARTS),
        "**Revenue**: " + "\n".join(PARTS),
        "**Revenue**: the sum of `orders.amount`. Refunded orders count nothing.\n\nValue added tax is included.",
        "Revenue\n: " + "\n  ".join(PARTS),
        "Revenue\n\n: {} {}\n\n    {}".format(*PARTS),
        "| Term | Meaning |\n|---|---|\n| Revenue | " + " ".join(PARTS) + " |",
        "| | |\n|---|---|\n| **Revenue** | " + " ".join(PARTS) + " |",
    ],
)
def test_an_entry_is_read_to_its_end(tmp_path: Path, entry: str) -> None:
    found = read(tmp_path, f"# Guide\n\n## Glossary\n\nWhat we mean.\n\n{entry}\n\n- **Order**: a row of `orders`\n")

    assert terms(found) == {"Revenue": WHOLE, "Order": "a row of `orders`"}
    assert sum(isinstance(item, Edge) and item.kind is EdgeKind.SYNONYM for item in found) == 2


@pytest.mark.parametrize(
    "entry",
    [
        "<ul><li><p><strong>Revenue</strong>: the sum of <code>orders.amount</code>.</p>\n <p>Refunded orders count nothing.\n "
        "Value added tax<br>is included.</p></li> <li><b>Order</b>: a row</ul>",
        "<dl><dt>Revenue</dt>\n<dd><p>the sum of <code>orders.amount</code>. Refunded orders</p><p>count nothing.</p> "
        "Value added tax is included."
        "<dt>Order<dd>a row</dl>",
        "<table><tr><th>Term</th><th>Meaning</th></tr><tr><td>Revenue</td><td><p>the sum of <code>orders.amount</code>.</p>"
        "<p>Refunded orders count nothing.</p><p>Value added tax is included.</p></td></tr><tr><td>Order</td><td>a row</td></tr></table>",
    ],
)
def test_an_entry_of_a_page_is_read_to_its_end(tmp_path: Path, entry: str) -> None:
    found = read(tmp_path, f"<h1>Guide</h1><h2>Glossary</h2>{entry}<p>The end.</p>", "guide.html")

    assert terms(found) == {"Revenue": WHOLE, "Order": "a row"}


def test_chinese_lines_are_joined_without_blanks(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        "# 手册\n\n## 术语\n\n- **收入**（营收、营业额）：已付款订单的\n  金额之和，\n  含税。\n- **客单价**：收入除以\n  GMV 订单数\n",
    )

    assert terms(found) == {"收入": "已付款订单的金额之和，含税。", "客单价": "收入除以 GMV 订单数"}


def test_nested_items_belong_to_their_term_and_a_group_has_terms_of_its_own() -> None:
    text = (
        "- **Sales**\n  - **Revenue** is the sum of amounts of\n    - paid orders\n    - **not** the refunded\n      ones\n"
        "  - **AOV**: revenue\n    per order\n\nAll is in euros."
    )

    assert [(entry.name, entry.text) for entry in entries_in(text)] == [
        ("Revenue", "is the sum of amounts of; paid orders; **not** the refunded ones"), ("AOV", "revenue per order"),
    ]  # fmt: skip


def test_a_bold_word_at_the_start_of_a_wrapped_line_is_no_term() -> None:
    assert [entry.name for entry in entries_in("- **Revenue**: refunds count\n  **nothing** here\n\n**Net**: a\n**Gross**: b")] == [
        "Revenue", "Net", "Gross",
    ]  # fmt: skip


def test_a_table_of_other_things_gives_no_terms() -> None:
    assert not list(entries_in("| Country | Days |\n|---|---|\n| Germany | 30 |\n| France | 45 |"))


def test_a_definition_that_is_cut_says_so(tmp_path: Path) -> None:
    found = read(tmp_path, "# Glossary\n\n- **Revenue**: " + "\n  ".join(["all that we sold"] * 400))

    assert len(terms(found)["Revenue"]) == MOST_CHARACTERS
    assert terms(found)["Revenue"].endswith("…")
