"""Opening what a request names: uploads, allowed paths, allowed URLs; a store behind fsspec; logs of several parts."""

import os
import shutil
import sys
from pathlib import Path
from typing import Any

import fsspec
import pytest

from contracts.spark import RunFacts
from tests.support.bundles import deployment, folder_of
from tests.support.eventlog import databricks_start, small_run, to_bytes
from tests.support.said import said, why_refused
from workers.bundles import BundleLimits, OpenBundle, open_job_bundle, open_store, read_artefact, store_bundle
from workers.bundles.addresses import allowed_path, allowed_url
from workers.bundles.cache import LocalCache
from workers.engines.spark.eventlog import read_run
from workers.errors import ConfigurationError, InvalidInput, NotFound, StoreUnavailable, UnreadableLog
from workers.settings import Settings

RUN = small_run()
ROLLING = {
    "eventlog_v2_spark-1/appstatus_spark-1": b"",
    "eventlog_v2_spark-1/events_1_spark-1": to_bytes(RUN[:6]),
    "eventlog_v2_spark-1/events_2_spark-1": to_bytes(RUN[6:12]),
    "eventlog_v2_spark-1/events_3_spark-1": b"",
    "script.py": b"import pyspark\n",
}
PREFIXES = ("https://history.example/data/jobs/", "s3://logs/spark/")


def uploaded(tmp_path: Path, files: dict[str, bytes], **told: object) -> OpenBundle:
    settings = deployment(tmp_path, **told)
    manifest = store_bundle([folder_of(tmp_path / "job", files)], open_store(settings), BundleLimits.of(settings))
    return open_job_bundle(manifest.ref, settings)


def names(bundle: OpenBundle) -> list[str]:
    return [artefact.name for artefact in bundle.catalogue.artefacts]


def tasks(run: RunFacts) -> list[int]:
    return [stage.succeeded_tasks for stage in run.stages]


def test_rolling_parts_are_one_artefact_in_their_order(tmp_path: Path) -> None:
    more = {"eventlog_v2_spark-1/events_10_spark-1": b"", "eventlog_v2_spark-1/events_3_spark-1": to_bytes(RUN[12:])}
    bundle = uploaded(tmp_path, ROLLING | more)
    log = bundle.artefact("eventlog_v2_spark-1")

    assert names(bundle) == ["eventlog_v2_spark-1", "script.py"]
    assert [part.split("/")[1].split("_spark")[0] for part in log.parts] == ["events_1", "events_2", "events_3", "events_10", "appstatus"]
    assert log.kind == "spark_event_log"
    with pytest.raises(UnreadableLog) as refused:
        read_run(bundle.source(log.name).path)
    assert "Parts of the log are missing: 4, 5" in why_refused(refused.value)


def test_the_marker_beside_a_single_rolling_part_is_no_second_log(tmp_path: Path) -> None:
    """A run in one part was shown as two runs, one of them without a time."""
    folder = "eventlog_v2_local-1795811519584"
    files = {f"{folder}/events_1_local-1795811519584": to_bytes(RUN), f"{folder}/appstatus_local-1795811519584": b""}

    artefacts = uploaded(tmp_path, files).catalogue.artefacts

    assert [artefact.kind for artefact in artefacts].count("spark_event_log") == 1


def test_rolling_parts_are_read_from_the_folder_that_the_bundle_gives(tmp_path: Path) -> None:
    bundle = uploaded(tmp_path, ROLLING | {"eventlog_v2_spark-1/events_3_spark-1": to_bytes(RUN[12:])})

    assert tasks(read_run(bundle.source("eventlog_v2_spark-1").path)) == [3, 4]


def test_a_missing_part_is_told_when_the_log_is_read(tmp_path: Path) -> None:
    files = {"events_1_spark-1": to_bytes(RUN[:6]), "events_3_spark-1": to_bytes(RUN[6:])}
    bundle = uploaded(tmp_path, files)
    (artefact,) = bundle.catalogue.artefacts

    parsed = read_artefact(None, bundle, artefact, bundle.kinds)

    assert "Parts of the log are missing: 2" in said(parsed.problem)
    assert parsed.tells == frozenset()


def test_hourly_parts_of_databricks_are_one_artefact(tmp_path: Path) -> None:
    bundle = uploaded(
        tmp_path,
        {
            "logs/eventlog-2024-01-31--10-00": to_bytes([databricks_start(0), *RUN[:6]]),
            "logs/eventlog": to_bytes([databricks_start(1), *RUN[6:]]),
            "other/eventlog": to_bytes([databricks_start(0, context=7), *RUN]),
        },
    )

    assert names(bundle) == ["logs", "other/eventlog"]
    assert tasks(read_run(bundle.source("logs").path)) == [3, 4]


def test_attempts_of_one_application_are_one_artefact_and_each_can_be_read(tmp_path: Path) -> None:
    application = "application_1700000000000_0007"
    bundle = uploaded(
        tmp_path,
        {f"{application}_1": to_bytes(small_run(application, "1")[:-6]), f"{application}_2": to_bytes(small_run(application, "2"))},
    )
    (artefact,) = bundle.catalogue.artefacts

    runs = [read_artefact(None, bundle, artefact, bundle.kinds, attempt=attempt).facts[0] for attempt in (None, "1")]

    assert [run.attempt for run in runs if isinstance(run, RunFacts)] == ["2", "1"]


def test_logs_of_two_applications_are_two_artefacts(tmp_path: Path) -> None:
    bundle = uploaded(tmp_path, {"a": to_bytes(small_run("app-20240101000000-0001")), "b": to_bytes(small_run("app-20240101000000-0002"))})

    assert names(bundle) == ["a", "b"]


def test_a_part_by_itself_is_known_by_its_name_in_the_bundle(tmp_path: Path) -> None:
    bundle = uploaded(tmp_path, {"events_2_spark-1": to_bytes(RUN)})

    parsed = read_artefact(None, bundle, bundle.artefact("events_2_spark-1"), bundle.kinds)

    (run,) = parsed.facts
    assert isinstance(run, RunFacts)
    assert "part 2 of a log" in said(run.reading.notes[0])


@pytest.fixture
def memory_store() -> str:
    fsspec.filesystem("memory").store.clear()
    return "memory://bucket/bullpen"


def test_a_store_behind_fsspec_keeps_and_gives_the_same(tmp_path: Path, memory_store: str) -> None:
    far = uploaded(tmp_path / "far", ROLLING, artefact_store=memory_store)
    near = uploaded(tmp_path / "near", ROLLING)

    assert far.catalogue == near.catalogue
    assert far.source("script.py").path.read_bytes() == ROLLING["script.py"]
    assert not fsspec.filesystem("memory").find("/bucket/bullpen/staging")


def test_a_far_blob_that_was_changed_is_not_believed(tmp_path: Path, memory_store: str) -> None:
    bundle = uploaded(tmp_path, {"script.py": b"import pyspark"}, artefact_store=memory_store)
    files = fsspec.filesystem("memory")
    (blob,) = files.find("/bucket/bullpen/blobs")
    files.pipe_file(blob, b"import os")

    with pytest.raises(StoreUnavailable, match="wrong content"):
        bundle.source("script.py")
    cached = [file for file in (tmp_path / "home" / "artefact-cache").rglob("*") if file.is_file()]
    assert [file for file in cached if b"import os" in file.read_bytes()] == []


def test_the_cache_lets_the_least_recently_used_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workers.bundles.cache.IN_USE_S", -1.0)
    cache = LocalCache(tmp_path, max_bytes=250)

    for key in ("a", "b", "c"):
        cache.file(key, lambda: [bytes(100)])

    assert sorted(path.name for path in (tmp_path / "files").iterdir()) == ["b", "c"]


def test_room_is_made_while_another_process_removes_entries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that lists the cache meets folders that are gone when it looks into them."""
    monkeypatch.setattr("workers.bundles.cache.IN_USE_S", -1.0)
    cache = LocalCache(tmp_path, max_bytes=150)
    scandir = os.scandir

    def put(folder: Path) -> None:
        (folder / "x").write_bytes(bytes(100))

    def racing(path: Any) -> Any:
        if Path(path).name == "gone":
            monkeypatch.setattr(os, "scandir", scandir)
            shutil.rmtree(path)
        return scandir(path)

    cache.folder_of("gone", put)
    monkeypatch.setattr(os, "scandir", racing)
    cache.folder_of("kept", put)

    assert [path.name for path in (tmp_path / "folders").iterdir()] == ["kept"]


def test_an_upload_that_the_store_does_not_hold_is_not_found(tmp_path: Path) -> None:
    for ref in ("sha256:" + "0" * 64, "sha256:../../etc/passwd", "sha256:"):
        with pytest.raises(NotFound, match="upload the same files again"):
            open_job_bundle(ref, deployment(tmp_path))


def test_an_allowed_path_is_kept_once_and_again_when_it_changes(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "jobs" / "1", {"script.py": b"import pyspark"})
    settings = deployment(tmp_path, bundle_roots=(tmp_path / "jobs",))

    first = open_job_bundle(str(folder), settings)
    again = open_job_bundle(str(folder), settings)
    (folder / "script.py").write_bytes(b"import pyspark.sql")
    changed = open_job_bundle(str(folder), settings)

    assert first.catalogue == again.catalogue
    assert first.catalogue.bundle == str(folder)
    assert changed.catalogue.content_hash != first.catalogue.content_hash


def refused_path(told: str, *roots: Path) -> bool:
    try:
        allowed_path(told, roots)
    except InvalidInput as error:
        return "BULLPEN_BUNDLE_ROOTS" in str(error)
    return False


def test_only_what_lies_below_an_allowed_folder_may_be_named(tmp_path: Path) -> None:
    jobs = folder_of(tmp_path / "jobs", {"1/a": b""})
    folder_of(tmp_path / "jobs-evil", {"a": b""})
    (jobs / "out").symlink_to(tmp_path / "jobs-evil")
    (jobs / "in").symlink_to(jobs / "1")

    told = {name: refused_path(name, jobs) for name in (f"{jobs}/1", f"{jobs}/in", f"{jobs}/1/../1/a")}
    outside = (f"{tmp_path}/jobs-evil", f"{jobs}/../jobs-evil/a", f"{jobs}/out", f"{jobs}/out/a", "/etc/passwd", f"{jobs}/no", "1", "\0")
    refused = {name: refused_path(name, jobs) for name in outside}

    assert not any(told.values())
    assert all(refused.values())
    assert refused_path(f"{jobs}/1"), "without a setting no path may be named"


def test_a_missing_and_a_forbidden_path_are_refused_in_the_same_words(tmp_path: Path) -> None:
    folder_of(tmp_path, {"here": b""})

    words: set[str] = set()
    for name in ("here", "gone"):
        with pytest.raises(InvalidInput) as refused:
            allowed_path(f"{tmp_path}/{name}", (tmp_path / "jobs",))
        words.add(str(refused.value).replace(f"/{name}”", ""))

    assert len(words) == 1


@pytest.mark.parametrize(
    "url", ["https://history.example/data/jobs/1.zip", "HTTPS://HISTORY.example/data/jobs/a/b", "s3://logs/spark/app=1"]
)
def test_urls_below_an_allowed_prefix_may_be_named(url: str) -> None:
    assert allowed_url(url, PREFIXES) == url


@pytest.mark.parametrize(
    "url",
    [
        "http://169.254.169.254/",
        "http://169.254.169.254/latest/meta-data/",
        "https://history.example/data/jobs-evil/1",
        "https://history.example/data/jobs",
        "http://history.example/data/jobs/1",
        "https://history.example:8443/data/jobs/1",
        "https://history.example.evil.example/data/jobs/1",
        "https://history.example@evil.example/data/jobs/1",
        "https://evil@history.example/data/jobs/1",
        "https://history.example/data/jobs/../../etc",
        "https://history.example/data/jobs/%2e%2e/%2e%2e/etc",
        "https://history.example/data/jobs/%252e%252e/x",
        "https://history.example/data/jobs/..\\..\\x",
        "s3://logs/sparkling/x",
        "s3://other/spark/x",
        "simplecache::s3://logs/spark/x",
        "s3://logs/spark/x::http://evil.example/",
        "file:///etc/passwd",
        "s3://logs/spark/x\ny",
        "http://[::1/",
        "https://history.example/data/jobs/1#fragment",
        "https://history.example/data/jobs/1?X-Amz-Signature=abc",
        "s3://key:secret@logs/spark/x",
    ],
)
def test_other_urls_are_refused_before_anything_is_asked(url: str) -> None:
    with pytest.raises(InvalidInput, match="BULLPEN_BUNDLE_URLS"):
        allowed_url(url, PREFIXES)


def test_no_url_may_be_named_without_the_setting(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="BULLPEN_BUNDLE_URLS"):
        open_job_bundle("https://history.example/data/jobs/1", deployment(tmp_path))


def test_without_its_package_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "s3fs", None)
    monkeypatch.delitem(sys.modules["fsspec.registry"]._registry, "s3", raising=False)

    with pytest.raises(ConfigurationError, match=r"Wherever workers run: `pip install .*\[s3\]"):
        open_job_bundle("s3://logs/spark/app", deployment(tmp_path, bundle_urls=("s3://logs/",)))
    with pytest.raises(ConfigurationError, match=r"Wherever workers run: `pip install .*\[s3\]"):
        open_store(deployment(tmp_path, artefact_store="s3://logs/kept"))


def test_a_store_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="Set a folder or an object store"):
        open_store(deployment(tmp_path, artefact_store="https://history.example/kept"))


def test_a_file_and_a_folder_behind_a_url_are_fetched_and_kept(tmp_path: Path, memory_store: str) -> None:
    files = fsspec.filesystem("memory")
    for name, content in ROLLING.items():
        files.pipe_file(f"/logs/job/{name}", content)
    settings = deployment(tmp_path, bundle_urls=("memory://logs/",))

    folder = open_job_bundle("memory://logs/job", settings)
    single = open_job_bundle("memory://logs/job/script.py", settings)

    assert names(folder) == ["eventlog_v2_spark-1", "script.py"]
    assert names(single) == ["script.py"]
    assert single.catalogue.bundle == "memory://logs/job/script.py"


def test_what_a_url_holds_beyond_the_limit_is_refused(tmp_path: Path, memory_store: str) -> None:
    fsspec.filesystem("memory").pipe_file("/logs/large", bytes(2_000))

    with pytest.raises(UnreadableLog) as refused:
        open_job_bundle("memory://logs/large", deployment(tmp_path, bundle_urls=("memory://logs/",), bundle_bytes=1_000))
    assert "larger than what is taken" in why_refused(refused.value)


def test_a_url_of_nothing_is_not_found(tmp_path: Path, memory_store: str) -> None:
    with pytest.raises(NotFound, match="Check the URL"):
        open_job_bundle("memory://logs/none", deployment(tmp_path, bundle_urls=("memory://logs/",)))


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("bundle_urls", "s3://logs"),
        ("bundle_urls", "https://x.example/a"),
        ("bundle_urls", "file:///data/"),
        ("bundle_roots", "data"),
        ("bundle_roots", "/"),
    ],
)
def test_an_allowlist_that_would_allow_too_much_is_a_wrong_setting(setting: str, value: str) -> None:
    with pytest.raises(ValueError, match=r"must be|is not of the form"):
        Settings.model_validate({setting: value})
