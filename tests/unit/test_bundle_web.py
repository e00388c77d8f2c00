"""Bundles behind http(s) URLs, from a real web server: taken in whole, or refused with what to do."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.bundles import deployment, kept_files, tar_of, zip_of
from tests.support.file_server import FileServer, break_off, file_server, give, give_without_length, only_get, refuse, silent, without_end
from tests.support.said import why_refused
from workers.bundles import OpenBundle, open_job_bundle
from workers.errors import BullpenError, InvalidInput, NotFound, StoreUnavailable, UnreadableLog

SCRIPT = b"import pyspark\n"


@pytest.fixture
def server() -> Iterator[FileServer]:
    with file_server() as running:
        yield running


def opened(server: FileServer, tmp_path: Path, path: str, **settings: object) -> OpenBundle:
    return open_job_bundle(server.url(path), deployment(tmp_path, bundle_urls=(server.url("/jobs/"),), **settings))


def refusal(server: FileServer, tmp_path: Path, path: str, **settings: object) -> BullpenError:
    with pytest.raises(BullpenError) as refused:
        opened(server, tmp_path, path, **settings)
    assert kept_files(tmp_path / "home") == []
    return refused.value


def names(bundle: OpenBundle) -> list[str]:
    return [artefact.name for artefact in bundle.catalogue.artefacts]


def test_a_script_a_zip_and_a_tar_are_taken_with_and_without_their_length(server: FileServer, tmp_path: Path) -> None:
    files = {"job.py": SCRIPT, "conf/spark-defaults.conf": b"spark.executor.memory 4g\n"}
    archived = zip_of(tmp_path / "a.zip", files).read_bytes()
    server.answers = {
        "/jobs/job.py": give(SCRIPT),
        "/jobs/logs": give_without_length(archived),
        "/jobs/a%20b.tgz": only_get(give(tar_of(tmp_path / "a.tgz", files, "w:gz").read_bytes())),
    }

    assert names(opened(server, tmp_path, "/jobs/job.py")) == ["job.py"]
    assert names(opened(server, tmp_path, "/jobs/logs")) == sorted(files)
    assert names(opened(server, tmp_path, "/jobs/a%20b.tgz")) == sorted(files)


def test_a_redirect_is_refused_and_its_target_is_never_asked(server: FileServer, tmp_path: Path) -> None:
    with file_server() as inside:
        for status in (301, 302, 303, 307, 308):
            server.answers[f"/jobs/{status}"] = refuse(status, Location=inside.url("/latest/meta-data/?token=abc"))
            told = refusal(server, tmp_path, f"/jobs/{status}")
            assert isinstance(told, InvalidInput)
            assert "redirects are not followed" in str(told)
            assert "token" not in str(told)
        server.answers["/jobs/late"] = only_get(refuse(302, Location=inside.url("/x")))
        refusal(server, tmp_path, "/jobs/late")

        assert inside.asked == []


@pytest.mark.parametrize(
    ("status", "kind", "words"),
    [
        (404, NotFound, "Check the URL"),
        (410, NotFound, "Check the URL"),
        (401, InvalidInput, "Download the file yourself and upload it"),
        (403, InvalidInput, "Download the file yourself and upload it"),
        (429, StoreUnavailable, "Try again later"),
        (503, StoreUnavailable, "Try again later"),
    ],
)
def test_a_refusal_of_the_server_says_what_to_do(
    server: FileServer, tmp_path: Path, status: int, kind: type[BullpenError], words: str
) -> None:
    server.answers["/jobs/a.zip"] = refuse(status)

    told = refusal(server, tmp_path, "/jobs/a.zip")

    assert type(told) is kind
    assert words in str(told)


def test_a_file_that_breaks_off_is_not_taken_for_whole(server: FileServer, tmp_path: Path) -> None:
    server.answers["/jobs/job.py"] = break_off(SCRIPT, length=1_000)

    told = refusal(server, tmp_path, "/jobs/job.py")

    assert told.retryable
    assert f"closed the connection after {len(SCRIPT)} of 1,000 bytes" in str(told)


def test_a_body_beyond_the_limit_is_left_at_the_limit(server: FileServer, tmp_path: Path) -> None:
    server.answers["/jobs/log"] = without_end(bytes(10_000))

    told = refusal(server, tmp_path, "/jobs/log", bundle_bytes=100_000)

    assert isinstance(told, UnreadableLog)
    assert "larger than what is taken" in why_refused(told)


def test_a_server_that_says_nothing_is_given_up(server: FileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workers.bundles.web.SILENCE_S", 0.1)
    server.answers["/jobs/job.py"] = silent(0.5)

    told = refusal(server, tmp_path, "/jobs/job.py")

    assert isinstance(told, StoreUnavailable)
    assert "timed out" in str(told)


def test_a_server_that_trickles_is_given_up_at_the_steps_deadline(server: FileServer, tmp_path: Path) -> None:
    server.answers["/jobs/job.py"] = without_end(b"#", pause_s=0.02)

    told = refusal(server, tmp_path, "/jobs/job.py", step_timeout_s=0.3)

    assert "BULLPEN_STEP_TIMEOUT_S" in str(told)


def test_nobody_who_answers_is_told_as_such(server: FileServer, tmp_path: Path) -> None:
    settings = deployment(tmp_path, bundle_urls=("http://127.0.0.1:9/jobs/",))

    with pytest.raises(StoreUnavailable, match=r"does not answer.*Check the URL"):
        open_job_bundle("http://127.0.0.1:9/jobs/a.zip", settings)


def test_what_has_not_changed_is_not_fetched_again(server: FileServer, tmp_path: Path) -> None:
    server.answers["/jobs/job.py"] = give(SCRIPT, ETag='"1"')
    first = opened(server, tmp_path, "/jobs/job.py").catalogue
    again = opened(server, tmp_path, "/jobs/job.py").catalogue
    fetched = server.count("GET")
    server.answers["/jobs/job.py"] = give(SCRIPT + b"x = 1\n", ETag='"2"')
    changed = opened(server, tmp_path, "/jobs/job.py").catalogue

    assert (first, fetched) == (again, 1)
    assert changed.content_hash != first.content_hash


def test_what_cannot_be_seen_to_change_is_fetched_each_time(server: FileServer, tmp_path: Path) -> None:
    server.answers["/jobs/job.py"] = give(b"a = 1\n")
    first = opened(server, tmp_path, "/jobs/job.py").catalogue
    server.answers["/jobs/job.py"] = give(b"a = 2\n")

    assert opened(server, tmp_path, "/jobs/job.py").catalogue.content_hash != first.content_hash


def test_later_steps_read_what_was_kept_although_the_server_is_gone(server: FileServer, tmp_path: Path) -> None:
    server.answers["/jobs/job.py"] = give(SCRIPT)
    kept = opened(server, tmp_path, "/jobs/job.py").catalogue.kept
    server.answers.clear()

    again = open_job_bundle(kept, deployment(tmp_path))

    assert again.source("job.py").path.read_bytes() == SCRIPT


def test_a_name_that_leads_upwards_stays_below_our_folder(server: FileServer, tmp_path: Path) -> None:
    server.answers["/jobs/%2fetc%2fpasswd"] = give(SCRIPT)

    assert names(opened(server, tmp_path, "/jobs/%2fetc%2fpasswd")) == ["passwd"]
