"""What a path holds, as named files that are read one after the other: a file, a folder, a zip, a tar under any compression.
Nothing is ever written under a member's name, and a bundle that tries to lead outside of itself is refused before it is read."""

import bz2
import io
import lzma
import os
import re
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from copy import copy
from pathlib import Path
from typing import IO, Any, ClassVar, Protocol

from contracts import statements
from contracts.spark import LogRefusal
from contracts.statements import say
from workers.engines.counts import exactly
from workers.engines.spark.eventlog.decompress import PLAIN, Beginning, ExpandedFile, Expansion
from workers.engines.spark.eventlog.frames import CHUNK
from workers.engines.spark.eventlog.limits import Meter, ReadLimits
from workers.errors import UnreadableLog

JUNK = re.compile(r"(^|/)(__MACOSX/|\._|\.DS_Store$|Thumbs\.db$|\..*\.crc$|_SUCCESS$)")
"""What operating systems and Hadoop leave beside the files one means."""

HEAD_BYTES = 1 << 20
"""Enough to reach past the environment to the application's start, which says whose log it is."""

ZIP_HEAD = b"PK\x03\x04"
EMPTY_ZIP_HEAD = b"PK\x05\x06"
TAR_MAGIC, TAR_MAGIC_AT = b"ustar", 257
ZIP_ENCRYPTED = 0x1
ZIP_BOUNDED = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
ZIP_METHODS = ZIP_BOUNDED | {zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA}

ENTRY_BYTES, DIRECTORY_BYTES = 2_048, 64 << 20
"""Bytes of a zip's directory for each member that may be there, and of the whole directory."""

ENTRY_HEAD = b"PK\x01\x02"

HEADER_BYTES, HEADERS_IN_A_ROW = 1 << 20, 16
"""Of a tar's headers about a member, such as a long name, which tarfile holds whole and reads one within the other."""

ABOUT_A_MEMBER = {
    tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK,
}  # fmt: skip

Open = Callable[[], IO[bytes]]

PassedOver = dict[str, int]
"""Names and sizes of files that are too large each by itself. Where a caller gives one, the rest is taken; else all is refused."""


class Bundle(Protocol):
    """Files under names. `stored_bytes` is their size as they lie there."""

    stored_bytes: int

    def names(self) -> list[str]:
        """Of all files that may bear on the log, sorted."""
        ...

    def in_order(self) -> list[str]:
        """The same, in the order in which reading them all is cheapest."""
        ...

    def read(self, names: Iterable[str]) -> Iterator[tuple[str, IO[bytes]]]:
        """These files in this order; each is valid until the next one is asked for."""
        ...


class FileBundle:
    """One file by itself, with what was seen of it when it was found to be no archive."""

    def __init__(self, name: str, open_file: Open, stored_bytes: int, beginning: Beginning) -> None:
        self._name = name
        self._open = open_file
        self.stored_bytes = stored_bytes
        self.beginning = beginning

    def names(self) -> list[str]:
        """Its name."""
        return [self._name]

    def in_order(self) -> list[str]:
        """Its name."""
        return [self._name]

    def read(self, names: Iterable[str]) -> Iterator[tuple[str, IO[bytes]]]:
        """The file."""
        for name in names:
            with self._open() as file:
                yield name, file


class FolderBundle:
    """The files of a folder and its folders. A link that stays inside is passed over, since what it means is there too."""

    def __init__(self, root: Path, limits: ReadLimits, passed_over: PassedOver | None = None) -> None:
        self._root = root.resolve()
        self._passed_over = passed_over
        self._files: dict[str, Path] = {}
        self.stored_bytes = 0
        for folder, folders, files in os.walk(self._root):
            for name in sorted([*folders, *files]):
                self._take(Path(folder, name), limits)
        _not_too_large(self.stored_bytes, limits, str(root))

    def _take(self, path: Path, limits: ReadLimits) -> None:
        name = path.relative_to(self._root).as_posix()
        if path.is_symlink() and not path.resolve().is_relative_to(self._root):
            raise UnreadableLog(LogRefusal.LINK, say("spark.refused.link_out", file=statements.name(name)))
        if JUNK.search(name) or path.is_symlink() or not path.is_file():
            return
        size = path.stat().st_size
        if self._passed_over is not None and size > limits.file_bytes:
            self._passed_over[name] = size
            return
        self._files[name] = path
        self.stored_bytes += size
        _not_too_many(len(self._files), limits)

    def names(self) -> list[str]:
        """Relative to the folder."""
        return sorted(self._files)

    def in_order(self) -> list[str]:
        """By name."""
        return self.names()

    def read(self, names: Iterable[str]) -> Iterator[tuple[str, IO[bytes]]]:
        """Opened one by one."""
        for name in names:
            with self._files[name].open("rb") as file:
                yield name, file


class _Members:
    """The members of an archive that are read, in its order. What leads outside of it, or comes twice, is refused."""

    archive: ClassVar[str]

    def __init__(self, open_file: Open, stored_bytes: int, limits: ReadLimits, passed_over: PassedOver | None = None) -> None:
        self._open = open_file
        self._limits = limits
        self._passed_over = passed_over
        self.stored_bytes = stored_bytes
        self._members: dict[str, None] = {}

    def names(self) -> list[str]:
        """By name."""
        return sorted(self._members)

    def in_order(self) -> list[str]:
        """In the order of the archive."""
        return list(self._members)

    def _no_link(self, name: str, is_link: bool) -> None:
        if is_link:
            refused = say("spark.refused.link", file=statements.name(name), archive=statements.name(self.archive))
            raise UnreadableLog(LogRefusal.LINK, refused)

    def _take(self, name: str, size: int) -> None:
        if name in self._members:
            refused = say("spark.refused.twice", file=statements.name(name), archive=statements.name(self.archive))
            raise UnreadableLog(LogRefusal.DUPLICATE_PART, refused)
        if self._passed_over is not None and size > self._limits.file_bytes:
            self._passed_over[name] = size
        else:
            self._members[name] = None


class ZipBundle(_Members):
    """The members of a zip."""

    archive = "zip"

    def __init__(self, open_file: Open, stored_bytes: int, limits: ReadLimits, passed_over: PassedOver | None = None) -> None:
        super().__init__(open_file, stored_bytes, limits, passed_over)
        with self._archive() as archive:
            infos = archive.infolist()
            _not_too_many(len(infos), limits)
            for info in infos:
                _safe_name(info.orig_filename)
                self._no_link(info.filename, stat.S_ISLNK(info.external_attr >> 16))
                if info.is_dir() or JUNK.search(info.filename):
                    continue
                if info.flag_bits & ZIP_ENCRYPTED:
                    raise UnreadableLog(LogRefusal.ENCRYPTED, say("spark.refused.encrypted", file=statements.name(info.filename)))
                if info.compress_type not in ZIP_METHODS:
                    raise UnreadableLog(
                        LogRefusal.UNSUPPORTED_COMPRESSION, say("spark.refused.method", file=statements.name(info.filename))
                    )
                self._take(info.filename, info.file_size)

    @contextmanager
    def _archive(self) -> Generator[zipfile.ZipFile]:
        with self._open() as file, _archive_errors("zip"):
            bounded = _ZipFile(file, self._limits)
            with zipfile.ZipFile(bounded) as archive:  # pyright: ignore[reportArgumentType] what zipfile calls of a file is there
                bounded.reads_directory = False
                yield archive

    def read(self, names: Iterable[str]) -> Iterator[tuple[str, IO[bytes]]]:
        """Decompressed by the zip's own method."""
        with self._archive() as archive:
            for name in names:
                info = archive.getinfo(name)
                is_bounded = info.compress_type in ZIP_BOUNDED
                with archive.open(info if is_bounded else _as_stored(info)) as file:
                    yield name, file if is_bounded else io.BufferedReader(ExpandedFile(_pieces(file, info)))  # pyright: ignore[reportReturnType] a file of bytes


def _as_stored(info: zipfile.ZipInfo) -> zipfile.ZipInfo:
    """The member as it lies there, compressed."""
    stored = copy(info)
    stored.compress_type, stored.file_size = zipfile.ZIP_STORED, info.compress_size
    del stored.CRC  # of what it expands to
    return stored


def _pieces(stored: IO[bytes], info: zipfile.ZipInfo) -> Iterator[bytes]:
    """A member by bzip2 or LZMA, in bounded pieces; zipfile itself expands all that it has read: 45 bytes of bzip2 may be 45 MB. Raises
    `BadZipFile`."""
    data, crc = b"", 0
    try:
        if info.compress_type == zipfile.ZIP_LZMA:
            head = stored.read(4)
            properties = stored.read(int.from_bytes(head[2:], "little"))
            decoder, data = lzma.LZMADecompressor(lzma.FORMAT_ALONE), properties + info.file_size.to_bytes(8, "little")
        else:
            decoder = bz2.BZ2Decompressor()
        while not decoder.eof:
            if decoder.needs_input and not data and not (data := stored.read(CHUNK)):
                raise zipfile.BadZipFile(f"Truncated file {info.filename!r}")
            piece, data = decoder.decompress(data, CHUNK), b""
            crc = zlib.crc32(piece, crc)
            if piece:
                yield piece
    except (lzma.LZMAError, OSError, ValueError) as error:
        raise zipfile.BadZipFile(str(error)) from error
    if crc != info.CRC:
        raise zipfile.BadZipFile(f"Bad CRC-32 for file {info.filename!r}")


class _ZipFile:
    """A zip as zipfile reads it, which takes the whole directory at once and makes an entry of each part of it: a directory of too many
    bytes or entries is refused before."""

    def __init__(self, file: IO[bytes], limits: ReadLimits) -> None:
        self._file = file
        self._limits = limits
        self._most = min(DIRECTORY_BYTES, limits.members * ENTRY_BYTES + (1 << 17))
        self.reads_directory = True
        self.seek, self.tell, self.close, self.seekable = file.seek, file.tell, file.close, file.seekable

    def read(self, size: int = -1, /) -> bytes:
        """Raises `UnreadableLog`."""
        if not self.reads_directory:
            return self._file.read(size)
        data = self._file.read(self._most + 1 if size < 0 else min(size, self._most + 1))
        if len(data) > self._most or data.count(ENTRY_HEAD) > self._limits.members:
            raise _too_many(self._limits)
        return data


class TarBundle(_Members):
    """The members of a tar, which may be compressed as a whole. Only read forwards: as many passes as the order asks for."""

    archive = "tar"

    def __init__(self, open_file: Open, stored_bytes: int, limits: ReadLimits, passed_over: PassedOver | None = None) -> None:
        super().__init__(open_file, stored_bytes, limits, passed_over)
        for count, (member, _file) in enumerate(self._pass(), start=1):
            _safe_name(member.name)
            _not_too_many(count, limits)
            self._no_link(member.name, member.issym() or member.islnk())
            if member.isfile() and not JUNK.search(member.name):
                self._take(member.name, member.size)

    def _pass(self) -> Iterator[tuple[tarfile.TarInfo, Callable[[], IO[bytes] | None]]]:
        with self._open() as file, _archive_errors("tar"):
            expanded: Any = io.BufferedReader(ExpandedFile(Expansion(file.read, Meter(self.stored_bytes, self._limits)).chunks()))
            with tarfile.open(fileobj=expanded, mode="r|", tarinfo=_bounded_headers()) as archive:
                for member in archive:
                    yield member, lambda member=member: archive.extractfile(member)
                    archive.members.clear()  # pyright: ignore[reportAttributeAccessIssue] undocumented; it would remember every member it has seen

    def read(self, names: Iterable[str]) -> Iterator[tuple[str, IO[bytes]]]:
        """In the order asked for: one pass when the tar has the same."""
        wanted = list(names)
        while wanted:
            for member, extract in self._pass():
                if wanted and member.name == wanted[0] and (file := extract()) is not None:
                    yield wanted.pop(0), file


def _bounded_headers() -> type[tarfile.TarInfo]:
    """Headers of one tar: what is said about a member is bounded, and a map of a sparse file is not read."""
    in_a_row = 0

    class Header(tarfile.TarInfo):
        @classmethod
        def frombuf(cls, buf: bytes | bytearray, encoding: str | None, errors: str) -> tarfile.TarInfo:
            nonlocal in_a_row
            header = super().frombuf(buf, encoding, errors)  # pyright: ignore[reportArgumentType] tarfile gives no encoding where it has none
            in_a_row = in_a_row + 1 if header.type in ABOUT_A_MEMBER else 0
            if in_a_row and header.size > HEADER_BYTES:
                raise tarfile.ReadError(f"a header is longer than {HEADER_BYTES} bytes")
            if in_a_row > HEADERS_IN_A_ROW:
                raise tarfile.ReadError(f"a member has more than {HEADERS_IN_A_ROW} headers")
            return header

        def _proc_sparse(self, _: object) -> tarfile.TarInfo:
            raise tarfile.ReadError("a sparse file")

        def _proc_gnusparse_10(self, *_: object) -> None:
            raise tarfile.ReadError("a sparse file")

    return Header


def open_bundle(path: Path, limits: ReadLimits, label: str | None = None, passed_over: PassedOver | None = None) -> Bundle:
    """Open the file or folder at the path. `label` is the name of a file whose path does not give it. Raises `UnreadableLog` when it is
    missing, too large or unsafe; nothing of it has been read then."""
    name = label or path.name
    try:
        kind = path.stat()
    except (OSError, ValueError) as error:
        raise UnreadableLog(LogRefusal.NOT_FOUND, say("spark.refused.not_found", path=statements.name(path))) from error
    if stat.S_ISDIR(kind.st_mode):
        return FolderBundle(path, limits, passed_over)
    if not stat.S_ISREG(kind.st_mode):
        raise UnreadableLog(LogRefusal.NOT_A_FILE, say("spark.refused.not_a_file", path=statements.name(path)))
    size = kind.st_size
    _not_too_large(size, limits, str(path))

    def open_file() -> IO[bytes]:
        return path.open("rb")

    beginning = _beginning(open_file, HEAD_BYTES, size, limits)
    return _archive(beginning, open_file, size, limits, passed_over) or FileBundle(name, open_file, size, beginning)


def archive_in(open_file: Open, stored_bytes: int, limits: ReadLimits) -> Bundle | None:
    """The bundle in a file, if it is an archive by its first bytes, compressed or not."""
    return _archive(_beginning(open_file, TAR_MAGIC_AT + len(TAR_MAGIC), stored_bytes, limits), open_file, stored_bytes, limits)


def _beginning(open_file: Open, size: int, stored_bytes: int, limits: ReadLimits) -> Beginning:
    with open_file() as file:
        return Beginning.of(file.read, size, Meter(stored_bytes, limits))


def _archive(
    beginning: Beginning, open_file: Open, stored_bytes: int, limits: ReadLimits, passed_over: PassedOver | None = None
) -> Bundle | None:
    if beginning.compression == PLAIN and beginning.text.startswith((ZIP_HEAD, EMPTY_ZIP_HEAD)):
        return ZipBundle(open_file, stored_bytes, limits, passed_over)
    if is_tar(beginning.text):
        return TarBundle(open_file, stored_bytes, limits, passed_over)
    return None


def is_tar(head: bytes) -> bool:
    """By the magic of the first header."""
    return head.startswith(TAR_MAGIC, TAR_MAGIC_AT)


def head_of(file: IO[bytes], size: int, meter: Meter) -> bytes:
    """The first bytes of what a file expands to."""
    return Beginning.of(file.read, size, meter).text


def _safe_name(name: str) -> None:
    parts = name.replace("\\", "/").split("/")
    if ".." in parts or name.startswith(("/", "\\")) or re.match(r"[A-Za-z]:", name) or "\0" in name:
        raise UnreadableLog(LogRefusal.UNSAFE_PATH, say("spark.refused.unsafe_path", file=statements.name(name)))


def _not_too_many(count: int, limits: ReadLimits) -> None:
    if count > limits.members:
        raise _too_many(limits)


def _too_many(limits: ReadLimits) -> UnreadableLog:
    return UnreadableLog(LogRefusal.TOO_LARGE, say("spark.refused.too_many_files", limit=exactly(limits.members)))


def _not_too_large(size: int, limits: ReadLimits, name: str) -> None:
    if size > limits.file_bytes:
        raise UnreadableLog(
            LogRefusal.TOO_LARGE,
            say(
                "spark.refused.too_large", file=statements.name(name), size=statements.size(size), limit=statements.size(limits.file_bytes)
            ),
        )


@contextmanager
def _archive_errors(kind: str) -> Generator[None]:
    try:
        yield
    except (zipfile.BadZipFile, tarfile.TarError, NotImplementedError, EOFError) as error:
        broken = say(
            "spark.refused.broken_archive", archive=statements.name(kind), error=statements.quote(str(error) or type(error).__name__)
        )
        raise UnreadableLog(LogRefusal.BROKEN_ARCHIVE, broken) from error
