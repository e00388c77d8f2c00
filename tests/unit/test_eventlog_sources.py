"""Which files are the log, in which order they are read, and what is refused before anything of it is read."""

import dataclasses
import gzip
import io
import os
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from backports import zstd

from contracts.spark import LogRefusal, RunFacts
from tests.support.eventlog import app_end, app_start, databricks_start, small_run, task_end, to_bytes
from tests.support.said import said, why_refused
from workers.engines.artefacts.event_log import read_event_log
from workers.engines.artefacts.kinds import ArtefactSource
from workers.engines.spark.eventlog import ReadLimits, read_run
from workers.errors import UnreadableLog

RUN = small_run()
FIRST, SECOND, THIRD = to_bytes(RUN[:6]), to_bytes(RUN[6:12]), to_bytes(RUN[12:])
YARN = "application_1700000000000_0007"


def folder(tmp_path: Path, files: dict[str, bytes]) -> Path:
    for name, content in files.items():
        path = tmp_path / "bundle" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return tmp_path / "bundle"


def a_zip(tmp_path: Path, files: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(tmp_path / "bundle.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return tmp_path / "bundle.zip"


def a_tar(tmp_path: Path, files: dict[str, bytes]) -> Path:
    return tar_of(tmp_path / "bundle.tar", [(tarfile.TarInfo(name), content) for name, content in files.items()])


def a_tar_gz(tmp_path: Path, files: dict[str, bytes]) -> Path:
    path = tmp_path / "bundle.tgz"
    path.write_bytes(gzip.compress(a_tar(tmp_path, files).read_bytes()))
    return path


def a_tar_zst(tmp_path: Path, files: dict[str, bytes]) -> Path:
    path = tmp_path / "bundle.tar.zst"
    path.write_bytes(zstd.compress(a_tar(tmp_path, files).read_bytes()))
    return path


def tar_of(path: Path, members: list[tuple[tarfile.TarInfo, bytes]]) -> Path:
    with tarfile.open(path, "w") as archive:
        for info, content in members:
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return path


def refusal(path: Path, limits: ReadLimits | None = None) -> LogRefusal:
    with pytest.raises(UnreadableLog) as refused:
        read_run(path, limits or ReadLimits())
    return refused.value.reason


def outcome(path: Path) -> str:
    try:
        return "said to break off" if read_run(path).reading.truncated else "read as if it were whole"
    except UnreadableLog as refused:
        return refused.reason


def tasks(run: RunFacts) -> list[int]:
    return [stage.succeeded_tasks for stage in run.stages]


Pack = Callable[[Path, dict[str, bytes]], Path]
every_bundle = pytest.mark.parametrize("pack", [folder, a_zip, a_tar, a_tar_gz, a_tar_zst], ids=lambda pack: pack.__name__)


@every_bundle
def test_rolling_files_are_read_in_the_order_of_their_numbers(tmp_path: Path, pack: Pack) -> None:
    """T1: 10 comes after 9, and each part may be compressed by itself."""
    middle = {f"eventlog_v2_x/events_{number}_x": b"" for number in range(3, 10)}
    files = {"eventlog_v2_x/events_10_x.zstd": zstd.compress(THIRD), **middle, "eventlog_v2_x/events_2_x": SECOND}
    files |= {"eventlog_v2_x/events_1_x.zstd": zstd.compress(FIRST), "eventlog_v2_x/appstatus_x": b"", "._events_1_x": b"\0\1"}

    run = read_run(pack(tmp_path, files))

    assert tasks(run) == [3, 4]
    assert run.reading.layout == "rolling"
    assert run.reading.files[0].endswith("events_1_x.zstd")
    assert run.reading.files[-1].endswith("events_10_x.zstd")
    assert run.end_from == "application_end"


@every_bundle
def test_databricks_files_are_read_in_the_order_they_tell(tmp_path: Path, pack: Pack) -> None:
    """T1: the newest is `eventlog` without a time, and their names alone would mislead."""
    files = {
        "eventlog": to_bytes([databricks_start(2)]) + THIRD,
        "eventlog-2024-01-31--10-00.gz": gzip.compress(to_bytes([databricks_start(0)]) + FIRST),
        "eventlog-2024-01-31--11-00.gz": gzip.compress(to_bytes([databricks_start(1)]) + SECOND),
        "__MACOSX/._eventlog": b"\0\5\x16\7",
        "pricing.json": b'{"a": 1}',
    }

    run = read_run(pack(tmp_path, files))

    assert tasks(run) == [3, 4]
    assert run.reading.layout == "databricks"
    assert [name.rpartition("/")[2] for name in run.reading.files] == [
        "eventlog-2024-01-31--10-00.gz",
        "eventlog-2024-01-31--11-00.gz",
        "eventlog",
    ]
    assert run.reading.malformed_lines == 0


@every_bundle
def test_of_two_attempts_the_last_is_read_unless_another_is_named(tmp_path: Path, pack: Pack) -> None:
    """T1."""
    first = [event for event in small_run(YARN, "1") if event != app_end(event.get("Timestamp", 0))][:8]
    path = pack(tmp_path, {f"{YARN}_1": to_bytes(first), f"{YARN}_2.zstd": zstd.compress(to_bytes(small_run(YARN, "2")))})

    last, named = read_run(path), read_run(path, attempt="1")

    assert (last.attempt, last.reading.attempts, tasks(last)) == ("2", ("1", "2"), [3, 4])
    assert (named.attempt, tasks(named)) == ("1", [2])


def test_rolling_folders_of_two_attempts_are_told_apart(tmp_path: Path) -> None:
    """T1."""
    files = {f"eventlog_v2_{YARN}_1/events_1_{YARN}_1": FIRST, f"eventlog_v2_{YARN}_2/events_1_{YARN}_2": to_bytes(RUN)}

    run = read_run(folder(tmp_path, files))

    assert (run.attempt, run.reading.attempts, tasks(run)) == ("2", ("1", "2"), [3, 4])


def test_a_compacted_file_stands_for_what_came_before(tmp_path: Path) -> None:
    """T1: and that jobs are missing is said."""
    files = {"events_1_x": b"garbage", "events_2_x.zstd.compact": zstd.compress(FIRST + SECOND), "events_3_x": THIRD}

    run = read_run(folder(tmp_path, files))

    assert tasks(run) == [3, 4]
    assert any("compacted" in said(note) for note in run.reading.notes)
    assert run.reading.compacted
    assert run.reading.compacted_until == 1_700_000_001_500


def test_a_part_that_is_packed_within_an_archive_is_unpacked(tmp_path: Path) -> None:
    """A zip of a gzipped log was refused."""
    assert tasks(read_run(a_zip(tmp_path, {"logs/app.gz": gzip.compress(to_bytes(RUN)), "logs/readme.txt": b"hello"}))) == [3, 4]


def test_an_archive_inside_an_archive_is_opened_once(tmp_path: Path) -> None:
    """T1: what a download of a folder makes of a zip."""
    inner = a_zip(tmp_path, {"eventlog": to_bytes(RUN)}).read_bytes()
    outer = tar_of(tmp_path / "outer.tar", [(tarfile.TarInfo("logs/inner.zip"), inner), (tarfile.TarInfo("readme.txt"), b"hello")])
    third = tar_of(tmp_path / "third.tar", [(tarfile.TarInfo("outer.tar"), outer.read_bytes())])

    assert tasks(read_run(outer)) == [3, 4]
    assert refusal(third) is LogRefusal.NOT_AN_EVENT_LOG


def test_a_part_that_was_named_by_itself_is_read_and_said_to_be_one(tmp_path: Path) -> None:
    """T1."""
    path = tmp_path / "events_3_x"
    path.write_bytes(THIRD)

    run = read_run(path)

    assert any("part 3" in said(note) for note in run.reading.notes)


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ({"events_1_x": FIRST, "events_3_x": THIRD}, LogRefusal.MISSING_PART),
        ({"events_2_x": SECOND, "events_3_x": THIRD}, LogRefusal.MISSING_FIRST_PART),
        ({"a/events_1_x": FIRST, "b/events_1_x": FIRST}, LogRefusal.DUPLICATE_PART),
        ({"events_1_x": FIRST, "events_1_y": FIRST}, LogRefusal.SEVERAL_LOGS),
        ({"one": to_bytes([app_start("app-1")]), "two": to_bytes([app_start("app-2")])}, LogRefusal.SEVERAL_LOGS),
        ({"one": to_bytes([app_start("app-1")]), "copy": to_bytes([app_start("app-1")])}, LogRefusal.DUPLICATE_PART),
        ({"eventlog": to_bytes([databricks_start(0)]), "e2": to_bytes([task_end(0, 0, 1)])}, LogRefusal.UNKNOWN_PART),
        ({"readme.md": b"# hello\n"}, LogRefusal.NOT_AN_EVENT_LOG),
        ({"notes.json": b'{"Event": 7}\n'}, LogRefusal.NOT_AN_EVENT_LOG),
        ({"a.out": b"\x7fELF\0\0\0\0" * 100}, LogRefusal.BINARY),
        ({"random": bytes(range(1, 256)) * 40}, LogRefusal.BINARY),
        ({}, LogRefusal.NOT_AN_EVENT_LOG),
    ],
)
def test_a_bundle_that_is_not_one_whole_log_is_refused_with_the_reason(tmp_path: Path, files: dict[str, bytes], reason: LogRefusal) -> None:
    """T1."""
    assert refusal(a_zip(tmp_path, files)) is reason


@pytest.mark.parametrize("name", ["../../etc/cron.d/x", "/etc/passwd", "a/../../x", "..\\..\\x", "C:\\x", "\\\\host\\share"])
@pytest.mark.parametrize("pack", [a_zip, a_tar, a_tar_gz])
def test_a_name_that_leads_out_of_the_archive_refuses_all_of_it(tmp_path: Path, pack: Pack, name: str) -> None:
    """T1: although nothing is ever written under a member's name."""
    assert refusal(pack(tmp_path, {"eventlog": to_bytes(RUN), name: to_bytes(RUN)})) is LogRefusal.UNSAFE_PATH


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE])
def test_a_link_in_a_tar_is_refused(tmp_path: Path, kind: bytes) -> None:
    """T1."""
    link = tarfile.TarInfo("eventlog")
    link.type, link.linkname = kind, "/etc/passwd"

    assert refusal(tar_of(tmp_path / "x.tar", [(link, b"")])) is LogRefusal.LINK


def test_a_link_in_a_zip_is_refused(tmp_path: Path) -> None:
    """T1."""
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        info = zipfile.ZipInfo("eventlog")
        info.external_attr = 0o120777 << 16
        archive.writestr(info, "/etc/passwd")

    assert refusal(tmp_path / "x.zip") is LogRefusal.LINK


@pytest.mark.parametrize("target", ["outside.log", "outside"])
def test_a_link_out_of_a_folder_is_refused_and_one_within_it_passed_over(tmp_path: Path, target: str) -> None:
    """T1: to a file as to a folder."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside.log").write_bytes(to_bytes(RUN))
    path = folder(tmp_path, {"eventlog": to_bytes(RUN)})
    (path / "again").symlink_to("eventlog")
    assert tasks(read_run(path)) == [3, 4]

    (path / "away").symlink_to(tmp_path / target)

    assert refusal(path) is LogRefusal.LINK


def test_a_bomb_in_a_zip_or_a_tar_is_stopped(tmp_path: Path) -> None:
    """T1."""
    bomb = to_bytes(RUN) + b" " * (20 << 20)

    assert refusal(a_zip(tmp_path, {"eventlog": bomb}), ReadLimits(free_bytes=1 << 20)) is LogRefusal.BOMB
    assert refusal(a_tar_zst(tmp_path, {"eventlog": bomb}), ReadLimits(free_bytes=1 << 20)) is LogRefusal.BOMB


def test_a_file_of_20_gb_is_refused_by_its_size_alone(tmp_path: Path) -> None:
    """T1: nothing of it is read."""
    path = tmp_path / "huge"
    with path.open("wb") as file:
        file.write(to_bytes(RUN))
        file.truncate(20 * 10**9)
    (tmp_path / "folder").mkdir()
    os.link(path, tmp_path / "folder" / "huge")

    assert refusal(path) is LogRefusal.TOO_LARGE
    assert refusal(tmp_path / "folder") is LogRefusal.TOO_LARGE


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    """T1: opening a pipe would wait for ever."""
    os.mkfifo(tmp_path / "pipe")

    assert refusal(tmp_path / "pipe") is LogRefusal.NOT_A_FILE
    assert refusal(tmp_path / "nothing") is LogRefusal.NOT_FOUND
    assert refusal(Path("a\0b")) is LogRefusal.NOT_FOUND
    assert refusal(Path("/dev/zero")) is LogRefusal.NOT_A_FILE


@pytest.mark.parametrize("pack", [a_zip, a_tar, a_tar_gz])
@pytest.mark.parametrize("keep", [0.3, 0.7, 0.95])
def test_a_damaged_archive_is_refused_or_said_to_break_off(tmp_path: Path, pack: Pack, keep: float) -> None:
    """T1."""
    path = pack(tmp_path, {"eventlog": to_bytes(RUN * 20), "other.txt": b"x" * 3_000})
    path.write_bytes(path.read_bytes()[: int(path.stat().st_size * keep)])

    assert outcome(path) in {LogRefusal.BROKEN_ARCHIVE, LogRefusal.NOT_AN_EVENT_LOG, LogRefusal.BINARY, "said to break off"}


def test_an_encrypted_zip_is_refused(tmp_path: Path) -> None:
    """T1."""
    path = a_zip(tmp_path, {"eventlog": to_bytes(RUN)})
    stored = bytearray(path.read_bytes())
    stored[6] |= 1  # the flag in the member's own header
    stored[stored.index(b"PK\x01\x02") + 8] |= 1  # and in the directory
    path.write_bytes(stored)

    assert refusal(path) is LogRefusal.ENCRYPTED


def test_too_many_files_are_refused(tmp_path: Path) -> None:
    """T1."""
    files = {f"f{number}": b"x" for number in range(11)}

    for pack in (folder, a_zip, a_tar):
        assert refusal(pack(tmp_path, files), ReadLimits(members=10)) is LogRefusal.TOO_LARGE


def test_an_attempt_that_is_not_there_is_refused_with_those_that_are(tmp_path: Path) -> None:
    """T1: of a single file that tells its attempt, too."""
    path = folder(tmp_path, {f"{YARN}_{number}": to_bytes(small_run(YARN, number)) for number in "12"})
    alone = ArtefactSource(name=f"{YARN}_1", path=path / f"{YARN}_1", size_bytes=1, attempt="3")

    with pytest.raises(UnreadableLog) as refused:
        read_run(path, attempt="3")
    assert "There is no attempt 3; there is: 1, 2" in why_refused(refused.value)
    assert said(read_event_log(alone).problem) == "There is no attempt 3; there is: 1."
    assert read_event_log(dataclasses.replace(alone, attempt="1")).problem is None


@pytest.mark.parametrize("is_folder", [False, True])
def test_an_attempt_asked_of_a_log_without_attempts_is_answered_by_a_note(tmp_path: Path, is_folder: bool) -> None:
    """T1: neither ignored in silence nor a reason to read nothing."""
    path = folder(tmp_path, {"log": to_bytes(RUN)})
    source = ArtefactSource(name="log", path=path if is_folder else path / "log", size_bytes=1, attempt="3")

    parsed = read_event_log(source)

    assert parsed.facts
    assert said(parsed.problem) == "Attempt 3 was asked for, but the log does not mention attempts: it was read as it is."
    assert said(parsed.problem, "zh").startswith("指定了第 3 次尝试")
    assert read_event_log(dataclasses.replace(source, attempt=None)).problem is None
