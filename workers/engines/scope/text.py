"""The text of an artefact in any encoding, within bounds; a binary file is recognised and refused."""

import codecs
from dataclasses import dataclass

from contracts import statements
from contracts.statements import Sayable, say
from workers.engines.artefacts.kinds import MIB, ArtefactSource
from workers.engines.problems import unreadable

DEFAULT_BYTES = 5 * MIB
"""What an artefact of a SCOPE job may have, unless its kind says more: they are written to be read by people."""

PROBED_BYTES = 4096
"""In which a binary shows itself by NUL bytes."""

BINARIES = {
    b"MZ": say("scope.problem.compiled"),
    b"PK\x03\x04": say("scope.problem.archive"),
    b"\x1f\x8b": say("scope.problem.compressed"),
}
BOMS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))

TAIL_BYTES = 3
"""A file that breaks off may end within a character of up to four bytes."""


@dataclass(frozen=True, slots=True)
class ReadText:
    """A text, or why there is none."""

    text: str = ""
    problem: Sayable | None = None
    """With a text: what is doubtful about it."""


def read_text(source: ArtefactSource, max_bytes: int = DEFAULT_BYTES) -> ReadText:
    """The whole artefact. Too large, binary or not to be opened: no text, and a word that says so."""
    if source.size_bytes > max_bytes:
        return ReadText(problem=say("scope.problem.too_large", size=statements.size(source.size_bytes), limit=statements.size(max_bytes)))
    try:
        with source.path.open("rb") as file:
            data = file.read(max_bytes + 1)
    except OSError as error:
        return ReadText(problem=unreadable(error))
    if len(data) > max_bytes:
        return ReadText(problem=say("scope.problem.larger", limit=statements.size(max_bytes)))
    return decode(data)


def decode(data: bytes) -> ReadText:
    """UTF-8, UTF-16 (with a mark, or without one when every second byte is NUL), else GB18030 as Chinese systems write it."""
    for mark, problem in BINARIES.items():
        if data.startswith(mark):
            return ReadText(problem=problem)
    for bom, encoding in BOMS:
        if data.startswith(bom):
            return ReadText(data.decode(encoding, "replace"))
    head = data[:PROBED_BYTES]
    if b"\x00" in head:
        if head[1::2].count(0) >= 0.9 * len(head[1::2]) and head[::2].count(0) == 0:
            return ReadText(data.decode("utf-16-le", "replace"))
        return ReadText(problem=say("scope.problem.binary"))
    try:
        return ReadText(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        if error.start >= len(data) - TAIL_BYTES:
            return ReadText(data.decode("utf-8", "replace"), problem=say("scope.problem.half_character"))
    try:
        return ReadText(data.decode("gb18030"))
    except UnicodeDecodeError:
        return ReadText(data.decode("latin-1"), problem=say("artefacts.note.latin1"))
