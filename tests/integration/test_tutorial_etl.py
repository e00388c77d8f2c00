"""The commands of the tutorial of `etl` do what the page says, on a database as it describes, without a model."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from tests.support.commands import Commands, commands_on

PAGES = Path(__file__).parents[2] / "docs" / "tutorials"
ORDERS = """
CREATE TABLE orders (order_id INTEGER PRIMARY KEY, city VARCHAR, amount_eur DECIMAL(8, 2), status VARCHAR, ordered_on DATE);
COMMENT ON TABLE orders IS 'One row for each order';
COMMENT ON COLUMN orders.city IS 'City of the customer 城市';
COMMENT ON COLUMN orders.ordered_on IS 'Day of the order 下单日期';
INSERT INTO orders SELECT i, ['Bern', 'Basel'][1 + i % 2], i, ['delivered', 'open'][1 + i % 3 % 2], DATE '2025-01-01' + i::INTEGER
FROM range(200) AS r(i);
"""


@pytest.fixture
def bullpen(database_url: str, broker_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Commands]:
    monkeypatch.chdir(tmp_path)
    with duckdb.connect(tmp_path / "shop.duckdb") as made:
        made.execute(ORDERS)
    (tmp_path / "requirement.md").write_text("We need the turnover per city: the sum of amount_eur of delivered orders.", "utf-8")
    with commands_on(database_url, broker_url, tmp_path / "home", monkeypatch) as commands:
        yield commands


@pytest.mark.parametrize("page", ["etl.md", "etl.zh.md"])
def test_a_database_and_a_paragraph_become_a_package(bullpen: Commands, tmp_path: Path, page: str) -> None:
    text = (PAGES / page).read_text("utf-8").partition("\n## 5.")[0]
    (spec,) = re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)
    commands = [
        shlex.split(line, comments=True) for block in re.findall(r"```bash\n(.*?)```", text, re.DOTALL) for line in block.splitlines()
    ]
    job, packages = "", 0
    for words in commands:
        if words[0] == "$EDITOR":
            Path(words[1]).write_text(spec, "utf-8")
        elif words[1] == "export":
            bullpen.out(*(job if word == "JOB" else word for word in words[1:]))
        elif words[1] == "submit" and "--file" not in words:  # a model reads the paragraph
            job = bullpen.out(*(word for word in words[1:] if word != "--wait")).strip()
            bullpen.run_all()
            assert bullpen.json("show", job)["status"] == "succeeded"
            packages += 1
        elif words[1] != "submit":
            bullpen.out(*words[1:])

    assert packages == 2
    assert "SUM(" in "".join(file.read_text("utf-8") for file in (tmp_path / "turnover_by_city" / "models").rglob("*.sql"))
