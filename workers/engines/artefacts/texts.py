"""Read a text artefact: decompressed within bounds and decoded by the first encoding that fits. A file that is not a text is refused."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from contracts.statements import Sayable, Statement, name, say, size
from workers.engines import encodings
from workers.engines.artefacts.kinds import MIB, ArtefactSource, Parsed
from workers.engines.problems import all_of, unreadable
from workers.engines.spark.eventlog.decompress import Expansion
from workers.engines.spark.eventlog.limits import Meter, ReadLimits
from workers.errors import UnreadableLog

TEXT_BYTES = 16 * MIB
"""The largest text artefact that is read, in bytes after decompression: larger tables and scripts are not written for people."""

PROBE_BYTES = 1 << 16
"""First bytes of a file; a NUL among them shows that the file is binary."""


@dataclass(frozen=True, slots=True)
class Decoded:
    """A text, and the word to say where its encoding was a guess."""

    text: str
    note: Sayable = ""


class NoText(Exception):
    """The file cannot be read as a text. The message is for its owner."""

    def __init__(self, says: Statement) -> None:
        super().__init__(says.code)
        self.says = says


def decode(data: bytes, *, is_whole: bool = True) -> Decoded:
    """The text in the encoding that fits it best, with a note where that was a guess. `is_whole`: false for a beginning, which may end
    within a character. Line ends become `\\n`. Never raises."""
    read = encodings.decode(data, is_whole=is_whole)
    return Decoded(read.text.replace("\r\n", "\n").replace("\r", "\n"), guessed(read))


def guessed(read: encodings.Read) -> Sayable:
    """A note about a text whose encoding was recognised from its characters; empty for one that says its encoding."""
    if read.rival:
        return say("artefacts.note.rival_encoding", encoding=name(read.encoding), rival=name(read.rival))
    return say("artefacts.note.encoding", encoding=name(read.encoding)) if read.is_guess else ""


def read_text(source: ArtefactSource, at_most: int = TEXT_BYTES) -> Decoded:
    """The text of a file, compressed or not. Raises `NoText` with the reason."""
    limits = ReadLimits(file_bytes=at_most, expanded_bytes=at_most, free_bytes=at_most)
    data = bytearray()
    try:
        with source.path.open("rb") as file:
            expansion = Expansion(file.read, Meter(source.size_bytes, limits))
            for chunk in expansion.chunks():
                data += chunk
                if encodings.is_binary(bytes(data[:PROBE_BYTES])):
                    raise NoText(say("artefacts.problem.binary"))
    except UnreadableLog as error:
        raise NoText(say("artefacts.problem.large_text", limit=size(at_most))) from error
    except OSError as error:
        raise NoText(unreadable(error)) from error
    found = decode(bytes(data), is_whole=not expansion.truncated)
    if not expansion.truncated:
        return found
    return replace(found, note=all_of(found.note, say("artefacts.note.breaks_off", why=expansion.truncated)) or "")


def of_text(parse: Callable[[str, Decoded], Parsed]) -> Callable[[ArtefactSource], Parsed]:
    """Make a parser of artefacts from a parser of (name, text). A file that is not a text yields a problem."""

    def parse_file(source: ArtefactSource) -> Parsed:
        try:
            text = read_text(source)
        except NoText as error:
            return Parsed(problem=error.says)
        return parse(source.name, text)

    return parse_file
