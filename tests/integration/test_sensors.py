"""Systems are looked at by their logs and metrics: a real Prometheus over planted series, and a folder of log lines."""

import json
import os
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from contracts.checks import CheckFinding, CheckOutcome, Gathered, System
from contracts.diagnose.deliverables import Diagnosis, Verdict
from contracts.jobs import SubmitJob
from contracts.log_sources import LogKind, LogSource
from contracts.metric_sources import MetricsLimits, MetricsSource
from tests.support.commands import Commands, commands_on
from tests.support.prometheus_server import constant, counter, prometheus
from workers.app.in_process import run_all
from workers.app.services import ProcessServices
from workers.checks.gathering import Looking, gather
from workers.checks.systems import add_system, get_system, read_sensor
from workers.coordinator.intake import accept
from workers.errors import InvalidInput, NotFound, SourceUnavailable, StatementFailed, StatementRefused
from workers.logs import add_log
from workers.prometheus import Over, add_metrics, list_metrics, query_metrics, remove_metrics
from workers.reading.results import read_result
from workers.sources import list_executions

WEEK_H = 168.0
SPANS = ((0.0, 7.0), (WEEK_H, WEEK_H + 1.2))
"""Hours before now that are planted: seven hours, and an hour of last week."""
CONFIRMED, DENIED, UNDECIDED = CheckOutcome.CONFIRMED, CheckOutcome.DENIED, CheckOutcome.UNDECIDED


def series(host: str, *, sick: bool) -> dict[str, object]:
    """Exporters of a host: a sick one has a filling disk, kills for want of memory and a jump of errors."""
    at = f'instance="{host}"'
    disk = f'{{{at},fstype="ext4",mountpoint="/data"}}'
    return {
        f"up{{{at}}}": constant(1),
        f"node_filesystem_size_bytes{disk}": constant(100e9),
        f"node_filesystem_avail_bytes{disk}": (lambda hours: 10e9 + hours * 5e9) if sick else constant(60e9),
        f"node_vmstat_oom_kill{{{at}}}": counter(lambda hours: 4.0 if sick and hours < 0.9 else 0.0),
        f'http_requests_total{{{at},code="500"}}': counter(lambda hours: 7200.0 if sick and hours < 0.3 else 360.0),
        f"node_memory_MemTotal_bytes{{{at}}}": constant(64e9),
        f"node_memory_MemAvailable_bytes{{{at}}}": constant(40e9),
    }


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    planted = {**series("tos-1", sick=True), **series("crm-1", sick=False)}
    with prometheus(tmp_path_factory.mktemp("prometheus"), planted, datetime.now(UTC), SPANS) as url:  # pyright: ignore[reportArgumentType] functions of hours
        yield url


@pytest.fixture
def metered(services: ProcessServices, server: str, monkeypatch: pytest.MonkeyPatch) -> ProcessServices:
    monkeypatch.setenv("BULLPEN_METRICS_PROD_URL", server)
    add_metrics(services.database, MetricsSource(name="prod"))
    add_system(services.database, System(name="tos", metrics=read_sensor('prom:prod{instance=~"tos.*"}', ("prom",)), match=("host=tos*",)))
    add_system(services.database, System(name="crm", metrics=read_sensor('prod{instance="crm-1"}', ("prom",))))
    return services


@pytest.fixture
def commands(database_url: str, broker_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Commands]:
    with commands_on(database_url, broker_url, tmp_path / "home", monkeypatch) as made:
        yield made


def look(services: ProcessServices, system: str, owner: str = "default") -> Gathered:
    return gather(Looking(services.database, services.settings.data_dir, owner), get_system(services.database, system))


def by_name(found: Gathered) -> dict[str, CheckFinding]:
    return {each.check: each for each in found.findings}


def test_metrics_confirm_deny_and_leave_open_what_they_do_not_see(metered: ProcessServices) -> None:
    sick, well = by_name(look(metered, "tos")), by_name(look(metered, "crm"))

    assert {name for name, each in sick.items() if each.outcome is CONFIRMED} == {"host_oom_kills", "host_disk_filling", "error_rate_jump"}
    assert {name for name, each in well.items() if each.outcome is CONFIRMED} == set()
    assert {"host_oom_kills", "host_disk_filling", "error_rate_jump", "host_memory_short", "host_disk_full", "target_down"} <= {
        name for name, each in well.items() if each.outcome is DENIED
    }
    assert sick["host_cpu_saturated"].outcome is UNDECIDED
    jump = sick["error_rate_jump"]
    assert dict(zip(jump.columns, jump.rows[0], strict=True)) == {
        "series": "instance=tos-1", "now": pytest.approx(2, rel=0.1), "hour_before": pytest.approx(0.1, rel=0.1),
        "last_week": pytest.approx(0.1, rel=0.1),
    }  # fmt: skip
    assert len(jump.curve) > 40
    assert 'instance=~"tos.*"' in jump.sql
    assert sick["host_disk_filling"].curve


def test_a_fault_that_metrics_show_is_the_diagnosis_of_an_alert_on_its_host(metered: ProcessServices) -> None:
    request = {"kind": "diagnose", "description": "HighLatency host=tos-1"}
    job = accept(metered.database, SubmitJob(job=request), owner_cap=100).job_id
    run_all(metered)
    result = read_result(metered.database, job)

    assert result is not None
    found = Diagnosis.model_validate(result.content)
    assert (found.verdict, found.cause_id, found.by_data) == (Verdict.DIAGNOSED, "metrics.host_oom_kills", True)
    assert len({each.source for each in list_executions(metered.database, job_id=job, limit=200)}) == 1
    assert all(each.error is None for each in list_executions(metered.database, job_id=job, limit=200))


def test_a_check_that_did_not_see_all_series_does_not_say_that_all_is_well(
    metered: ProcessServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BULLPEN_METRICS_SMALL_URL", os.environ["BULLPEN_METRICS_PROD_URL"])
    add_metrics(metered.database, MetricsSource(name="small", limits=MetricsLimits(series=1)))
    add_system(metered.database, System(name="all", metrics=read_sensor("small", ("prom",))))

    found = {check: finding.outcome for check, finding in by_name(look(metered, "all")).items()}
    assert found["target_down"] is UNDECIDED


def test_a_query_stays_within_the_limits_and_leaves_its_audit(metered: ProcessServices, monkeypatch: pytest.MonkeyPatch) -> None:
    db, now = metered.database, datetime.now(UTC)
    small = MetricsSource(name="small", limits=MetricsLimits(series=1, points=100, span_s=7200), owners=("ann",))
    monkeypatch.setenv("BULLPEN_METRICS_SMALL_URL", "http://127.0.0.1:9")
    with pytest.raises(SourceUnavailable, match="cannot be reached"):
        add_metrics(db, small)
    monkeypatch.setenv("BULLPEN_METRICS_SMALL_URL", "file:///etc/passwd")
    with pytest.raises(InvalidInput, match="http:// or https://"):
        add_metrics(db, small)
    monkeypatch.setenv("BULLPEN_METRICS_SMALL_URL", os.environ["BULLPEN_METRICS_PROD_URL"])
    add_metrics(db, small)

    assert query_metrics(db, "small", "up", Over(now), owner="ann").cut
    hour = query_metrics(db, "small", 'up{instance="tos-1"}', Over(now, now - timedelta(hours=1)), owner="ann")
    assert len(hour.series[0].points) > 50
    for query, over, says in (
        ("up[3h]", Over(now), "limit of this server"),
        ("up", Over(now, now - timedelta(hours=1), 1.0), "points"),
        ("up and", Over(now), "Expected"),
        ("up", Over(now, now + timedelta(hours=1)), "later than its start"),
    ):
        with pytest.raises(StatementRefused, match=says):
            query_metrics(db, "small", query, over, owner="ann")
    with pytest.raises(StatementRefused, match="may not query"):
        query_metrics(db, "small", "up", Over(now), owner="bob")
    with pytest.raises(StatementFailed):
        query_metrics(db, "small", "label_replace(up, '9', '$1', 'b', '(')", Over(now), owner="ann")
    assert len(list_executions(db, source="metrics/small")) == 8
    assert "127.0.0.1" not in str([each.model_dump() for each in list_executions(db, source="metrics/small")])
    remove_metrics(db, "small")
    with pytest.raises(NotFound):
        remove_metrics(db, "small")
    assert [each.name for each in list_metrics(db)] == ["prod"]


def write_log(folder: Path, *, errors_now: int, errors_before: int, last_week: bool = True) -> None:
    now = datetime.now(UTC)

    def line(hours: float, text: str) -> str:
        at = (now - timedelta(hours=hours)).isoformat()
        return json.dumps({"ts": at, "labels": {"app": "tos", "level": "info"}, "line": text}) + "\n"

    made = [line(0.5 + 0.001 * number, "ERROR: could not book") for number in range(errors_now)]
    made += [line(1.5 + 0.001 * number, "ERROR: could not book") for number in range(errors_before)]
    made += [line(hours, "request served") for hours in (0.2, 1.2, *((WEEK_H + 0.2,) if last_week else ()))]
    made += [line(0.1, "FATAL: sorry, too many clients already")]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "a.jsonl").write_text("".join(made), "utf-8")


@pytest.fixture
def logged(services: ProcessServices, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "lines"
    write_log(folder, errors_now=40, errors_before=4)
    monkeypatch.setenv("BULLPEN_LOG_TOS_URL", str(folder))
    add_log(services.database, services.settings.data_dir, LogSource(name="tos", kind=LogKind.FILES))
    add_system(services.database, System(name="tos", logs=read_sensor('files:tos{app="tos"}', ("loki", "files"))))
    add_system(services.database, System(name="other", logs=read_sensor('tos{app="other"}', ("loki", "files"))))
    add_system(services.database, System(name="whole", logs=read_sensor("tos", ("loki", "files"))))
    return folder


def test_a_log_confirms_denies_and_shows_its_lines(services: ProcessServices, logged: Path) -> None:
    found = by_name(look(services, "tos"))

    assert {name for name, each in found.items() if each.outcome is CONFIRMED} == {"log_error_burst", "log_too_many_clients"}
    assert found["log_error_burst"].because_of == ("log_too_many_clients",)
    assert "too many clients already" in str(found["log_too_many_clients"].rows)
    assert found["log_no_space"].outcome is DENIED
    assert {each.outcome for each in look(services, "other").findings} == {UNDECIDED}, "it has no line there"
    assert by_name(look(services, "whole"))["log_too_many_clients"].outcome is CONFIRMED


def test_as_many_errors_as_an_hour_before_are_no_burst(services: ProcessServices, logged: Path) -> None:
    write_log(logged, errors_now=40, errors_before=30, last_week=False)

    assert by_name(look(services, "tos"))["log_error_burst"].outcome is DENIED


def test_a_sensor_that_is_away_leaves_the_others(services: ProcessServices, logged: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    system = get_system(services.database, "tos").model_copy(update={"name": "both", "source": "gone"})

    found = by_name(gather(Looking(services.database, services.settings.data_dir, "default"), system))

    assert found["source"].outcome is UNDECIDED
    assert found["log_too_many_clients"].outcome is CONFIRMED
    monkeypatch.delenv("BULLPEN_LOG_TOS_URL")
    with pytest.raises(SourceUnavailable):
        look(services, "tos")


def test_sensors_are_added_and_looked_at_from_the_shell(
    server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, commands: Commands
) -> None:
    monkeypatch.setenv("BULLPEN_METRICS_PROD_URL", server)
    write_log(tmp_path / "lines", errors_now=1, errors_before=1)
    monkeypatch.setenv("BULLPEN_LOG_TOS_URL", str(tmp_path / "lines"))
    commands.out("logs", "add", "tos", "--kind", "files")

    assert "prod is added" in commands.out("metrics", "add", "prod")
    assert json.loads(commands.out("metrics", "list", "--json"))[0]["name"] == "prod"
    assert "instance=tos-1" in commands.out("metrics", "run", "up")
    assert commands.out("metrics", "run", "up", "--since", "1h", "--json").count("tos-1") == 1
    sensors = ("--logs", 'files:tos{app="tos"}', "--metrics", 'prom:prod{instance=~"tos.*"}')
    assert "logs tos{app=" in commands.out("system", "add", "tosdb", *sensors, "--match", "host=tos*")
    assert "metrics prod{instance" in " ".join(commands.out("system", "list").split())
    looked = commands.out("system", "look", "tosdb", "--sql", code=1)
    assert "killed processes for want of memory" in " ".join(looked.split())
    assert "too many clients" in looked
    assert "内核因内存不足杀死了进程" in "".join(commands.out("system", "look", "tosdb", "--language", "zh", code=1).split())
    for wrong, says in (("mimir:prod", "not known here"), ("prod{instance=}", "cannot be read"), ("", "does not begin with")):
        assert says in " ".join(commands.fails("system", "add", "bad", "--metrics", wrong, code=2).split())
    assert "needs a source, a log or a metrics server" in " ".join(commands.fails("system", "add", "bad", code=2).split())
    assert "is removed" in commands.out("metrics", "remove", "prod")
