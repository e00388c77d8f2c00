"""What `bullpen init` finds in a folder, and how it goes on where it was left."""

import os
import sqlite3
from contextlib import AbstractContextManager, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import pytest
import typer

from contracts.tables import ColumnDetail, TableDetail
from workers.cli import init
from workers.cli.init_found import Found, look_around
from workers.cli.init_steps import Progress, Step
from workers.cli.languages import SETTING, speak_as_here
from workers.engines.offered_questions import offered
from workers.engines.questions import Reader
from workers.errors import InvalidInput
from workers.named_secrets import keep_secret
from workers.sources.addresses import url_of_place

SAMPLES = Path(__file__).parents[2] / "workers" / "kinds" / "tune" / "samples" / "spark_skew"


def test_a_folder_is_looked_into_and_no_name_is_believed(tmp_path: Path):
    (tmp_path / "incidents.csv").write_text(
        "ticket_id,description,root_cause\nT1,The load hangs on a lock,Lock held by a report\n", encoding="utf-8"
    )
    (tmp_path / "tickets.csv").write_text("city,amount\nUlm,3\n", encoding="utf-8")
    (tmp_path / "notes.db").write_text("no database", encoding="utf-8")
    sqlite3.connect(tmp_path / "shop.dat").execute("CREATE TABLE orders (id INTEGER)").connection.close()
    (tmp_path / "warehouse").mkdir()
    (tmp_path / "warehouse" / "dbt_project.yml").write_text("name: shop", encoding="utf-8")
    (tmp_path / ".hidden").mkdir()
    (tmp_path / ".hidden" / "more.csv").write_text("ticket_id,description,root_cause\na,b,c\nd,e,f\n", encoding="utf-8")

    assert look_around(tmp_path) == Found(tickets=tmp_path / "incidents.csv", source=tmp_path / "shop.dat", project=tmp_path / "warehouse")


def test_an_event_log_is_found_with_the_script_beside_it():
    job = look_around(SAMPLES).job

    assert job[0].suffix not in (".py", ".scala")
    assert [path.suffix for path in job[1:]] == [".py"]


def test_an_empty_folder_has_nothing(tmp_path: Path):
    assert look_around(tmp_path) == Found()


def test_an_interrupted_run_goes_on_with_what_is_left(tmp_path: Path):
    steps = [Step(("tickets", "import", "a.csv"), "tickets"), Step(("source", "add", "shop"), "source")]
    progress = Progress(tmp_path)
    progress.begin(steps)
    progress.end(steps[0])

    again = Progress(tmp_path)

    assert again.left == (steps[1],)
    assert again.begin(steps) == [steps[1]]
    again.end(steps[1])
    assert Progress(tmp_path).begin(steps) == steps  # a run that came to its end is no reason to do nothing


def test_a_step_is_shown_as_a_shell_takes_it():
    step = Step(("ask", "it's slow", "--sql", "SELECT 1;\n"), "project", file="my models/a.sql")

    assert step.line == """bullpen ask 'it'"'"'s slow' --sql "$(cat 'my models/a.sql')\""""


def test_a_path_becomes_the_url_of_its_engine(tmp_path: Path):
    sqlite3.connect(tmp_path / "shop.db").execute("CREATE TABLE orders (id INTEGER)").connection.close()

    assert url_of_place(str(tmp_path / "shop.db")) == f"sqlite://{tmp_path}/shop.db"
    assert url_of_place(str(tmp_path)) == f"duckdb://{tmp_path}"
    assert url_of_place("postgresql://a@b/c") == "postgresql://a@b/c"
    with pytest.raises(InvalidInput, match="no such file or folder"):
        url_of_place(str(tmp_path / "nothing"))


@pytest.mark.parametrize(
    ("environment", "kept", "language"),
    [
        ({"LANG": "zh_CN.UTF-8"}, "", "zh"),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": "en_US.UTF-8"}, "", None),
        ({"LANG": "de_DE.UTF-8"}, "", None),
        ({"LANG": "C.UTF-8"}, "zh", "zh"),
        ({"LANG": "../zh"}, "", None),
    ],
)
def test_the_language_is_the_one_that_was_kept_or_that_of_the_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], kept: str, language: str | None
) -> None:
    monkeypatch.setenv("BULLPEN_SECRETS", str(tmp_path / "secrets.env"))
    for variable in ("LC_ALL", "LC_MESSAGES", "LANG", SETTING):
        monkeypatch.setenv(variable, "")
    for variable, value in environment.items():
        monkeypatch.setenv(variable, value)
    if kept:
        keep_secret(SETTING, kept)

    speak_as_here()

    assert (os.environ[SETTING] or None) == language


def test_the_first_question_is_in_one_language() -> None:
    columns = (ColumnDetail(name="channel", type="VARCHAR", description="渠道", values=("app", "web")),)
    orders = TableDetail(name="orders", columns=(*columns, ColumnDetail(name="kind", type="VARCHAR", values=("a", "b"))), rows=9)
    reader = Reader((orders,), datetime(2026, 5, 1, tzinfo=UTC))

    assert next(offered(reader, "zh")) == "每个渠道有多少订单？"
    assert next(offered(reader, "en")) == "How many orders are there per channel?"


def test_the_program_s_own_folders_are_nobody_s_data():
    """In a clone, `init` offered the tests' files."""
    found = look_around(Path(__file__).parents[2])

    places = [path for path in (found.tickets, *found.job, found.source, found.project) if path is not None]
    assert [path for path in places if path.relative_to(Path(__file__).parents[2]).parts[0] in ("docs", "tests", "workers")] == []


@pytest.mark.parametrize("interrupt", [KeyboardInterrupt, typer.Abort])
def test_ctrl_c_says_at_once_that_the_fleet_stops_and_gives_it_little_time(
    interrupt: type[BaseException], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    """A step of `init` is a command, which makes an Abort of Ctrl-C."""
    stopped: list[float | None] = []
    before: list[str] = []

    def stop(grace_s: float | None) -> None:
        before.append(capsys.readouterr().err)
        stopped.append(grace_s)

    def nothing(*_: object) -> None:
        return None

    def servers(_: object) -> AbstractContextManager[None]:
        return nullcontext()

    def group(*_: object) -> tuple[object, None]:
        return SimpleNamespace(start=nothing, watch_once=nothing, stop=stop), None

    monkeypatch.setenv("BULLPEN_HOME", str(tmp_path))
    for called in ("write_addresses", "_is_working"):
        monkeypatch.setattr(init, called, nothing)
    monkeypatch.setattr(init, "local_servers", servers)
    monkeypatch.setattr(init, "fleet_group", group)

    with pytest.raises(interrupt), init._fleet():  # pyright: ignore[reportPrivateUsage]
        raise interrupt

    assert stopped == [init.LEAVES_S]
    assert "Stopping" in before[0]
