"""Bundles and the artefact store in an object store, over S3's protocol against a server that speaks it."""

from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.support.bundles import deployment, folder_of
from tests.support.object_server import ObjectServer, object_server
from tests.support.said import why_refused
from workers.bundles import BundleLimits, OpenBundle, open_job_bundle, open_store, store_bundle
from workers.errors import ConfigurationError, InvalidInput, NotFound, StoreUnavailable, UnreadableLog
from workers.settings import Settings

pytestmark = pytest.mark.skipif(
    not (find_spec("moto") and find_spec("s3fs")), reason="S3 is tried against moto's server with bullpen-fleet[s3]"
)

FILES = {"job.py": b"import pyspark\n", "conf/spark-defaults.conf": b"spark.executor.memory 4g\n"}
PREFIX = "s3://logs/spark/"


@pytest.fixture(scope="module")
def server() -> Iterator[ObjectServer]:
    with object_server() as running:
        running.put("logs", {f"spark/app/{name}": content for name, content in FILES.items()} | {"spark/application/x.py": b"x = 1\n"})
        running.put("kept", {})
        yield running


@pytest.fixture(autouse=True)
def _as_admin(server: ObjectServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    become(server.env(), monkeypatch)
    yield
    server.ask_for_rights(asked=False)
    forget_connections()


def forget_connections() -> None:
    from s3fs import S3FileSystem

    S3FileSystem.clear_instance_cache()


def become(env: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody else's environment, as another process would have it."""
    forget_connections()
    for name, value in ({"AWS_CONFIG_FILE": "/dev/null", "AWS_SHARED_CREDENTIALS_FILE": "/dev/null"} | env).items():
        monkeypatch.setenv(name, value)


def opened(tmp_path: Path, url: str, **settings: object) -> OpenBundle:
    return open_job_bundle(url, deployment(tmp_path, bundle_urls=(PREFIX,), **settings))


def names(bundle: OpenBundle) -> list[str]:
    return [artefact.name for artefact in bundle.catalogue.artefacts]


def uploaded(tmp_path: Path, **settings: object) -> tuple[Settings, str]:
    told = deployment(tmp_path, artefact_store="s3://kept/bullpen", **settings)
    folder = folder_of(tmp_path / "job", FILES)
    return told, store_bundle([folder], open_store(told), BundleLimits.of(told)).ref


def test_a_prefix_and_an_object_are_taken_and_a_prefix_with_a_like_name_is_not(tmp_path: Path) -> None:
    assert names(opened(tmp_path, "s3://logs/spark/app")) == sorted(FILES)
    assert names(opened(tmp_path, "s3://logs/spark/app/")) == sorted(FILES)
    assert names(opened(tmp_path, "s3://logs/spark/app/job.py")) == ["job.py"]


@pytest.mark.parametrize("url", ["s3://logs/spark/none", "s3://logs/spark/app/none.py"])
def test_a_missing_object_is_not_found(tmp_path: Path, url: str) -> None:
    with pytest.raises(NotFound, match="Check the URL"):
        opened(tmp_path, url)


def test_a_missing_bucket_is_not_found_and_is_not_made(tmp_path: Path, server: ObjectServer) -> None:
    settings = deployment(tmp_path, bundle_urls=("s3://nobucket/",), artefact_store="s3://nobucket/kept")

    with pytest.raises(NotFound, match="Check the URL"):
        open_job_bundle("s3://nobucket/app", deployment(tmp_path, bundle_urls=("s3://nobucket/",)))
    with pytest.raises((NotFound, StoreUnavailable), match="BULLPEN_ARTEFACT_STORE"):
        store_bundle([folder_of(tmp_path / "job", FILES)], open_store(settings), BundleLimits.of(settings))

    assert sorted(bucket["Name"] for bucket in server.client().list_buckets()["Buckets"]) == ["kept", "logs"]


def test_a_change_is_seen_by_a_process_that_has_listed_before(tmp_path: Path, server: ObjectServer) -> None:
    server.put("changing", {"app/a.py": b"a = 1\n"})
    settings = deployment(tmp_path, bundle_urls=("s3://changing/",))
    first = open_job_bundle("s3://changing/app", settings)
    again = open_job_bundle("s3://changing/app", settings)
    server.client().put_object(Bucket="changing", Key="app/b.py", Body=b"b = 1\n")
    changed = open_job_bundle("s3://changing/app", settings)
    server.client().delete_object(Bucket="changing", Key="app/a.py")
    server.client().delete_object(Bucket="changing", Key="app/b.py")
    server.client().delete_bucket(Bucket="changing")

    assert first.catalogue == again.catalogue
    assert names(changed) == ["a.py", "b.py"]


def test_what_a_prefix_holds_beyond_the_limits_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableLog) as refused:
        opened(tmp_path, "s3://logs/spark/app", bundle_bytes=20)
    assert "larger than what is taken" in why_refused(refused.value)
    with pytest.raises(UnreadableLog) as refused:
        opened(tmp_path, "s3://logs/spark/app", bundle_files=1)
    assert "more than 1 files" in why_refused(refused.value)


def test_who_has_no_right_is_told_so_without_a_key_in_the_words(
    tmp_path: Path, server: ObjectServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    env = server.stranger()
    server.ask_for_rights()
    become(env, monkeypatch)

    with pytest.raises(InvalidInput, match="the right to read it") as read:
        opened(tmp_path, "s3://logs/spark/app")
    with pytest.raises(ConfigurationError, match="the right to list, read and write") as kept:
        uploaded(tmp_path)

    assert not any(env[name] in str(told.value) for told in (read, kept) for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"))


def test_who_has_no_credentials_is_told_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    forget_connections()
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")

    with pytest.raises(ConfigurationError, match="credentials in this process's environment"):
        uploaded(tmp_path)


def test_the_store_keeps_each_file_once_and_gives_it_back(tmp_path: Path, server: ObjectServer) -> None:
    settings, ref = uploaded(tmp_path)
    _, again = uploaded(tmp_path)
    bundle = open_job_bundle(ref, settings)

    assert again == ref
    assert names(bundle) == sorted(FILES)
    assert {name: bundle.source(name).path.read_bytes() for name in FILES} == FILES
    kept = server.keys("kept")
    assert len(kept) == 3
    assert all(key.startswith(("bullpen/blobs/", "bullpen/bundles/")) for key in kept)


def test_another_machine_reads_what_this_one_kept(tmp_path: Path) -> None:
    _, ref = uploaded(tmp_path)
    elsewhere = deployment(tmp_path / "other", artefact_store="s3://kept/bullpen")

    assert open_job_bundle(ref, elsewhere).source("job.py").path.read_bytes() == FILES["job.py"]


def test_a_server_that_is_away_is_told_as_such(tmp_path: Path, server: ObjectServer, monkeypatch: pytest.MonkeyPatch) -> None:
    become(server.env(AWS_ENDPOINT_URL_S3="http://127.0.0.1:9", AWS_MAX_ATTEMPTS="1"), monkeypatch)

    with pytest.raises(StoreUnavailable, match=r"cannot be read \(check the URL and its server\)"):
        opened(tmp_path, "s3://logs/spark/app")


def test_what_the_store_keeps_is_listed_dated_and_removed(tmp_path: Path, server: ObjectServer) -> None:
    settings, _ = uploaded(tmp_path)
    store = open_store(settings)
    blobs, bundles = dict(store.keys("blobs")), dict(store.keys("bundles"))
    times = [store.kept_at(key) for key in (*blobs, *bundles)]
    for key in (*blobs, *bundles):
        store.remove(key)
        store.remove(key)

    assert sorted(blobs.values()) == sorted(len(content) for content in FILES.values())
    assert len(bundles) == 1
    assert all(one is not None and abs((datetime.now(UTC) - one).total_seconds()) < 600 for one in times)
    assert (server.keys("kept"), list(store.keys("blobs"))) == ([], [])
    assert store.kept_at(next(iter(blobs))) is None
