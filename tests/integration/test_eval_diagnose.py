"""`bullpen eval diagnose`: over real files and a Postgres of its own."""

import csv
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from workers.cli import context
from workers.cli.main import app

HEADER = ["ticket_id", "description", "root_cause", "solution", "phenomena", "symptom_group", "title"]
ROWS = [
    ["S1", "The report runs for hours", "Stale statistics", "ANALYZE", "estimated rows differ from actual rows", "slow", "t1"],
    ["S2", "The night load runs long", "Stale statistics", "ANALYZE", "the plan shows a nested loop over many rows", "slow", "t2"],
    ["L1", "The order page hangs", "Lock contention", "commit sooner", "sessions wait for a lock of another", "slow", "t3"],
    ["D1", "The server stopped", "Disk full", "add space", "no space left on device in the log", "down", "t4"],
    ["M1", "The server was killed", "Out of memory", "less work_mem", "the kernel's log names the OOM killer", "down", "t5"],
    ["N1", "Nobody can connect", "Wrong firewall rule", "open the port", "connection attempts time out at port 5432", "", "t6"],
]
METHODS = ["differential", "gar/ours", "gar/seed", "rar", "hybrid/ours", "hybrid/seed"]

Evaluate = Callable[..., Result]


@pytest.fixture
def evaluate(monkeypatch: pytest.MonkeyPatch) -> Iterator[Evaluate]:
    """`bullpen eval diagnose --tickets ...`, without embeddings; table columns are not cut off."""
    monkeypatch.setenv("BULLPEN_EMBEDDINGS", "none")
    monkeypatch.setattr("workers.cli.evaluate.console.width", 250)
    context.forget()
    yield lambda *arguments: CliRunner().invoke(app, ["eval", "diagnose", "--tickets", *map(str, arguments)])
    context.forget()


@pytest.fixture
def history(tmp_path: Path) -> Path:
    return write(tmp_path / "tickets.csv", ROWS)


def write(path: Path, rows: list[list[str]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([HEADER, *rows])
    return path


def test_a_csv_is_evaluated_and_the_report_says_on_what(evaluate: Evaluate, history: Path, tmp_path: Path) -> None:
    """D14."""
    details = tmp_path / "details.jsonl"

    ran = evaluate(history, "--method", "gar", "--json", "--details", details)

    report = json.loads(ran.stdout)
    (gar,) = report["methods"]
    played = [json.loads(line) for line in details.read_text("utf-8").splitlines()]
    assert (report["tickets"], report["cases"], report["causes"], report["histories"]) == (6, 6, 5, 1)
    assert (report["left_out"], report["dropped"], report["unread"], report["chance"]) == (2, 0, 0, 0.2)
    assert (gar["name"], gar["cases"], gar["dialogues"]) == ("gar/ours", 6, 6)
    assert (gar["false_citations"], gar["repeated_questions"]) == (0, 0)
    assert [one["ticket_id"] for one in played] == [row[0] for row in ROWS]
    assert sum(one["named"] == one["right_cause"] for one in played) / 6 == pytest.approx(gar["top1"], abs=1e-4)
    assert sum(one["turns"] for one in played) / 6 == pytest.approx(gar["mean_turns"], abs=0.01)


def test_every_method_and_profile_stands_side_by_side_with_the_baselines(evaluate: Evaluate, history: Path) -> None:
    """D14."""
    ran = evaluate(history, "--method", "all", "--by-group")

    assert ran.exit_code == 0
    assert all(name in ran.stdout for name in [*METHODS, "TF-IDF, opening to descriptions", "TF-IDF, all phenomena given"])
    assert "5 cases over 5 tickets with 4 causes in 2 histories; 2 tickets left out. Chance: 0.500." in ran.stdout
    assert "1 tickets are no cases" in ran.stdout


def test_a_withheld_description_is_found_by_nothing(evaluate: Evaluate, history: Path) -> None:
    """D14. The user's first words stand nowhere in the history, and the baseline loses what it had by them."""
    told, withheld = (json.loads(evaluate(history, "--json", *more).stdout) for more in ([], ["--withhold"]))

    assert told["baselines"][0]["top1"] > withheld["baselines"][0]["top1"]
    assert told["baselines"][2] == withheld["baselines"][2]
    assert withheld["methods"][0]["false_citations"] == 0


def test_rounds_are_dialogues_and_not_cases(evaluate: Evaluate, history: Path) -> None:
    """D14."""
    (gar,) = json.loads(evaluate(history, "--json", "--rounds", "2", "--overlook", "0.3").stdout)["methods"]

    assert (gar["cases"], gar["dialogues"]) == (6, 12)


def test_incidents_may_stand_in_a_file_of_their_own(evaluate: Evaluate, history: Path, tmp_path: Path) -> None:
    """D14. A cause that the history does not know cannot be guessed, nor counted as found."""
    incidents = write(
        tmp_path / "incidents.csv",
        [
            ["X1", "A query is slow", "Stale statistics", "", "estimated rows differ from actual rows", "", ""],
            ["X2", "Mail is late", "A cause that nobody has seen", "", "the queue of the mail server grows", "", ""],
        ],
    )

    report = json.loads(evaluate(history, "--cases", incidents, "--json").stdout)

    assert (report["cases"], report["left_out"], report["chance"]) == (2, 0, 0.1)
    assert report["methods"][0]["top1"] <= 0.5


def test_rows_that_are_not_used_are_told_and_counted(evaluate: Evaluate, tmp_path: Path) -> None:
    """D14. A twin under the same id is no other ticket of its cause."""
    path = write(tmp_path / "t.csv", [*ROWS, ["D1", *ROWS[3][1:]], ["E1", "no cause", "", "", "", "", ""]])

    ran = evaluate(path, "--json")

    report = json.loads(ran.stdout)
    assert (report["tickets"], report["left_out"], report["unread"]) == (6, 2, 2)
    assert "2 of 8 rows of t.csv are not used" in " ".join(ran.stderr.split())


@pytest.mark.parametrize(
    ("content", "arguments", "exit_code", "said"),
    [
        pytest.param(None, [], 4, "There is no file", id="no file"),
        pytest.param("", [], 2, "is empty", id="empty file"),
        pytest.param("ticket_id,description\n1,slow\n", [], 2, "holds no ticket", id="no root cause"),
        pytest.param("ticket_id,description,root_cause\n1,slow,locks\n", ["--by-group"], 2, "no ticket has a symptom_group", id="no group"),
        pytest.param("ticket_id,description,root_cause\n1,slow,locks\n", ["--opening", "root_cause"], 2, "the answer", id="the answer"),
        pytest.param("ticket_id,description,root_cause\n1,slow,locks\n", ["--details", "/no/such/x"], 2, "cannot be written", id="details"),
    ],
)
def test_what_cannot_be_evaluated_is_said_before_any_server_starts(
    evaluate: Evaluate, tmp_path: Path, content: str | None, arguments: list[str], exit_code: int, said: str
) -> None:
    path = tmp_path / "t.csv"
    if content is not None:
        path.write_text(content)

    ran = evaluate(path, *arguments)

    assert ran.exit_code == exit_code
    assert said in " ".join(ran.stderr.split())
    assert "Traceback" not in ran.stderr


def test_the_development_tickets_are_told_apart_in_their_groups(evaluate: Evaluate, eval_data: Path) -> None:
    """D14. 24 Chinese tickets in three groups; a smoke test, so no exact figures."""
    ran = evaluate(eval_data / "db_incidents" / "tickets_zh.jsonl", "--by-group", "--json")

    report = json.loads(ran.stdout)
    (gar,) = report["methods"]
    assert (report["cases"], report["dropped"], report["unread"]) == (24, 39, 4)
    assert gar["false_citations"] == 0
    assert gar["top1"] > 0.5 > 3 * report["chance"]


def test_openings_in_other_words_are_cases_and_both_halves_are_reported(evaluate: Evaluate, history: Path, tmp_path: Path) -> None:
    """D14: rewordings, with a user who does not know a third of what is asked."""
    openings = tmp_path / "openings.jsonl"
    rows = [{"ticket_id": "D1", "opening": "the machine is out of space"}, {"ticket_id": "M1", "opening": "the kernel killed it"}]
    openings.write_text("\n".join(map(json.dumps, rows)), "utf-8")

    ran = evaluate(history, "--openings", openings, "--unsure", "0.3", "--err", "0.05", "--json")

    report = json.loads(ran.stdout)
    assert report["cases"] == 2
    assert sum(value for name, value in report["figures"].items() if name.endswith("_cases")) == 2
    assert {"differential_named_right", "differential_present_or_tells", "differential_sure_and_wrong"} <= report["figures"].keys()


def test_a_cause_that_the_history_does_not_have_is_rightly_unknown(evaluate: Evaluate, history: Path) -> None:
    """D14: with `--absent` every named cause is wrong."""
    ran = evaluate(history, "--absent", "--json")

    (method,) = json.loads(ran.stdout)["methods"]
    assert (method["knowing"]["known"], method["knowing"]["absent"]) == (0, 6)
    assert method["knowing"]["right_unknown"] == method["unknown"]


def test_incidents_with_facts_are_played_by_a_user_who_knows_them(evaluate: Evaluate, history: Path, tmp_path: Path) -> None:
    """D28: a question about another system than the incident's is counted."""
    causes = {"disk": {"system": "Postgres", "tickets": ["D1"]}, "oom": {"system": "Postgres", "tickets": ["M1"]}}
    observations = {
        "space": {"system": "Postgres", "text": "no space", "wordings": ["no space left on device in the log"]},
        "killer": {"system": "Linux", "text": "OOM", "wordings": ["the kernel's log names the OOM killer"]},
    }
    incident = {"id": "i1", "system": "Postgres", "opening": "the server was killed", "cause": "disk", "facts": {"space": True}}
    other = {"id": "i2", "system": "Postgres", "opening": "certificate expired", "cause": None, "facts": {}}
    (tmp_path / "causes.json").write_text(json.dumps(causes), "utf-8")
    (tmp_path / "observations.json").write_text(json.dumps(observations), "utf-8")
    (tmp_path / "incidents.jsonl").write_text(f"{json.dumps(incident)}\n{json.dumps(other)}\n", "utf-8")
    details = tmp_path / "details.jsonl"

    ran = evaluate(history, "--incidents", tmp_path, "--json", "--details", details)
    assert ran.exit_code == 0, f"{ran.output} {ran.exception!r}"

    figures = json.loads(ran.stdout)["figures"]
    assert (figures["differential_known"], figures["differential_absent"]) == (1, 1)
    asked = [item for line in details.read_text("utf-8").splitlines() for item in json.loads(line)["asked"]]
    about_linux = [item["other_system"] for item in asked if "OOM killer" in item["text"]]
    assert about_linux
    assert all(about_linux)
    assert figures["differential_other_system"] == sum(item["other_system"] for item in asked)


def test_a_folder_without_incidents_is_refused(evaluate: Evaluate, history: Path, tmp_path: Path) -> None:
    ran = evaluate(history, "--incidents", tmp_path / "nowhere")

    assert ran.exit_code != 0
    assert "holds no incidents" in ran.output


def test_without_a_history_the_one_that_ships_is_played(monkeypatch: pytest.MonkeyPatch, evaluate: Evaluate) -> None:
    """D28: several systems, two languages, incidents in other words; the questions are those of the product."""
    ran = CliRunner().invoke(app, ["eval", "diagnose", "--max-turns", "1", "--json"])

    report = json.loads(ran.stdout)
    figures = report["figures"]
    assert (report["tickets"], report["cases"], report["unread"]) == (65, 46, 0)
    assert (figures["differential_known"], figures["differential_absent"]) == (38, 8)
    assert figures["differential_half_a_cases"] + figures["differential_half_b_cases"] == 46
    assert figures["differential_named_right"] > figures["TF_IDF,_opening_to_phenomena_top1"]
