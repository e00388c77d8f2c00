"""`bullpen submit KIND --file`: JSON, or a text that becomes the request's words."""

import json
from pathlib import Path

import pytest

from workers.cli.requests import build_request
from workers.errors import InvalidInput
from workers.kinds.registry import load_kinds


@pytest.fixture(autouse=True)
def kinds() -> None:
    load_kinds()


def build(path: Path) -> dict[str, object]:
    return build_request("etl", [], str(path), [], {"source": "shop"})


def test_a_markdown_file_is_the_requirement(tmp_path: Path) -> None:
    path = tmp_path / "requirement.md"
    path.write_text("# Need\n\n建立 region_revenue：每个地区的收入。\n", "utf-8-sig")

    assert build(path) == {"kind": "etl", "requirement": "# Need\n\n建立 region_revenue：每个地区的收入。\n", "source": "shop"}


def test_a_json_file_has_the_fields(tmp_path: Path) -> None:
    path = tmp_path / "request.json"
    path.write_text(json.dumps({"requirement": "revenue per region", "dialect": "spark"}), "utf-8")

    assert build(path) == {"kind": "etl", "requirement": "revenue per region", "dialect": "spark", "source": "shop"}


def test_a_file_that_is_no_text_is_refused_with_its_name(tmp_path: Path) -> None:
    path = tmp_path / "requirement.txt"
    path.write_bytes(b"\xff\xfe\x00\x81")

    with pytest.raises(InvalidInput, match=r"requirement\.txt is not UTF-8"):
        build(path)
    with pytest.raises(InvalidInput, match="Cannot read"):
        build(tmp_path / "nowhere.md")
