"""`bullpen worker`, `pause`, `resume`, `drain`, `doctor`, `flower`."""

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import pytest

from contracts.roles import RoleName
from tests.support.commands import NOWHERE_POSTGRES, NOWHERE_REDIS, Commands, commands_on
from workers.app import fleet_facts
from workers.app.role_states import role_state
from workers.app.run_step import advance_and_publish
from workers.app.worker import with_advance
from workers.blackboard import quarantine, steps
from workers.cli import checks, fleet, flower, gateway
from workers.cli.context import services
from workers.local.fleet import worker_commands
from workers.settings import Settings

EVERYWHERE = "0.0.0.0"  # noqa: S104  nothing listens there


@pytest.fixture
def bullpen(database_url: str, broker_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Commands]:
    monkeypatch.setattr(fleet, "FOLLOW_S", 0.1)
    with commands_on(database_url, broker_url, tmp_path / "home", monkeypatch) as commands:
        yield commands


def running_step(bullpen: Commands, lease: str = "1 minute") -> None:
    job = bullpen.submit("x")
    advance_and_publish(services(), job)
    row = bullpen.db.row("SELECT id FROM steps WHERE status = 'queued'")
    assert row is not None
    assert steps.claim(bullpen.db, row["id"], token=uuid4(), lease_s=60, worker="test:1") is not None
    bullpen.db.statement("UPDATE steps SET lease_until = now() + %(lease)s::interval", {"lease": lease})


def test_a_role_is_paused_and_resumed(bullpen: Commands) -> None:
    assert bullpen.json("pause", "analyst") == {"role": "analyst", "state": "paused", "before": "running"}
    assert role_state(bullpen.db, "analyst") == "paused"
    assert "takes steps again" in bullpen.out("resume", "analyst")
    assert role_state(bullpen.db, "analyst") == "running"
    assert "takes no new step" in bullpen.out("pause", "coordinator")


def test_a_role_that_is_none_lists_the_roles(bullpen: Commands) -> None:
    for command in ("pause", "resume", "drain", "worker"):
        text = bullpen.fails(command, "boss", code=2)
        assert "No role is called “boss”. The roles are: coordinator, classifier, file-recommender, retriever" in text


def test_an_idle_role_is_drained_at_once(bullpen: Commands) -> None:
    assert bullpen.json("drain", "analyst") == {"role": "analyst", "state": "paused", "before": "running", "running_steps": 0}
    assert "drained and paused" in bullpen.out("drain", "analyst")


def test_a_drain_that_takes_too_long_leaves_the_role_draining(bullpen: Commands) -> None:
    running_step(bullpen)

    result = bullpen("drain", "classifier", "--timeout", "0")

    assert result.exit_code == 1
    assert "still runs 1 step; it stays draining" in result.stderr
    assert role_state(bullpen.db, "classifier") == "draining"


def test_a_worker_needs_a_role_or_all(bullpen: Commands) -> None:
    assert "Name a role, or say --all" in bullpen.fails("worker", code=2)
    assert "Name a role, or say --all" in bullpen.fails("worker", "analyst", "--all", code=2)
    assert "'threads', 'prefork', 'solo'" in bullpen.fails("worker", "analyst", "--pool", "gevent", code=2)


def test_a_worker_runs_with_its_options(bullpen: Commands, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(fleet, "run_worker", lambda _, *served, **options: asked.append((served, options)) or 70)

    assert bullpen("worker", "analyst", "--concurrency", "3", "--pool", "solo").exit_code == 70
    assert bullpen("worker", "analyst", "developer").exit_code == 70
    assert bullpen("worker", "--all").exit_code == 70
    assert asked == [
        (("analyst",), {"concurrency": 3, "pool": "solo"}),
        (("analyst", "developer"), {"concurrency": None, "pool": "threads"}),
        (fleet.WORKERS, {"concurrency": None, "pool": "threads"}),
    ]


def test_a_process_that_serves_several_roles_counts_for_each_of_them(bullpen: Commands, monkeypatch: pytest.MonkeyPatch) -> None:
    class Inspect:
        def ping(self) -> dict[str, Any]:
            return {"all@a-1": {}, "analyst@b-2": {}, "analyst+developer@c-3": {}}

    services = SimpleNamespace(celery=SimpleNamespace(control=SimpleNamespace(inspect=lambda timeout: Inspect())))

    found = fleet_facts.live_workers(services)  # pyright: ignore[reportArgumentType]

    assert found == {**dict.fromkeys(fleet.WORKERS, 1), "analyst": 3, "developer": 2}


def test_where_one_process_has_roles_and_coordinator_it_decides_where_it_reports_unless_it_is_told_otherwise() -> None:
    default, told = Settings(), Settings(advance="coordinator")

    assert with_advance(default, fleet.WORKERS).advance == "inline"
    assert with_advance(default, ["coordinator"]).advance == "coordinator"
    assert with_advance(default, ["analyst", "developer"]).advance == "coordinator"
    assert with_advance(told, fleet.WORKERS).advance == "coordinator"


def test_the_workers_of_up_are_one_process_and_those_that_are_scaled() -> None:
    roles = [str(role) for role in RoleName]

    def named(scale: dict[str, int], **how: bool) -> dict[str, list[str]]:
        return {name: command[command.index("worker") + 1 :] for name, command in worker_commands(scale, **how).items()}

    assert named({}) == {"worker": ["--all"]}
    assert named({"analyst": 2}) == {"worker": ["--all"], "analyst-1": ["analyst"], "analyst-2": ["analyst"]}
    assert named({"analyst": 0}) == {"worker": ["coordinator", *(role for role in roles if role != "analyst")]}
    apart = named({"analyst": 2}, processes=True)
    assert "worker" not in apart
    assert apart["coordinator"] == ["coordinator"]
    assert apart["analyst-2"] == ["analyst"]


def test_a_process_for_each_worker_runs_in_one_group(
    bullpen: Commands, monkeypatch: pytest.MonkeyPatch, database_url: str, tmp_path: Path
) -> None:
    made: list[Any] = []

    class Group:
        def __init__(self, *arguments: Any, **options: Any) -> None:
            made.append((*arguments, options))

        def run(self) -> int:
            return 0

    monkeypatch.setattr(fleet, "ProcessGroup", Group)
    assert bullpen("worker", "--all", "--processes", "--concurrency", "2").exit_code == 0

    commands, env, logs, options = made[0]
    assert sorted(commands) == sorted(fleet.WORKERS)
    assert commands["analyst"][-6:] == ["worker", "analyst", "--pool", "threads", "--concurrency", "2"]
    assert env["BULLPEN_DATABASE_URL"] == database_url
    assert logs == tmp_path / "home" / "logs"
    assert options == {"grace_s": 30.0, "hung_after_s": 30.0}


def findings(bullpen: Commands, *arguments: str, code: int = 0) -> dict[str, Any]:
    return {check["name"]: check for check in bullpen.json("doctor", *arguments, code=code)["checks"]}


def test_a_doctor_finds_a_sound_fleet(bullpen: Commands, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "live_workers", lambda _: dict.fromkeys(fleet.WORKERS, 1))

    found = findings(bullpen)

    assert {check["state"] for check in found.values()} == {"ok"}
    assert found["database"]["finding"].startswith("Postgres 18")
    assert ":***@" in found["database"]["finding"]
    assert found["broker"]["finding"].startswith("Valkey 9")
    assert found["analyst"]["finding"] == "1 worker, 0 messages, 0 steps queued"
    assert found["embeddings"]["finding"].startswith("none")
    assert "All is well." in bullpen.out("doctor")


def test_a_doctor_without_workers_warns_and_names_the_next_move(bullpen: Commands) -> None:
    bullpen.out("pause", "analyst")
    quarantine.put(bullpen.db, source="s", cause="c", message="m", body=b"x")

    found = findings(bullpen)

    assert (found["coordinator"]["state"], found["coordinator"]["next_move"].split("   ")[0]) == ("warn", "bullpen worker coordinator")
    assert (found["analyst"]["state"], found["analyst"]["next_move"]) == ("warn", "bullpen resume analyst")
    assert (found["quarantine"]["state"], found["quarantine"]["next_move"]) == ("warn", "bullpen quarantine list")
    assert "It works, with warnings." in bullpen.out("doctor")


def test_a_doctor_finds_work_that_nobody_does(bullpen: Commands) -> None:
    running_step(bullpen, lease="-1 minute")
    bullpen.submit("undecided")
    bullpen.db.statement("UPDATE jobs SET updated_at = now() - interval '1 minute' WHERE decided_rev = 0")

    found = findings(bullpen, code=1)

    assert (found["undecided jobs"]["state"], found["expired leases"]["state"]) == ("fail", "fail")
    assert found["undecided jobs"]["next_move"] == "Start a coordinator: bullpen worker coordinator"
    assert "Something has to be done." in bullpen.out("doctor", code=1)


def test_the_quick_check_looks_at_the_servers_only(bullpen: Commands) -> None:
    assert list(findings(bullpen, "--worker")) == ["settings", "database", "pgvector", "schema", "broker"]

    bullpen.setenv(broker_url=NOWHERE_REDIS)
    broker = findings(bullpen, "--worker", code=1)["broker"]
    assert "redis://:***@127.0.0.1:1/0 does not answer" in broker["finding"]
    bullpen.setenv(broker_url="amqp://u:brokersecret@127.0.0.1:1//")
    assert "amqp://u:***@127.0.0.1:1// does not answer" in findings(bullpen, "--worker", code=1)["broker"]["finding"]


def test_a_doctor_goes_on_without_a_database(bullpen: Commands) -> None:
    bullpen.setenv(database_url=NOWHERE_POSTGRES)

    result = bullpen("doctor", "--json")

    assert result.exit_code == 1
    assert '"data folder"' in result.stdout
    assert "dbsecret" not in result.stdout + result.stderr


def test_a_doctor_tells_an_unmigrated_database(bullpen: Commands, servers) -> None:
    bullpen.setenv(database_url=servers.postgres.url)

    found = findings(bullpen, code=1)

    assert found["schema"]["finding"].startswith("revision none")
    assert found["schema"]["next_move"] == "Run `bullpen db migrate`."


def test_a_doctor_tells_wrong_settings(bullpen: Commands) -> None:
    bullpen.setenv(lease_s="-1", extensions="no.such.module")

    assert "BULLPEN_LEASE_S: Input should be greater than 0" in findings(bullpen, code=1)["settings"]["finding"]


def test_a_check_that_breaks_is_a_finding(bullpen: Commands, monkeypatch: pytest.MonkeyPatch) -> None:
    def check_sound() -> list[checks.Check]:
        raise RuntimeError("out of tune")

    monkeypatch.setattr(checks, "check_disk", check_sound)

    assert findings(bullpen, code=1)["sound"]["finding"] == "RuntimeError: out of tune"


def test_flower_does_not_open_itself_to_a_network_without_a_password(bullpen: Commands, monkeypatch: pytest.MonkeyPatch) -> None:
    for address in (EVERYWHERE, "", "10.1.2.3", "example.com", "::"):
        bullpen.setenv(flower_address=address)
        assert "BULLPEN_FLOWER_BASIC_AUTH=user:password" in bullpen.fails("flower", code=1)
    bullpen.setenv(flower_address="127.0.0.1", flower_basic_auth="nopassword")
    assert "must be user:password" in bullpen.fails("flower", code=1)


def test_flower_gets_its_password_by_the_environment(bullpen: Commands, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[list[str]] = []
    environment: dict[str, str] = {}

    class App:
        conf = SimpleNamespace(broker_transport="ours")

        def start(self, argv: list[str]) -> None:
            started.append(argv)

    monkeypatch.setattr(flower, "create_app", lambda _: App())
    monkeypatch.setattr(flower, "configure_logging", lambda *_: None)
    monkeypatch.setattr(flower, "prepare_flower", lambda _: None)
    monkeypatch.setattr(flower, "os", SimpleNamespace(environ=environment))
    bullpen.setenv(flower_address=EVERYWHERE, flower_port="5600", flower_basic_auth="u:hushhush")

    result = bullpen("flower")

    assert result.exit_code == 0
    assert started == [["flower"]]
    columns = environment.pop("FLOWER_TASKS_COLUMNS")
    assert environment == {"FLOWER_ADDRESS": EVERYWHERE, "FLOWER_PORT": "5600", "FLOWER_BASIC_AUTH": "u:hushhush"}
    assert columns.startswith("name,job,stage,attempt,")
    assert "http://0.0.0.0:5600" in result.stderr
    assert "hushhush" not in result.stderr


def test_a_gateway_without_a_key_listens_on_this_machine_only(bullpen: Commands, monkeypatch: pytest.MonkeyPatch) -> None:
    served: list[str] = []

    def serve(app: Any, address: str, _port: int, **_: Any) -> None:
        served.append(address)
        app.state.gateway.services.close()

    monkeypatch.setattr(gateway, "serve", serve)
    monkeypatch.setattr(gateway, "configure_logging", lambda *_: None)
    monkeypatch.setattr(gateway, "settle", lambda: None)
    bullpen.setenv(gateway_address=EVERYWHERE)

    assert "There is no key yet" in bullpen.fails("gateway", code=1)
    assert served == []
    bullpen.out("keys", "create", "--owner", "shop")
    bullpen("gateway")

    assert served == [EVERYWHERE]


def test_only_this_machine_is_loopback() -> None:
    assert all(flower.is_loopback(address) for address in ("127.0.0.1", "::1", "localhost", "127.8.8.8"))
    assert not any(flower.is_loopback(address) for address in ("", EVERYWHERE, "::", "192.168.0.1", "localhost.example.com"))
