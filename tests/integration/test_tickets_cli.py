"""`bullpen tickets`."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from tests.support.openai_server import Say, good, openai_server
from workers.blackboard.engine import Database
from workers.cli import context
from workers.cli.display import short_id
from workers.cli.main import app

ROW = {"ticket_id": "T-1", "description": "orders [bold]are slow", "root_cause": "a missing index", "phenomena": "seq scan"}


@pytest.fixture
def tickets(database_url: str, broker_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Result]]:
    monkeypatch.setenv("BULLPEN_DATABASE_URL", database_url)
    monkeypatch.setenv("BULLPEN_BROKER_URL", broker_url)
    monkeypatch.setenv("BULLPEN_EMBEDDINGS", "none")
    context.forget()
    yield lambda *arguments: CliRunner().invoke(app, ["tickets", *arguments])
    context.forget()


def write(folder: Path, *rows: object) -> str:
    path = folder / "t.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in rows))
    return str(path)


def test_a_history_is_imported_searched_shown_and_deleted(tickets: Callable[..., Result], tmp_path: Path) -> None:
    """D4."""
    imported = tickets("import", write(tmp_path, ROW))
    found = json.loads(tickets("search", "slow orders", "--json").stdout)
    shown = json.loads(tickets("show", "T-1", "--json").stdout)
    table = tickets("search", "slow")
    stats = json.loads(tickets("stats", "--json").stdout)
    deleted = tickets("delete", "T-1")

    assert (imported.exit_code, imported.stdout.strip()) == (0, "1 imported, 0 updated, 0 unchanged.")
    assert [(hit["ticket_id"], hit["root_cause"]) for hit in found] == [("T-1", "a missing index")]
    assert [anomaly["description"] for anomaly in shown["anomalies"]] == ["seq scan"]
    assert "orders [bold]are slow" in table.stdout
    assert stats == {"tickets": 1, "causes": 1, "phenomena": 1}
    assert deleted.exit_code == 0
    assert tickets("show", "T-1").exit_code == 4


def test_a_ticket_of_a_job_is_named_by_the_job_as_lists_print_it(tickets: Callable[..., Result], tmp_path: Path) -> None:
    job, other = "01a23171-0f1e-7451-b91b-2e40fc90f34d", "01a23171-0f1e-7451-b91b-3e40fc90f34d"
    tickets("import", write(tmp_path, *({**ROW, "ticket_id": f"bullpen-{each}"} for each in (job, other))))

    shown = json.loads(tickets("show", f"bullpen-{short_id(job)}", "--json").stdout)

    assert shown["ticket_id"] == f"bullpen-{job}"
    assert tickets("show", "bullpen-c90f34d").exit_code == 4, "two end like this"
    assert tickets("show", "other-2e40fc90f34d").exit_code == 4
    assert tickets("delete", f"bullpen-{short_id(job)}").exit_code == 0
    assert tickets("show", f"bullpen-{other}").exit_code == 0


def test_an_id_that_others_made_is_never_taken_for_another(tickets: Callable[..., Result], tmp_path: Path) -> None:
    """A wrong number of a ticket deleted the one that ended like it."""
    job = "01a23171-0f1e-7451-b91b-2e40fc90f34d"
    there = ("INC-9123456", "OPS-2024-000017", f"bullpen-{job}", "bullpen-1-0123456789ab")
    tickets("import", write(tmp_path, *({**ROW, "ticket_id": each} for each in there)))

    for wrong in ("INC-123456", "OPS-000017", "bullpen-40fc90f34d", "bullpen-0f1e-7451-b91b-2e40fc90f34d", "bullpen-0123456789ab"):
        assert {tickets(what, wrong).exit_code for what in ("show", "delete", "undo")} == {4}, wrong
    assert [tickets("show", each).exit_code for each in there] == [0, 0, 0, 0]


def test_a_ticket_that_was_just_deleted_is_the_one_that_is_undone(tickets: Callable[..., Result], tmp_path: Path) -> None:
    job, other = "01a23171-0f1e-7451-b91b-2e40fc90f34d", "02a23171-0f1e-7451-b91b-2e40fc90f34d"
    short = f"bullpen-{short_id(job)}"
    tickets("import", write(tmp_path, {**ROW, "ticket_id": f"bullpen-{job}"}))

    assert tickets("delete", short).exit_code == 0
    assert tickets("undo", short).exit_code == 0
    assert tickets("show", short).exit_code == 0
    tickets("import", write(tmp_path, {**ROW, "ticket_id": f"bullpen-{other}"}))
    assert tickets("delete", f"bullpen-{job}").exit_code == 0
    assert tickets("undo", short).exit_code == 4, "it was the neighbour's import that was undone"
    assert tickets("undo", f"bullpen-{job}").exit_code == 0
    assert tickets("show", f"bullpen-{other}").exit_code == 0


def test_an_encoding_that_was_told_from_the_text_is_said_and_one_that_is_unclear_is_asked_for(
    tickets: Callable[..., Result], tmp_path: Path
) -> None:
    """Case 14."""
    german, czech = tmp_path / "german.csv", tmp_path / "czech.csv"
    german.write_text("ticket_id;description;root_cause\nT-1;Läufe für Köln hängen;Größe\n", encoding="cp1252")
    czech.write_text("ticket_id;description;root_cause\nT-2;dotaz bere moc dlouho;čas\n", encoding="cp1250")

    looked, refused = tickets("import", str(german), "--dry-run"), tickets("import", str(czech))
    imported = tickets("import", str(german), "--json")
    given = tickets("import", str(czech), "--encoding", "windows-1250")

    assert "german.csv is not UTF-8 and was read as windows-1252." in " ".join(looked.stdout.split())
    assert json.loads(imported.stdout)["encoding"] == "windows-1252"
    assert refused.exit_code == 2
    assert "--encoding" in refused.output
    assert given.stdout.strip() == "1 imported, 0 updated, 0 unchanged."
    assert json.loads(tickets("show", "T-2", "--json").stdout)["root_cause"] == "čas"


def test_refused_rows_have_an_exit_code_of_their_own(tickets: Callable[..., Result], tmp_path: Path) -> None:
    path = write(tmp_path, ROW, {"ticket_id": "T-2"})

    strict = tickets("import", path, "--strict")
    report = tickets("import", path, "--json")

    assert (strict.exit_code, report.exit_code) == (3, 3)
    assert "Nothing was imported" in strict.stdout
    assert json.loads(report.stdout)["imported"] == 1
    assert json.loads(report.stdout)["problems"][0]["line"] == 2


def test_an_import_of_nothing_has_failed(tickets: Callable[..., Result], tmp_path: Path) -> None:
    """`init` went on to a diagnosis without a history."""
    path = write(tmp_path, {"ticket_id": "T-2"})

    assert (tickets("import", path, "--dry-run").exit_code, tickets("import", path).exit_code) == (1, 1)


def test_a_reindex_says_what_differed(tickets: Callable[..., Result], tmp_path: Path, database_url: str) -> None:
    tickets("import", write(tmp_path, ROW))
    nothing = tickets("reindex")
    db = Database(database_url)
    db.statement("UPDATE causes SET ticket_count = 9")
    db.close()
    found = json.loads(tickets("reindex", "--json").stdout)

    assert nothing.exit_code == 0
    assert "Nothing differed" in nothing.stdout
    assert (found["tickets"], {what: number for what, number in found["differed"].items() if number}) == (1, {"causes": 1})


def test_a_file_that_is_not_there_is_no_such_thing(tickets: Callable[..., Result], tmp_path: Path) -> None:
    assert tickets("import", str(tmp_path / "absent.csv")).exit_code == 4


def test_a_model_reads_the_prose_of_tickets_when_it_is_asked_to(
    tickets: Callable[..., Result], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D2: over HTTP; words that the ticket does not have are left out, and an answer of no use leaves what the rules read."""
    row = {"ticket_id": "T-7", "description": "Checkout hangs. Nobody at the tills gets a receipt", "root_cause": "spooler full"}
    path = write(tmp_path, row)
    missing = tickets("import", path, "--engine", "llm")
    assert (missing.exit_code, "needs a model" in missing.stderr) == (2, True)
    with openai_server() as server:
        monkeypatch.setenv("BULLPEN_MODEL", "test-model")
        monkeypatch.setenv("BULLPEN_MODEL_BASE_URL", server.base_url)
        context.forget()
        server.will(Say("no JSON"))
        useless = tickets("import", path, "--engine", "llm")
        assert (useless.exit_code, "of no use for 1 ticket" in useless.stderr) == (0, True)

        said = [{"quote": "Nobody at the tills gets a receipt", "check": ""}, {"quote": "tills are broken", "check": "rm -rf /"}]
        server.will(good({"observations": said}))
        looked = tickets("import", path, "--engine", "llm", "--dry-run", "--json")
        imported = tickets("import", path, "--engine", "llm")
        shown = json.loads(tickets("show", "T-7", "--json").stdout)

    assert (looked.exit_code, imported.exit_code) == (0, 0)
    texts = [anomaly["description"] for anomaly in shown["anomalies"]]
    assert "Nobody at the tills gets a receipt" in texts
    assert "tills are broken" not in texts
    assert json.loads(looked.stdout)["examples"][0]["anomalies"] == shown["anomalies"]
    assert "Nobody at the tills" in server.asked[0].user_text


UNKNOWN = {
    "cases": [
        {"ref": "C-1", "told": "Mail bounces", "extra": [{"k": "Why", "v": "no SPF"}, {"k": "How", "v": "added"}]},
        {"ref": "C-2", "told": "Drive is read only", "extra": [{"k": "Why", "v": "a bad disk"}, {"k": "How", "v": "replaced"}]},
    ]
}


def test_a_form_that_is_not_known_is_shown_or_a_model_says_what_it_means(
    tickets: Callable[..., Result], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is stored before somebody agrees; the mapping that is shown imports the file without a model."""
    path = tmp_path / "cases.json"
    path.write_text(json.dumps(UNKNOWN))
    shown = tickets("import", str(path))
    listed = json.loads(tickets("import", str(path), "--dry-run", "--json").stdout)
    fields = [("ref", "ticket_id"), ("told", "description"), ("extra[k=Why].v", "root_cause"), ("extra[k=How].v", "solution")]
    with openai_server() as server:
        monkeypatch.setenv("BULLPEN_MODEL", "test-model")
        monkeypatch.setenv("BULLPEN_MODEL_BASE_URL", server.base_url)
        context.forget()
        server.will(good({"records": "cases", "fields": [{"path": path, "holds": holds} for path, holds in fields]}))
        asked = tickets("import", str(path))
        looked = tickets("import", str(path), "--dry-run", "--json")
        rules = tickets("import", str(path), "--engine", "rules")
    stored = tickets("stats", "--json")
    pairs = json.loads(looked.stdout)["map"]
    imported = tickets("import", str(path), *(word for pair in pairs for word in ("--map", pair)))

    assert (shown.exit_code, rules.exit_code) == (1, 1)
    assert "extra[k=Why].v" in shown.stdout
    assert "--map cases=records" in shown.stdout
    assert listed["template"][:2] == ["cases=records", "...=ticket_id"]
    assert [field["path"] for field in listed["shape"]["fields"]] == ["ref", "told", "extra[k=Why].v", "extra[k=How].v"]
    assert asked.exit_code == 7
    assert "--map 'extra[k=Why].v=root_cause'" in asked.stdout
    assert json.loads(stored.stdout)["tickets"] == 0
    assert (looked.exit_code, imported.exit_code) == (0, 0)
    assert json.loads(tickets("show", "C-2", "--json").stdout)["solution"] == "replaced"


def test_a_model_reads_the_cause_that_no_column_has_and_says_what_it_takes(
    tickets: Callable[..., Result], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A ticket of which it finds none is refused."""
    rows = (
        {"ticket_id": "T-8", "description": "Tills hang. The spooler was full, we emptied it"},
        {"ticket_id": "T-9", "description": "The door is stuck"},
    )
    path = write(tmp_path, *rows)
    with openai_server() as server:
        monkeypatch.setenv("BULLPEN_MODEL", "test-model")
        monkeypatch.setenv("BULLPEN_MODEL_BASE_URL", server.base_url)
        context.forget()
        server.will(good({"cause": "The spooler was full", "fix": "we emptied it", "observations": []}))
        imported = tickets("import", path, "--map", "ticket_id=ticket_id", "--engine", "llm")
    shown = json.loads(tickets("show", "T-8", "--json").stdout)

    assert imported.exit_code == 3
    assert "2 tickets hold prose that no model has read" in " ".join(imported.stderr.split())
    assert "bullpen tickets show T-8" in imported.stderr
    assert (shown["root_cause"], shown["solution"]) == ("The spooler was full", "we emptied it")
    assert tickets("show", "T-9").exit_code == 4
