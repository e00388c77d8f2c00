"""Bundles from a Spark History Server: a real web server that answers as one does, from logs of real runs."""

import json
import zipfile
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from tests.support.bundles import deployment, kept_files
from tests.support.file_server import FileServer, file_server, give, only_get, refuse
from tests.support.history_server import history_answers
from tests.support.said import why_refused
from workers.bundles import Days, OpenBundle, open_job_bundle
from workers.bundles.history_urls import history_address
from workers.engines.spark.eventlog import read_run
from workers.errors import BullpenError, InvalidInput, NotFound, StoreUnavailable, UnreadableLog

FIXTURES = Path(__file__).parents[1] / "bench" / "spark_pairs" / "fixtures"
LOGS = (FIXTURES / "tiny_tasks.zstd", FIXTURES / "few_tasks.zstd")
RUNS = tuple(map(read_run, LOGS))
IDS = tuple(str(run.app_id) for run in RUNS)


@pytest.fixture
def server() -> Iterator[FileServer]:
    with file_server() as running:
        running.answers = {path: only_get(answer) for path, answer in history_answers(LOGS).items()}
        yield running


def opened(server: FileServer, tmp_path: Path, path: str, days: Days | None = None, **settings: object) -> OpenBundle:
    return open_job_bundle(server.url(path), deployment(tmp_path, bundle_urls=(server.url("/"),), **settings), days=days or Days())


def refusal(server: FileServer, tmp_path: Path, path: str, days: Days | None = None, **settings: object) -> BullpenError:
    with pytest.raises(BullpenError) as refused:
        opened(server, tmp_path, path, days, **settings)
    assert kept_files(tmp_path / "home") == []
    return refused.value


def applications(bundle: OpenBundle) -> list[str]:
    assert all(artefact.kind == "spark_event_log" for artefact in bundle.catalogue.artefacts)
    return [artefact.name.partition("/")[0] for artefact in bundle.catalogue.artefacts]


@pytest.mark.parametrize(
    "path", ["/history/{}/jobs/", "/history/{}", "/history/{}/stages/stage/", "/api/v1/applications/{}", "/api/v1/applications/{}/logs"]
)
def test_pages_and_addresses_of_an_application_give_its_log(server: FileServer, tmp_path: Path, path: str) -> None:
    bundle = opened(server, tmp_path, path.format(IDS[0]))

    assert applications(bundle) == [IDS[0]]
    assert bundle.catalogue.artefacts[0].size_bytes == LOGS[0].stat().st_size


@pytest.mark.parametrize("path", ["", "/", "/api/v1/applications", "/api/v1/applications/"])
def test_a_servers_address_gives_the_logs_of_its_last_day(server: FileServer, tmp_path: Path, path: str) -> None:
    assert applications(opened(server, tmp_path, path)) == sorted(IDS)


def test_only_the_runs_of_the_days_asked_for_are_fetched(server: FileServer, tmp_path: Path) -> None:
    day = datetime.fromtimestamp((RUNS[0].started_at or 0) / 1000, UTC).date()

    assert applications(opened(server, tmp_path, "/", Days(day, day))) == sorted(IDS)
    told = refusal(server, tmp_path / "later", "/", Days(date(2040, 1, 1), None))
    assert isinstance(told, NotFound)
    assert "no finished application" in str(told)


def test_a_server_below_a_path_is_found_and_a_plain_page_is_still_a_file(tmp_path: Path) -> None:
    with file_server() as server:
        server.answers = {**history_answers(LOGS, "/spark/"), "/": give(b"<html>It works</html>")}

        assert applications(opened(server, tmp_path, "/spark/")) == sorted(IDS)
        assert [artefact.kind for artefact in opened(server, tmp_path, "/").catalogue.artefacts] == ["unknown"]


def test_a_run_that_has_not_changed_is_not_fetched_again(server: FileServer, tmp_path: Path) -> None:
    opened(server, tmp_path, f"/history/{IDS[0]}/")
    before = len(server.asked)
    opened(server, tmp_path, f"/history/{IDS[0]}/")

    assert server.asked[before:] == [f"GET /api/v1/applications/{IDS[0]}"]


def test_an_address_of_the_server_that_is_not_allowed_is_never_asked(server: FileServer, tmp_path: Path) -> None:
    url = server.url(f"/history/{IDS[0]}/jobs/")

    with pytest.raises(InvalidInput, match="not below a prefix"):
        open_job_bundle(url, deployment(tmp_path, bundle_urls=(server.url("/history/"),)))

    assert server.asked == []


def test_an_id_that_leads_out_of_the_api_is_refused(server: FileServer, tmp_path: Path) -> None:
    row = {"id": "..", "attempts": [{"startTimeEpoch": 1, "endTimeEpoch": 2, "lastUpdatedEpoch": 2}]}
    server.answers["/api/v1/applications"] = give(json.dumps([row]).encode())

    assert isinstance(refusal(server, tmp_path, "/"), InvalidInput)
    assert not any("logs" in line for line in server.asked)


def test_logs_beyond_the_limit_are_left_at_the_limit(server: FileServer, tmp_path: Path) -> None:
    size = LOGS[0].stat().st_size + LOGS[1].stat().st_size

    told = refusal(server, tmp_path, "/", bundle_bytes=size - 1)

    assert isinstance(told, UnreadableLog)
    assert "larger than what is taken" in why_refused(told)


def test_an_archive_that_leads_out_of_its_folder_is_refused(server: FileServer, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "evil.zip", "w") as archive:
        archive.writestr("../evil", b"x")
    server.answers[f"/api/v1/applications/{IDS[0]}/logs"] = give((tmp_path / "evil.zip").read_bytes())

    assert isinstance(refusal(server, tmp_path, f"/history/{IDS[0]}/"), UnreadableLog)


@pytest.mark.parametrize(("status", "kind"), [(404, NotFound), (403, InvalidInput), (302, InvalidInput), (503, StoreUnavailable)])
def test_a_refusal_of_the_server_says_what_to_do(server: FileServer, tmp_path: Path, status: int, kind: type[BullpenError]) -> None:
    server.answers[f"/api/v1/applications/{IDS[0]}/logs"] = refuse(status)

    assert type(refusal(server, tmp_path, f"/history/{IDS[0]}/")) is kind


@pytest.mark.parametrize("body", [b"<html>login</html>", b'{"applications": []}', b"7", b'{"id": 7}'])
def test_a_server_that_is_none_is_told_from_one(server: FileServer, tmp_path: Path, body: bytes) -> None:
    server.answers[f"/api/v1/applications/{IDS[0]}"] = give(body)

    told = refusal(server, tmp_path, f"/history/{IDS[0]}/")

    assert isinstance(told, InvalidInput)
    assert "does not answer as a Spark History Server" in str(told)


def test_times_of_old_servers_are_read(server: FileServer, tmp_path: Path) -> None:
    row = {"id": IDS[0], "name": "old", "attempts": [{"startTime": "2026-01-31T02:00:05.123GMT", "endTime": "2026-01-31T02:10:05.123GMT"}]}
    server.answers["/api/v1/applications"] = give(json.dumps([row]).encode())

    assert applications(opened(server, tmp_path, "/", Days(date(2026, 1, 31), date(2026, 1, 31)))) == [IDS[0]]


def test_an_attempt_is_asked_for_by_its_number() -> None:
    address = history_address("https://h:18080/x/history/application_1_2/3/stages/")

    assert address is not None
    assert (address.base, address.app_id, address.attempt) == ("https://h:18080/x/", "application_1_2", "3")
    assert address.logs("application_1_2", "3") == "https://h:18080/x/api/v1/applications/application_1_2/3/logs"
    assert history_address("https://h/jobs/nightly.zip") is None
