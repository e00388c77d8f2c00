"""The text of an artefact in any encoding, within bounds; a binary file is recognised and refused."""

from dataclasses import dataclass

from contracts import statements
from contracts.statements import Sayable, say
from workers.engines import encodings
from workers.engines.artefacts.kinds import MIB, ArtefactSource
from workers.engines.artefacts.texts import guessed
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
    """The text in the encoding that fits it best; `problem` says where its end or its encoding is in doubt."""
    for mark, problem in BINARIES.items():
        if data.startswith(mark):
            return ReadText(problem=problem)
    if encodings.is_binary(data[:PROBED_BYTES]):
        return ReadText(problem=say("scope.problem.binary"))
    read = encodings.decode(data)
    if read.broken == 1 and read.text.endswith("\ufffd"):
        return ReadText(read.text, problem=say("scope.problem.half_character"))
    return ReadText(read.text, problem=guessed(read) or None)
