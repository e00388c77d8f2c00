"""Taking a bundle in: what is kept, what is left out, and what is refused so that nothing is kept."""

import gzip
import hashlib
import io
import os
import resource
import stat
import struct
import tarfile
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from backports import zstd

from contracts.spark import LogRefusal
from tests.support.bundles import deployment, folder_of, kept_files, tar_of, zip_of
from tests.support.said import said
from workers.bundles import BundleLimits, open_job_bundle, open_store, store_bundle
from workers.bundles.manifest import Manifest
from workers.errors import StoreUnavailable, UnreadableLog

GIB = 1 << 30
FILES = {"script.py": b"import pyspark\n", "logs/driver.log": b"24/01/31 10:00:00 INFO Main: up\n", "tables.json": b"{}"}


def take_in(tmp_path: Path, *paths: Path, **limits: int) -> Manifest:
    settings = deployment(tmp_path)
    bounds = BundleLimits(bytes=limits.get("bytes", 10 * GIB), files=limits.get("files", 2_000))
    return store_bundle(paths, open_store(settings), bounds)


def refusal(tmp_path: Path, *paths: Path, **limits: int) -> LogRefusal:
    with pytest.raises(UnreadableLog) as refused:
        take_in(tmp_path, *paths, **limits)
    assert kept_files(tmp_path / "home") == []
    return refused.value.reason


def tar_with(mode: str) -> Callable[[Path], Path]:
    return lambda path: tar_of(path, FILES, mode)


def tar_zst(path: Path) -> Path:
    path.write_bytes(zstd.compress(tar_of(path, FILES).read_bytes()))
    return path


PACKS: dict[str, Callable[[Path], Path]] = {
    "job": lambda path: folder_of(path, FILES),
    "job.zip": lambda path: zip_of(path, FILES),
    "job.tar": tar_with("w"),
    "job.tar.gz": tar_with("w:gz"),
    "job.tar.bz2": tar_with("w:bz2"),
    "job.tar.xz": tar_with("w:xz"),
    "job.tar.zst": tar_zst,
}


@pytest.mark.parametrize("name", PACKS)
def test_the_same_files_are_the_same_bundle_however_they_are_packed(name: str, tmp_path: Path) -> None:
    plain = take_in(tmp_path, folder_of(tmp_path / "plain", FILES))

    packed = take_in(tmp_path, PACKS[name](tmp_path / name))

    assert packed.ref == plain.ref
    assert [file.name for file in packed.files] == sorted(FILES)


def test_the_same_bytes_are_kept_once(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "job", {"a.py": b"same", "b.py": b"same", "c.py": b"other"})

    take_in(tmp_path, folder)
    take_in(tmp_path, folder)

    assert len([file for file in kept_files(tmp_path / "home") if "blobs" in file.parts]) == 2


def test_single_files_make_a_bundle_and_folders_among_them_keep_their_names(tmp_path: Path) -> None:
    folder_of(tmp_path, {"script.py": b"1", "eventlogs/part": b"2"})

    manifest = take_in(tmp_path, tmp_path / "script.py", tmp_path / "eventlogs")

    assert [file.name for file in manifest.files] == ["eventlogs/part", "script.py"]


@pytest.mark.parametrize("name", ["../evil", "a/../../evil", "/etc/passwd", "C:\\evil", "..\\evil", "a/..\\..\\evil"])
@pytest.mark.parametrize("pack", [zip_of, tar_of])
def test_a_name_that_leads_out_refuses_the_whole_archive(name: str, pack: Callable[..., Path], tmp_path: Path) -> None:
    archive = pack(tmp_path / "job.archive", {**FILES, name: b"x"})

    assert refusal(tmp_path, archive) is LogRefusal.UNSAFE_PATH


def test_a_link_that_leaves_the_folder_refuses_it(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "job", FILES)
    (folder / "passwords").symlink_to("/etc/passwd")

    assert refusal(tmp_path, folder) is LogRefusal.LINK


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE])
def test_a_link_in_a_tar_refuses_it(kind: bytes, tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "job.tar", "w") as archive:
        link = tarfile.TarInfo("link")
        link.type, link.linkname = kind, "/etc/passwd"
        archive.addfile(link)

    assert refusal(tmp_path, tmp_path / "job.tar") is LogRefusal.LINK


def test_a_link_in_a_zip_refuses_it(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "job.zip", "w") as archive:
        link = zipfile.ZipInfo("link")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")

    assert refusal(tmp_path, tmp_path / "job.zip") is LogRefusal.LINK


def test_a_bomb_is_refused_and_nothing_of_the_rest_is_kept(tmp_path: Path) -> None:
    archive = zip_of(tmp_path / "job.zip", {"a.py": b"harmless", "zeros": bytes(100 << 20)})

    assert refusal(tmp_path, archive) is LogRefusal.BOMB


def test_a_bomb_of_a_tar_is_refused(tmp_path: Path) -> None:
    inner = tar_of(tmp_path / "inner.tar", {"zeros": bytes(100 << 20)})
    (tmp_path / "job.tgz").write_bytes(gzip.compress(inner.read_bytes()))

    assert refusal(tmp_path, tmp_path / "job.tgz") is LogRefusal.BOMB


def test_an_encrypted_zip_is_refused(tmp_path: Path) -> None:
    path = zip_of(tmp_path / "job.zip", {"a.py": b"secret"})
    data = bytearray(path.read_bytes())
    for head, flag in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(head) + flag] |= 1
    path.write_bytes(data)

    assert refusal(tmp_path, path) is LogRefusal.ENCRYPTED


def sparse(path: Path) -> Path:
    """Of 20 GB by its size, and of no block on the disk."""
    with path.open("wb") as file:
        file.truncate(20 * GIB)
    return path


def test_a_file_of_20_gb_is_left_out_and_the_rest_kept(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "job", FILES)
    sparse(folder / "huge.log")

    manifest = take_in(tmp_path, folder)

    assert [file.name for file in manifest.files] == sorted(FILES)
    assert [(file.name, file.refusal) for file in manifest.refused] == [("huge.log", LogRefusal.TOO_LARGE)]
    assert "20 GiB" in said(manifest.refused[0].message)


def test_a_file_of_20_gb_named_beside_others_is_left_out(tmp_path: Path) -> None:
    manifest = take_in(tmp_path, sparse(tmp_path / "huge.log"), folder_of(tmp_path / "job", FILES))

    assert [file.name for file in manifest.refused] == ["huge.log"]
    assert len(manifest.files) == len(FILES)


def test_a_file_of_20_gb_by_itself_is_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path, sparse(tmp_path / "huge.log")) is LogRefusal.TOO_LARGE


def test_files_that_are_too_large_together_are_refused(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "job", {str(number): os.urandom(400) for number in range(3)})

    assert refusal(tmp_path, folder, bytes=1_000) is LogRefusal.TOO_LARGE


def test_too_many_files_are_refused(tmp_path: Path) -> None:
    archive = zip_of(tmp_path / "job.zip", {f"{number}.txt": b"" for number in range(3_000)})
    folder = folder_of(tmp_path / "job", {f"{number}.txt": b"" for number in range(30)})

    assert refusal(tmp_path, archive) is LogRefusal.TOO_LARGE
    assert refusal(tmp_path, folder, files=20) is LogRefusal.TOO_LARGE


def zip_of_empty_entries(path: Path, entries: int, claimed: int) -> Path:
    """A directory of so many entries without a name, of which its end claims fewer."""
    entry = b"PK\x01\x02" + bytes(42)
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, claimed, claimed, entries * len(entry), 30, 0)
    path.write_bytes(b"PK\x03\x04" + bytes(26) + entry * entries + end)
    return path


@pytest.mark.parametrize(("entries", "claimed"), [(1_500_000, 65_535), (50_000, 1)])
def test_a_zip_with_too_many_entries_is_refused_before_a_list_of_them_is_made(entries: int, claimed: int, tmp_path: Path) -> None:
    archive = zip_of_empty_entries(tmp_path / "job.zip", entries, claimed)
    tracemalloc.start()
    try:
        refused = refusal(tmp_path, archive)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert refused is LogRefusal.TOO_LARGE
    assert peak < 20 << 20


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_bomb_by_a_method_that_zipfile_does_not_bound_is_refused_in_small_memory(method: int, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "job.zip", "w", method) as archive:
        archive.writestr("zeros", bytes(200 << 20))
    tracemalloc.start()
    try:
        refused = refusal(tmp_path, tmp_path / "job.zip")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert refused is LogRefusal.BOMB
    assert peak < 20 << 20


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_members_by_every_method_are_kept_as_they_were_and_a_damaged_one_is_left_out(method: int, tmp_path: Path) -> None:
    content = os.urandom(600_000) + bytes(600_000)
    with zipfile.ZipFile(tmp_path / "job.zip", "w", method) as archive:
        for name in ("a.bin", "b.bin"):
            archive.writestr(name, content)
        place = archive.getinfo("b.bin").header_offset + 300_000
    data = bytearray((tmp_path / "job.zip").read_bytes())
    data[place] ^= 0xFF
    (tmp_path / "job.zip").write_bytes(data)

    manifest = take_in(tmp_path, tmp_path / "job.zip")

    assert [(file.name, file.sha256) for file in manifest.files] == [("a.bin", hashlib.sha256(content).hexdigest())]
    assert [(file.name, file.refusal) for file in manifest.refused] == [("b.bin", LogRefusal.BROKEN_ARCHIVE)]


def header(kind: bytes, size: int) -> bytes:
    made = tarfile.TarInfo("x")
    made.type, made.size = kind, size
    return made.tobuf(tarfile.USTAR_FORMAT)


HEADER_BOMBS = {
    "a long header": header(tarfile.XHDTYPE, 500 << 20) + bytes(60 << 20),
    "a long name": header(tarfile.GNUTYPE_LONGNAME, 500 << 20) + bytes(60 << 20),
    "many headers": (header(tarfile.XHDTYPE, 512) + b"11 path=abc\n".ljust(512, b"\0")) * 5_000,
    "a sparse file": header(tarfile.GNUTYPE_SPARSE, 512) + bytes(512),
}


@pytest.mark.parametrize("bomb", HEADER_BOMBS)
def test_a_tar_whose_headers_are_a_bomb_is_refused_before_they_are_held(bomb: str, tmp_path: Path) -> None:
    (tmp_path / "job.tar").write_bytes(header(tarfile.REGTYPE, 0) + HEADER_BOMBS[bomb])
    tracemalloc.start()
    try:
        refused = refusal(tmp_path, tmp_path / "job.tar")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert refused is LogRefusal.BROKEN_ARCHIVE
    assert peak < 20 << 20


def test_a_damaged_member_is_left_out_and_the_rest_kept(tmp_path: Path) -> None:
    path = tmp_path / "job.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("good.py", "import pyspark")
        archive.writestr("torn.py", "import broken_one")
        archive.writestr("last.py", "import last")
    path.write_bytes(path.read_bytes().replace(b"import broken_one", b"import brOken_one"))

    manifest = take_in(tmp_path, path)

    assert [file.name for file in manifest.files] == ["good.py", "last.py"]
    assert [(file.name, file.refusal) for file in manifest.refused] == [("torn.py", LogRefusal.BROKEN_ARCHIVE)]


def test_a_file_that_may_not_be_read_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = folder_of(tmp_path / "job", FILES)
    opened = Path.open

    def closed_to_us(path: Path, *told: str) -> object:
        if path.name == "script.py":
            raise PermissionError(13, "Permission denied")
        return opened(path, *told)

    monkeypatch.setattr(Path, "open", closed_to_us)

    manifest = take_in(tmp_path, folder)

    assert [(file.name, file.refusal) for file in manifest.refused] == [("script.py", LogRefusal.UNREADABLE)]
    assert len(manifest.files) == len(FILES) - 1


def test_a_folder_without_files_and_a_path_to_nothing_say_so(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()

    assert refusal(tmp_path, tmp_path / "empty") is LogRefusal.NOT_FOUND
    assert refusal(tmp_path, tmp_path / "missing") is LogRefusal.NOT_FOUND


@pytest.mark.parametrize("name", ["阶段/日志.log", "with\nnewline.log", "{0} %s $(id) `x`.log", "a" * 200, "naïve.log", "-rf"])
def test_any_name_is_only_a_label(name: str, tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "job", {name: b"24/01/31 10:00:00 INFO Main: up\n"})
    settings = deployment(tmp_path, bundle_roots=(tmp_path,))

    bundle = open_job_bundle(str(folder), settings)

    assert [artefact.name for artefact in bundle.catalogue.artefacts] == [name]
    assert bundle.source(name).path.read_bytes().startswith(b"24/01/31")
    assert all(name not in str(file) for file in kept_files(tmp_path / "home"))


def test_an_interrupted_upload_leaves_no_half_object_and_can_be_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = folder_of(tmp_path / "job", FILES)
    settings = deployment(tmp_path)
    store = open_store(settings)
    put = store.put
    puts: list[str] = []

    def power_cut(key: str, file: Path) -> None:
        puts.append(key)
        if len(puts) == 2:
            raise KeyboardInterrupt
        put(key, file)

    monkeypatch.setattr(store, "put", power_cut)
    with pytest.raises(KeyboardInterrupt):
        store_bundle([folder], store, BundleLimits.of(settings))
    monkeypatch.undo()

    assert [file.parent.parent.name for file in kept_files(tmp_path / "home")] == ["blobs"]
    manifest = store_bundle([folder], store, BundleLimits.of(settings))
    assert open_job_bundle(manifest.ref, settings).source("script.py").path.read_bytes() == FILES["script.py"]


def test_a_tar_of_many_files_is_read_in_the_order_it_has(tmp_path: Path) -> None:
    """In any other it would be decompressed once for each file."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz") as archive:
        for number in reversed(range(500)):
            info = tarfile.TarInfo(f"{number:03d}.txt")
            info.size = 3
            archive.addfile(info, io.BytesIO(b"abc"))
    (tmp_path / "job.tgz").write_bytes(data.getvalue())

    assert len(take_in(tmp_path, tmp_path / "job.tgz").files) == 500


def test_an_interrupted_upload_leaves_nothing(tmp_path: Path) -> None:
    settings = deployment(tmp_path)
    folder = folder_of(tmp_path / "job", {"a": bytes(3 << 20), "b": b"b"})
    told: list[tuple[int, int]] = []

    def interrupt(read: int, kept: int) -> None:
        told.append((read, kept))
        if read > 1 << 20:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store_bundle([folder], open_store(settings), BundleLimits.of(settings), progress=interrupt)

    assert told == [(1 << 20, 0), (2 << 20, 0)]
    assert list((tmp_path / "home" / "artefacts" / "staging").iterdir()) == []
    assert kept_files(tmp_path / "home") == []


def test_a_file_for_which_there_is_no_room_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    """A limit on this process's files stands for a disk that is full."""
    settings = deployment(tmp_path)
    folder = folder_of(tmp_path / "job", {"a": bytes(3 << 20)})
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2 << 20, before[1]))
    try:
        with pytest.raises(StoreUnavailable, match=r"There is no room in .*File too large.*Free some space there"):
            store_bundle([folder], open_store(settings), BundleLimits.of(settings))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)

    assert kept_files(tmp_path / "home") == []
