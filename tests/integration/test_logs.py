"""Logs are searched in files and on a server, by LogQL and by their closed form, within limits and with an audit."""

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from contracts.log_sources import LogKind, LogLimits, LogSource
from contracts.sources import Verdict
from tests.support.loki_server import LokiServer, loki_server
from workers.blackboard.engine import Database
from workers.cli import context
from workers.cli.main import app
from workers.engines.logql import LogEntry
from workers.errors import NotFound, SourceUnavailable, StatementFailed, StatementRefused
from workers.logs import Logs, Window, add_log
from workers.logs import files as files_module
from workers.sources import list_executions

START = datetime(2026, 3, 2, 10, tzinfo=UTC)
TOKEN = "-".join(("kept", "out", "of", "sight"))
HOUR = Window(START, START + timedelta(hours=1))
PAY = '{"path": "/pay", "status": 502, "took_ms": 900}'


def entries() -> list[LogEntry]:
    """An hour: a line every ten seconds, every sixth of them an error of pay."""
    made: list[LogEntry] = []
    for number in range(360):
        at = round((START + timedelta(seconds=10 * number)).timestamp()) * 10**9
        if number % 6 == 0:
            made.append(LogEntry(at, {"app": "pay", "level": "error", "host": f"n{number % 2}"}, PAY))
        else:
            made.append(LogEntry(at, {"app": "shop", "level": "info", "host": f"n{number % 2}"}, f"msg=seen page={number}"))
    return made


def write(path: Path, made: list[LogEntry]) -> None:
    with path.open("w", encoding="utf-8") as out:
        for entry in made:
            at = datetime.fromtimestamp(entry.ts_ns / 1e9, UTC).isoformat()
            out.write(json.dumps({"ts": at, "labels": dict(entry.labels), "line": entry.line}) + "\n")


@pytest.fixture
def files(database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Logs:
    folder = tmp_path / "log"
    folder.mkdir()
    write(folder / "a.jsonl", entries())
    monkeypatch.setenv("BULLPEN_LOG_WEB_URL", folder.as_uri())
    add_log(database, tmp_path, LogSource(name="web", kind=LogKind.FILES, limits=LogLimits(lines=50), owners=("ann",)))
    return Logs(database, tmp_path)


@pytest.fixture
def loki() -> Iterator[LokiServer]:
    with loki_server(entries()) as server:
        yield server


@pytest.fixture
def served(database: Database, tmp_path: Path, loki: LokiServer, monkeypatch: pytest.MonkeyPatch) -> Logs:
    loki.token = TOKEN
    monkeypatch.setenv("BULLPEN_LOG_WEB_URL", loki.url)
    monkeypatch.setenv("BULLPEN_LOG_WEB_TOKEN", TOKEN)
    monkeypatch.setenv("BULLPEN_LOG_WEB_TENANT", "team-a")
    limits = LogLimits(lines=50)
    add_log(database, tmp_path, LogSource(name="web", kind=LogKind.LOKI, limits=limits, owners=("ann",)))
    return Logs(database, tmp_path)


@pytest.mark.parametrize("kind", ["files", "served"])
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ('sum(count_over_time({app="pay"} | json | status >= 500 [1h]))', {"": 60}),
        ('sum(count_over_time({app="pay"}[1h] offset -1s))', {"": 60}),
        ('sum by (host) (count_over_time({app=~".+"}[30m]))', {"n0": 90, "n1": 90}),
        ('avg_over_time({app="pay"} | json | unwrap took_ms [1h]) by (path)', {"/pay": 900}),
    ],
)
def test_files_and_a_server_give_the_same_numbers(kind: str, query: str, expected: dict[str, float], request: pytest.FixtureRequest):
    logs: Logs = request.getfixturevalue(kind)

    window = Window(START, START + timedelta(minutes=59, seconds=59))
    result = logs.search("web", query, window, owner="ann")

    found = {" ".join(series.labels.values()): series.points[-1].value for series in result.series}
    assert found == pytest.approx(expected, abs=1)


@pytest.mark.parametrize("kind", ["files", "served"])
def test_the_newest_lines_come_first_and_a_cut_is_said(kind: str, request: pytest.FixtureRequest):
    logs: Logs = request.getfixturevalue(kind)

    result = logs.search("web", '{app="pay"} |= "502"', HOUR, owner="ann", lines=20)

    assert len(result.lines) == 20
    assert result.cut
    assert result.lines[0].at == START + timedelta(minutes=59)
    assert result.lines[0].line == PAY


@pytest.mark.parametrize("kind", ["files", "served"])
def test_a_search_is_read_with_the_names_that_the_log_has(kind: str, request: pytest.FixtureRequest):
    logs: Logs = request.getfixturevalue(kind)

    reading = logs.read("web", "app=pay level=error per 10 minutes in the last hour", owner="ann", now=START + timedelta(hours=1))
    assert reading.query is not None
    result = logs.search("web", reading.query, Window(START, START + timedelta(hours=1), 600), owner="ann")

    assert [point.value for point in result.series[0].points] == [10, 10, 10, 10, 10, 10]
    assert result.series[0].points[-1].at == HOUR.end


@pytest.mark.parametrize("kind", ["files", "served"])
@pytest.mark.parametrize(
    ("query", "window", "owner", "reason"),
    [
        ('{app="pay"}', HOUR, "bob", "may not search"),
        ('{app="pay"', HOUR, "ann", "Expected"),
        ('{app!="pay"}', HOUR, "ann", "narrows"),
        ('{app="pay"}', Window(START - timedelta(days=60), START), "ann", "shorter time"),
        ('sum(count_over_time({app="pay"}[90d]))', HOUR, "ann", "shorter time"),
        ('{app="pay"}', Window(START, START), "ann", "later"),
        ('sum(count_over_time({app="pay"}[1m]))', Window(START, START + timedelta(days=1), 1), "ann", "step"),
    ],
)
def test_what_is_not_allowed_is_refused_before_the_log_is_asked_and_is_in_the_audit(
    kind: str, query: str, window: Window, owner: str, reason: str, request: pytest.FixtureRequest, database: Database
):
    logs: Logs = request.getfixturevalue(kind)
    asked = len(request.getfixturevalue("loki").asked) if kind == "served" else 0

    with pytest.raises(StatementRefused, match=reason):
        logs.search("web", query, window, owner=owner)

    assert (len(request.getfixturevalue("loki").asked) if kind == "served" else 0) == asked
    (row,) = list_executions(database, source="logs/web")
    assert row.statement == query
    assert Verdict.REFUSED in [lock.verdict for lock in row.locks]


def test_the_credentials_go_to_the_server_only(served: Logs, loki: LokiServer):
    served.search("web", '{app="pay"}', HOUR, owner="ann")

    headers = loki.asked[-1][2]
    assert headers["Authorization"] == f"Bearer {TOKEN}"
    assert headers["X-Scope-OrgID"] == "team-a"
    assert TOKEN not in repr(vars(served))


def test_a_redirect_is_not_followed_since_it_would_hand_on_the_token(served: Logs, loki: LokiServer):
    loki.instead = (302, {"Location": f"{loki.url}/elsewhere"}, b"")
    before = len(loki.asked)

    with pytest.raises(SourceUnavailable, match="redirect"):
        served.search("web", '{app="pay"}', HOUR, owner="ann")

    assert len(loki.asked) == before + 1


def test_an_answer_that_trickles_in_is_ended_at_the_limit(served: Logs, loki: LokiServer, database: Database):
    """Whoever waits for this server gets all of its answer in the end, and no refusal."""
    database.statement("UPDATE log_sources SET limits = jsonb_set(limits, '{timeout_s}', '2')")
    loki.pause_s = 0.2

    with pytest.raises(StatementRefused, match="within 2 s"):
        served.search("web", '{app="pay"}', HOUR, owner="ann")


@pytest.mark.parametrize(
    ("instead", "error"),
    [
        ((500, {}, b"oops"), SourceUnavailable),
        ((401, {}, b"no"), SourceUnavailable),
        ((400, {}, b"parse error: unexpected thing"), StatementFailed),
        ((200, {}, b"<html>"), SourceUnavailable),
        ((200, {}, b'{"status":"success","data":{"resultType":"streams","result":[{"stream":1,"values":[[1]]}]}}'), SourceUnavailable),
        ((200, {}, b'{"status":"success","data":[]}'), SourceUnavailable),
        ((200, {}, b'"' + b"x" * (9 << 20) + b'"'), StatementRefused),
    ],
)
def test_a_server_that_answers_something_else_is_an_error_of_its_own(
    served: Logs, loki: LokiServer, instead: tuple[int, dict[str, str], bytes], error: type[Exception]
):
    loki.instead = instead

    with pytest.raises(error):
        served.search("web", '{app="pay"}', HOUR, owner="ann")


def test_lines_that_are_not_json_and_flat_lines_are_read_as_far_as_they_go(files: Logs, tmp_path: Path):
    flat = {"time": START.timestamp(), "service": "cart", "level": "warn", "msg": "slow", "took_ms": 12}
    (tmp_path / "log" / "b.jsonl").write_text("not json\n[1]\n" + json.dumps(flat) + "\n" + "[" * 5_000 + "\n")

    result = files.search("web", '{service="cart"} | json | took_ms > 10', HOUR, owner="ann")

    assert [line.labels["msg"] for line in result.lines] == ["slow"]
    assert result.lines[0].labels["filename"] == "b.jsonl"


def test_no_part_of_a_line_that_is_too_long_is_taken_for_a_line(files: Logs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(files_module, "LINE_BYTES_MAX", 1_000)
    forged = json.dumps({"ts": START.isoformat(), "labels": {"app": "forged"}, "line": "x"})
    (tmp_path / "log" / "b.jsonl").write_text("y" * 1_000 + forged + "\n")

    result = files.search("web", '{app="forged"}', HOUR, owner="ann")

    assert result.lines == ()
    assert result.skipped == 1


def test_a_result_of_too_many_numbers_is_refused(files: Logs, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(files_module, "POINTS_MAX", 50)

    with pytest.raises(StatementRefused, match="longer step"):
        files.search("web", 'sum(count_over_time({app="pay"}[30m]))', Window(HOUR.start, HOUR.end, 10), owner="ann")


def test_a_link_out_of_the_folder_is_not_followed(files: Logs, tmp_path: Path):
    write(tmp_path / "secret.jsonl", [LogEntry(round(START.timestamp()) * 10**9, {"app": "secret"}, "hidden")])
    Path(tmp_path, "log", "c.jsonl").symlink_to(tmp_path / "secret.jsonl")

    assert files.search("web", '{app="secret"}', HOUR, owner="ann").lines == ()


def test_a_query_over_too_much_is_ended_at_its_limit(database: Database, tmp_path: Path, files: Logs, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("BULLPEN_LOG_SMALL_URL", str(tmp_path / "log"))
    add_log(database, tmp_path, LogSource(name="small", kind=LogKind.FILES, limits=LogLimits(scanned_bytes=1_000)))

    with pytest.raises(StatementRefused, match="limit of this log"):
        files.search("small", '{app="pay"}', HOUR, owner="ann")


def test_a_log_without_an_address_here_says_which_variable_is_missing(database: Database, tmp_path: Path):
    with pytest.raises(SourceUnavailable, match="BULLPEN_LOG_GONE_URL"):
        add_log(database, tmp_path, LogSource(name="gone", kind=LogKind.LOKI))
    with pytest.raises(NotFound):
        Logs(database, tmp_path).search("gone", '{app="pay"}', HOUR, owner="ann")


@pytest.fixture
def bullpen(database_url: str, broker_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Result]]:
    for name, value in (("DATABASE_URL", database_url), ("BROKER_URL", broker_url), ("HOME", str(tmp_path))):
        monkeypatch.setenv(f"BULLPEN_{name}", value)
    context.forget()
    yield lambda *arguments: CliRunner().invoke(app, list(arguments))
    context.forget()


def test_the_sample_log_shows_the_outage_of_the_sample_shop(bullpen: Callable[..., Result]):
    assert bullpen("logs", "add", "shop", "--sample").exit_code == 0

    found = bullpen("logs", "ask", "app=payment level=error count 2025-09-16", "--json")
    (errors,) = json.loads(found.stdout)["result"]["series"]
    per_day = bullpen(
        *("logs", "run", 'sum(count_over_time({app="payment", level="error"}[1d]))'),
        *("--from", "2025-09-14", "--to", "2025-09-20", "--step", "1d", "--json"),
    )

    assert errors["points"][0]["value"] > 20
    points = json.loads(per_day.stdout)["series"][0]["points"]
    assert {point["at"][:10] for point in points} == {"2025-09-17", "2025-09-18"}, "the ends of the 16th and the 17th"


def test_a_search_in_chinese_is_answered_in_chinese(bullpen: Callable[..., Result]):
    bullpen("logs", "add", "shop", "--sample")

    found = bullpen("logs", "ask", "2025-09-16 app=payment level=error 有多少条")

    assert found.exit_code == 0, found.output
    assert 'count_over_time({app="payment", level="error"} [24h])' in found.stdout
    assert "理解为" in found.stdout


def test_words_that_are_not_read_are_named_with_what_to_write(bullpen: Callable[..., Result]):
    bullpen("logs", "add", "shop", "--sample")

    found = bullpen("logs", "ask", "find the errors")

    assert found.exit_code == 1
    assert "Not read: errors" in found.stdout
    assert "app=" in found.stdout


def test_a_query_is_checked_without_a_log(bullpen: Callable[..., Result]):
    wrong = bullpen("logs", "check", '{app="shop"} | unwrap took')

    assert wrong.exit_code == 1
    assert "range function" in wrong.stdout
    assert bullpen("logs", "check", '{app="shop"}').exit_code == 0
    assert bullpen("logs", "check", '{app!="shop"}').exit_code == 1
    assert json.loads(bullpen("logs", "check", "{", "--json").stdout)["valid"] is False
