"""Every command through a gateway (`BULLPEN_URL`), on one fleet: the same output as on the fleet's own machine."""

import json
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from contracts.access import Scope
from tests.support.databases import Databases
from tests.support.remote import BothWays, RemoteFleet, both_ways, key_of, leaves, remote_fleet
from tests.support.servers import Servers
from workers.blackboard import quarantine
from workers.cli.main import COMMANDS, load_command

TICKETS = [
    {"ticket_id": "T-1", "description": "orders arrive late", "root_cause": "a lock on the table orders", "solution": "drop the index"},
    {"ticket_id": "T-2", "description": "the nightly report is empty", "root_cause": "the loader failed", "solution": "load again"},
]


@pytest.fixture(scope="module")
def fleet(servers: Servers, databases: Databases, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RemoteFleet]:
    servers.flush_broker()
    with databases.lend() as url, remote_fleet(url, servers.valkey.url, tmp_path_factory.mktemp("fleet")) as running:
        yield running


@pytest.fixture
def bullpen(fleet: RemoteFleet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[BothWays]:
    with both_ways(fleet, tmp_path / "home", monkeypatch) as commands:
        yield commands


REFUSED = ("init", "secrets set", "secrets list", "secrets remove",
    "up", "demo", "try", "worker", "flower", "gateway", "mcp", "console", "db migrate", "db current", "spec new", "spec check",
    "spec show",
)  # fmt: skip
"""They make sense only on the fleet's own machine, and say so."""
BESIDE_THE_DATABASE = ("tickets read",)
"""They ask a model for long, and refuse to do so over a gateway."""
OF_THIS_MACHINE = ("settings", "skills list", "skills show", "skills validate", "skills test", "logs check", "system checks")
"""They look at settings, files and queries of this machine, and ask no fleet."""
OF_MANY_KINDS = ("eval ", "submit ", "chat ")
"""Groups with a command for each kind."""
TRIED = (
    "jobs", "show", "watch", "export", "why", "answer", "instruct", "feedback", "cancel", "revise", "unpin", "replay",
    "fork", "pause", "resume", "drain", "doctor", "audit", "purge", "session list", "session show", "session clear", "session say",
    "quarantine list", "quarantine groups", "quarantine show", "quarantine replay", "quarantine give-up", "quarantine advise",
    "keys create", "keys list", "keys revoke", "tickets import", "tickets search", "tickets show", "tickets edit", "tickets delete",
    "tickets undo", "tickets changes", "tickets reindex", "tickets stats", "source add", "source list", "source check", "source remove",
    "source query", "source writable", "source policy set", "source policy list", "source policy remove", "catalogue import",
    "catalogue search", "catalogue show", "catalogue lineage", "catalogue reindex", "logs add", "logs list", "logs remove", "logs ask",
    "system add", "system list", "system look", "system remove", "metrics add", "metrics list", "metrics remove", "metrics run",
    "checks list", "checks test", "checks add", "checks approve", "checks remove",
    "logs run", "tools list", "tools calls", "skills reindex",
)  # fmt: skip


def test_every_command_is_tried_here() -> None:
    """A new command has to be put into one of the three lists, and then it is tried."""
    every = {name for entry in COMMANDS for name in leaves(load_command(entry), (entry,))}

    assert {name for name in every if not f"{name} ".startswith(OF_MANY_KINDS)} == {
        *REFUSED,
        *BESIDE_THE_DATABASE,
        *OF_THIS_MACHINE,
        *TRIED,
    }


@pytest.mark.parametrize("command", [*REFUSED, "eval ask"])
def test_a_command_of_the_fleets_machine_says_so_in_one_line(bullpen: BothWays, fleet: RemoteFleet, command: str) -> None:
    said = bullpen.far.fails(*command.split(), code=2)

    assert said.startswith(f"Error: `bullpen {command.split()[0]}` works on the fleet's own machine")
    assert fleet.url in said
    assert bullpen.far.out(command.split()[0], "--help")


def test_commands_of_this_machine_need_no_fleet(bullpen: BothWays, fleet: RemoteFleet) -> None:
    known = bullpen.far.json("settings")
    assert (known["url"]["value"], known["key"]["value"]) == (fleet.url, "***")
    assert bullpen.far.json("skills", "validate")["valid"]
    assert "valid" in bullpen.far.out("logs", "check", '{app="x"}', "--json")


def test_a_refusal_is_in_the_language_that_was_asked_for(bullpen: BothWays) -> None:
    """By this program and by the gateway; the next command speaks English again."""
    for commands in (bullpen.far, bullpen.near):
        for command in ("show", "why", "watch"):
            said = commands.fails(command, uuid4(), "--language", "zh", code=4)
            assert said.startswith("错误：没有任务"), said
            assert commands.fails(command, uuid4(), code=4).startswith("Error: There is no job")


def settled_job(bullpen: BothWays, *arguments: object) -> UUID:
    """A job, made through the gateway, that has stopped by itself."""
    job = UUID(bullpen.far.out("submit", "noop", "hello", *arguments).strip())
    assert bullpen.far("watch", job).exit_code in (0, 1, 7)
    return job


def test_a_job_is_submitted_watched_and_shown(bullpen: BothWays) -> None:
    made = bullpen.far.json("submit", "noop", "hello there", "--priority", "7", "--key", "remote-1", "--wall-time", "60")
    again = bullpen.far.json("submit", "noop", "hello there", "--priority", "7", "--key", "remote-1", "--wall-time", "60")
    job = made["job_id"]
    seen = [json.loads(line) for line in bullpen.far.out("watch", job, "--json").splitlines()]

    assert (made["existing"], made["broker_told"], again["job_id"], again["existing"]) == (False, True, job, True)
    assert [event["rev"] for event in seen[:-1]] == list(range(1, len(seen)))
    assert (seen[-1]["kind"], seen[-1]["status"], seen[-1]["exit_code"]) == ("watch_ended", "succeeded", 0)
    assert "s6" in bullpen.same("watch", job)
    for arguments in (
        ("show", job), ("show", job, "--json"), ("show", job, "--decisions"), ("show", job, "--stage", "s2"), ("show", job[-12:]),
        ("show", job, "--language", "zh"), ("show", job, "--stage", "s2", "--version", "1", "--json"), ("show", job, "--format", "md"),
        ("show", job, "--format", "html"), ("why", job), ("why", job, "s2", "--json"), ("why", job, "--language", "zh"),
        ("jobs", "--text", "hello there"), ("jobs", "--status", "succeeded", "--kind", "noop", "--json"), ("tools", "calls", job),
        ("tools", "list"), ("jobs", "--language", "zh"),
    ):  # fmt: skip
        bullpen.same(*arguments)
    missing = uuid4()
    assert bullpen.far.fails("tools", "calls", missing, code=4).startswith(f"Error: There is no job {missing}")
    assert job in bullpen.far.fails("submit", "noop", "another", "--key", "remote-1", code=5)
    assert "no_such" in bullpen.far.fails("submit", "noop", "--set", "no_such=1", code=2)
    assert "s6 done" in bullpen.far.out("submit", "noop", "x", "--wait") + bullpen.far.out("submit", "noop", "x", "--watch")


def test_a_question_is_answered_and_the_answer_is_taken_back(bullpen: BothWays) -> None:
    job = settled_job(bullpen, "--set", "plan.s2.ask=1")

    assert "s2: question 1?" in bullpen.same("watch", job, code=7)
    assert "bullpen answer" in bullpen.same("why", job)
    assert "bullpen answer" in bullpen.same("why", job, "--language", "zh")
    bullpen.same("show", job)
    answered = bullpen.far.json("answer", job, "yes")
    assert bullpen.far("watch", job).exit_code == 0
    assert "yes" in bullpen.far.fails("answer", job, "no", "--request", answered["request_id"], code=5)
    taken = bullpen.far.json("answer", job, "--undo")
    assert (taken["taken_back"], taken["request_id"]) == (["yes"], answered["request_id"])
    assert bullpen.far("watch", job).exit_code == 7
    assert "Answered question" in bullpen.far.out("answer", job, "again", "--request", answered["request_id"][-8:], "--watch")
    assert "has no question ffffff" in bullpen.far.fails("answer", job, "x", "--request", "ffffff", code=4)


def test_a_job_is_edited_replayed_forked_and_cancelled(bullpen: BothWays, tmp_path: Path) -> None:
    job = settled_job(bullpen, "--set", "plan.s3.break=1")
    step = next(step for step in bullpen.far.json("show", job)["steps"] if step["status"] == "failed")
    mine = tmp_path / "mine.json"
    mine.write_text('{"stage": "s2", "given": {"by": "hand"}}')
    edit = tmp_path / "edit.json"
    edit.write_text('{"mended": true}')

    assert bullpen.far("watch", job).exit_code == 1
    bullpen.same("why", job)
    bullpen.same("replay", job, "--dry-run")
    bullpen.same("replay", "--failed", "--dry-run", "--kind", "noop", "--error", "EngineError")
    bullpen.same("replay", step["id"], "--edit", edit, "--dry-run")
    bullpen.same("revise", job, "s2", mine, "--dry-run")
    bullpen.same("fork", job, "--from", "s2", "--dry-run", "--json")
    assert "is done again" in bullpen.far.out("replay", step["id"][-12:], "--edit", edit)
    assert bullpen.far("watch", job).exit_code == 0
    assert bullpen.far.json("revise", job, "s2", mine)["version"] == 2
    assert bullpen.far("watch", job).exit_code == 0
    assert bullpen.far.json("show", job, "--stage", "s2")["pinned"]
    assert "no longer pinned" in bullpen.far.out("unpin", job, "s2")
    copy = bullpen.far.out("fork", job, "--from", "s4").strip()
    assert bullpen.far("watch", copy).exit_code == 0
    waiting = settled_job(bullpen, "--set", "plan.s2.ask=1")
    assert "Given to" in bullpen.far.out("instruct", waiting, "be quick", "--stage", "s1")
    assert bullpen.far.json("cancel", waiting)["cancelled"]
    assert "it was cancelled before" in bullpen.far.out("cancel", waiting)
    broken = settled_job(bullpen, "--set", "plan.s1.break=1")
    assert bullpen.far.json("replay", "--failed", "--kind", "noop", "--yes")["replayed"] >= 1
    assert "failed" in bullpen.far.out("watch", broken, code=1)


def test_conversations(bullpen: BothWays) -> None:
    said = bullpen.far.json("submit", "diagnose", "replication lag grows every night", "--engine", "rules")
    bullpen.far("watch", said["job_id"])
    session = bullpen.far.json("show", said["job_id"])["session_id"]

    taken = bullpen.far.json("session", "say", session[-12:], "1 yes 2 no")
    bullpen.far("watch", taken["job_id"])
    bullpen.same("session", "list", "--all")
    bullpen.same("session", "show", session, "--json")
    bullpen.same("session", "show", session)
    assert bullpen.far.json("session", "clear", session)["cleared"]
    assert "owner default" in bullpen.far.fails("session", "show", session, "--owner", "bank", code=2)


def test_feedback_is_previewed_and_given(bullpen: BothWays) -> None:
    job = bullpen.far.json("submit", "diagnose", "replication lag grows every night", "--engine", "rules")["job_id"]
    bullpen.far("watch", job)
    for _ in range(8):
        if bullpen.far.json("show", job)["status"] != "waiting_human":
            break
        bullpen.far("answer", job, "1 no 2 no 3 no")
        bullpen.far("watch", job)

    word = ("feedback", job, "--wrong", "a lock on the table orders", "--solution", "drop the index")

    previewed = bullpen.same(*word, code=7)
    assert "Nothing is stored yet" in previewed
    assert bullpen.far.json(*word, code=7)["preview"]
    assert bullpen.far.json(*word, "--yes")["stored"] == "imported"
    assert bullpen.near.json("show", job)["feedback"]["verdict"] == "wrong"
    assert "of kind noop" in bullpen.far.fails("feedback", settled_job(bullpen), "--right", code=2)


def test_the_quarantine(bullpen: BothWays) -> None:
    db = bullpen.near.db
    entries = [quarantine.put(db, source="jobs", cause="NotJson", message=f"broken {number}", body=b"{x") for number in range(3)]

    for arguments in (
        ("list",), ("list", "--state", "new", "--cause", "NotJson", "--json"), ("list", "--limit", "1"), ("groups",), ("groups", "--json"),
        ("show", entries[0]), ("show", str(entries[0])[-12:], "--json"), ("advise", entries[0]), ("advise", entries[0], "--json"),
    ):  # fmt: skip
        bullpen.same("quarantine", *arguments)
    assert bullpen.far.json("quarantine", "give-up", entries[0], "--note", "known")["state"] == "given_up"
    assert bullpen.near.json("quarantine", "show", entries[0])["note"] == "known"
    assert bullpen.far("quarantine", "replay", entries[1]).exit_code == bullpen.near("quarantine", "replay", entries[1]).exit_code != 0
    far = bullpen.far.json("quarantine", "replay", "--all", "--cause", "NotJson", code=1)
    assert (far["replayed"], sum(far["failed"].values())) == (0, 2)
    assert bullpen.far.json("quarantine", "give-up", "--all", "--cause", "NotJson") == {"given_up": 2}


def test_the_fleet_is_paused_checked_and_purged(bullpen: BothWays) -> None:
    assert bullpen.far.json("pause", "analyst") == {"role": "analyst", "state": "paused", "before": "running"}
    assert "paused: analyst" in " ".join(bullpen.far.out("doctor").split())
    assert bullpen.far.json("drain", "analyst", "--timeout", "5")["state"] == "paused"
    assert bullpen.far.json("resume", "analyst")["before"] == "paused"
    checks = bullpen.far.json("doctor")["checks"]
    assert [check["name"] for check in checks][:2] == ["gateway", "key"]
    assert {check["state"] for check in checks[:2]} == {"ok"}
    bullpen.same("purge", "--older-than", "30d", "--dry-run")
    assert bullpen.far.json("purge", "--older-than", "3000d", "--yes", "--keep-files")["jobs"] == 0
    assert "No role is called" in bullpen.far.fails("pause", "nobody", code=2)


def test_keys_are_made_and_revoked(bullpen: BothWays) -> None:
    made = bullpen.far.json("keys", "create", "--owner", "shop", "--scope", "read", "--label", "dashboard")
    bullpen.same("keys", "list", "--json")
    bullpen.same("keys", "list")

    assert bullpen.as_key(made["key"]).json("jobs") == []
    assert "does not allow submit" in bullpen.as_key(made["key"]).fails("submit", "noop", "x", code=1)
    assert "is revoked" in bullpen.far.out("keys", "revoke", made["id"])
    assert "does not know the key" in bullpen.as_key(made["key"]).fails("jobs", code=1)


def test_another_owner_sees_nothing_of_mine(bullpen: BothWays, fleet: RemoteFleet) -> None:
    job = settled_job(bullpen)
    key = key_of(bullpen.near.db, "bank", Scope.SUBMIT, Scope.ANSWER, Scope.READ, Scope.OPERATE)

    for arguments in (("show", job), ("show", str(job)[-12:]), ("watch", job), ("cancel", job), ("tools", "calls", job), ("replay", job)):
        bullpen.as_key(key).fails(*arguments, code=4)
    assert bullpen.as_key(key).json("jobs") == []


def test_the_history_of_tickets(bullpen: BothWays, tmp_path: Path) -> None:
    file = tmp_path / "tickets.json"
    file.write_text(json.dumps([*TICKETS, {"ticket_id": "T-3"}]))

    assert "2 imported" in bullpen.far.out("tickets", "import", file, code=3)
    assert "Nothing was imported" in bullpen.far.out("tickets", "import", file, "--strict", code=3)
    for arguments in (
        ("search", "late orders"),
        ("show", "T-1"),
        ("show", "T-1", "--json"),
        ("stats",),
        ("changes",),
        ("changes", "--json"),
    ):
        bullpen.same("tickets", *arguments)
    bullpen.same("tickets", "import", file, "--dry-run", code=3)
    folder = tmp_path / "postmortems"
    folder.mkdir()
    (folder / "cart.md").write_text("# Cart is slow\n## Root cause\nStraße ohne Größe\n", encoding="cp1252")
    assert "1 imported" in bullpen.far.out("tickets", "import", folder)
    assert bullpen.near.json("tickets", "show", "cart", "--json")["root_cause"] == "Straße ohne Größe"
    assert "Undone: import" in bullpen.far.out("tickets", "undo", "cart")
    assert "a slow disk" in bullpen.far.out("tickets", "edit", "T-1", "--root-cause", "a slow disk")
    assert "is deleted" in bullpen.far.out("tickets", "delete", "T-2")
    assert "Undone: delete" in bullpen.far.out("tickets", "undo")
    assert bullpen.far.json("tickets", "reindex")["tickets"] == bullpen.near.json("tickets", "stats")["tickets"]
    assert "no ticket" in bullpen.far.fails("tickets", "show", "T-9", code=4).lower()


def test_sources_catalogue_and_export(bullpen: BothWays, tmp_path: Path) -> None:
    added = bullpen.far.json("source", "add", "shop", "--sample")
    assert added["source"] == "shop"
    assert added["tables"]
    for arguments in (
        ("source", "check", "shop"), ("source", "check", "shop", "--json"), ("source", "list", "--json"), ("source", "writable", "shop"),
        ("source", "policy", "list", "shop"), ("catalogue", "search", "orders per month"), ("catalogue", "show", "shop.main.orders"),
        ("catalogue", "show", "shop.main.orders", "--json"), ("catalogue", "lineage", "shop.main.orders"),
        ("catalogue", "search", "orders", "--as", "bank", "--json"),
    ):  # fmt: skip
        bullpen.same(*arguments)
    asked = ("source", "query", "shop", "SELECT count(*) AS n FROM orders", "--as", "default")
    assert bullpen.far.json(*asked)["rows"] == bullpen.near.json(*asked)["rows"]
    wrong = ("source", "query", "shop", "DROP TABLE orders", "--as", "default")
    assert bullpen.far.fails(*wrong, code=2) == bullpen.near.fails(*wrong, code=2)
    policy = ("source", "policy", "set", "shop", "orders", "--owner", "bank", "--deny")
    assert "Kept." in bullpen.far.out(*policy)
    bullpen.same("source", "policy", "list", "shop", "--json")
    assert "Removed." in bullpen.far.out("source", "policy", "remove", "shop", "orders", "--owner", "bank")
    bullpen.same("audit", "--source", "shop", "--json")
    bullpen.same("audit", "--refused")

    asked = ("How many orders per day in 2025?", "--set", "source=shop", "--set", "strategy=direct", "--engine", "rules")
    job = bullpen.far.json("submit", "ask", *asked)["job_id"]
    assert bullpen.far("watch", job).exit_code == 0
    bullpen.same("show", job, "--page", "2")
    assert bullpen.far("ask", "How many customers are there?", "--source", "shop").exit_code == 0
    assert bullpen.far("chat", "ask", "And how many products?", "--follow").exit_code in (0, 7)
    far, near = tmp_path / "far.csv", tmp_path / "near.csv"
    assert bullpen.far.json("export", job, "--to", far)["rows"] == bullpen.near.json("export", job, "--to", near)["rows"] > 0
    assert far.read_bytes() == near.read_bytes()
    assert "exists" in bullpen.far.fails("export", job, "--to", far, code=5)
    assert bullpen.far.json("export", job, "--to", tmp_path / "far.parquet")["complete"]

    pages = tmp_path / "pages"
    pages.mkdir()
    (pages / "orders.md").write_text("# Orders\n\nAn order is refunded within 14 days.\n")
    assert bullpen.far.json("catalogue", "import", pages, "--form", "documents", "--source", "shop")["kinds"]["document"]["new"] == 1
    assert "refunded" in bullpen.same("catalogue", "search", "refunded within days")
    assert bullpen.far.json("catalogue", "import", "shop")["sources"] == ["shop"]
    assert bullpen.far.json("catalogue", "reindex")["nodes"] > 0
    assert bullpen.far.json("source", "remove", "shop")["removed"]


def test_logs_are_searched(bullpen: BothWays) -> None:
    assert bullpen.far.json("logs", "add", "shop", "--sample")["labels"]
    bullpen.same("logs", "list", "--json")
    bullpen.same("logs", "ask", "app=payment level=error per 1h 2025-09-16")
    bullpen.same("logs", "run", '{service="payment"} |= "error"', "--from", "2025-09-16", "--to", "2025-09-17", "--lines", "3")
    assert bullpen.far.json("logs", "remove", "shop") == {"removed": "shop"}


def test_systems_are_looked_at(bullpen: BothWays, database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BULLPEN_SOURCE_ORDERS_DB_URL", database_url)
    assert bullpen.far.json("source", "add", "orders_db", "--kind", "postgres", "--insist")["source"]
    assert bullpen.far.json("system", "add", "orders", "--source", "orders_db", "--match", "host=db1*")["match"] == ["host=db1*"]
    bullpen.same("system", "list", "--json")
    looks = [json.loads(side("system", "look", "orders", "--json").stdout) for side in (bullpen.far, bullpen.near)]
    assert len({tuple(sorted(found["check"] for found in look["findings"])) for look in looks}) == 1
    assert bullpen.far.json("system", "remove", "orders") == {"removed": "orders"}


def test_files_are_uploaded_with_a_job(bullpen: BothWays, tmp_path: Path) -> None:
    folder = tmp_path / "job"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "a.sql").write_text("SELECT * FROM orders")
    (folder / "b.sql").write_text("SELECT 1")

    jobs = [commands.json("submit", "tune", folder)["job_id"] for commands in (bullpen.far, bullpen.near)]

    far, near = (bullpen.far.json("show", job, "--stage", "input")["content"]["bundle"] for job in jobs)
    assert far == near
    assert "There is no file" in bullpen.far.fails("submit", "tune", tmp_path / "nothing", code=2)


def test_the_skills_index_is_rebuilt(bullpen: BothWays) -> None:
    assert bullpen.far.json("skills", "reindex") == bullpen.near.json("skills", "reindex")


def test_a_gateway_that_is_away_is_said_in_one_line(bullpen: BothWays) -> None:
    commands = bullpen.far
    commands.setenv(url="http://127.0.0.1:1")

    for arguments in (("jobs",), ("show", "abcdef"), ("submit", "noop", "x"), ("tickets", "stats")):
        assert commands.fails(*arguments, code=6).startswith("Error: The gateway at http://127.0.0.1:1 does not answer")
    commands.setenv(url="ftp://somewhere")
    assert "BULLPEN_URL" in commands.fails("jobs", code=1)


def test_files_of_sql_are_read_where_the_command_runs(bullpen: BothWays, tmp_path: Path) -> None:
    """The gateway gets the text of a specification, and no path."""
    bullpen.far("source", "add", "shop", "--sample")
    (tmp_path / "by_customer.sql").write_text(
        "CREATE TABLE by_customer AS SELECT customer_id, COUNT(*) AS n FROM orders GROUP BY customer_id", "utf-8"
    )

    job = bullpen.far.json("submit", "etl", "--sql", tmp_path / "by_customer.sql", "--source", "shop", "--engine", "rules")["job_id"]
    request = bullpen.far.out("show", job, "--stage", "input", "--json")

    assert "grain: [customer_id]" in request
    assert str(tmp_path) not in request
