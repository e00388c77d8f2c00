"""The files that a user submits, the kind of each, and what it contains."""

from enum import StrEnum

from pydantic import Field

from contracts.base import Contract, Text
from contracts.spark import LogRefusal
from contracts.statements import Sayable


class Information(StrEnum):
    """What must be known to explain a slow job. An artefact provides some of it; a hypothesis needs some of it."""

    SCRIPT_LOGIC = "script_logic"
    """What the user's own code does, with line numbers."""
    JOIN_DETAILS = "join_details"
    """Which joins run, by which keys and by which algorithm."""
    DATA_DISTRIBUTION = "data_distribution"
    """How rows and bytes are spread over the tasks of a stage."""
    PARTITIONING = "partitioning"
    """How data is partitioned: clauses, exchanges, numbers of partitions."""
    HOT_KEYS = "hot_keys"
    """Which values of a key carry how many rows."""
    RUN_METRICS = "run_metrics"
    """Time, memory, GC and spill of the run."""
    OPERATORS = "operators"
    """The operators of the plan that ran."""
    DATA_FLOW = "data_flow"
    """Which stage feeds which, with the volume between them."""
    SHUFFLE_STATISTICS = "shuffle_statistics"
    STAGE_RUNS = "stage_runs"
    """How long each stage and its tasks took."""
    DATA_VOLUME = "data_volume"
    """Rows and bytes of the inputs."""
    ERRORS = "errors"
    WARNINGS = "warnings"
    CONFIGURATION = "configuration"


class Artefact(Contract):
    """One file of a bundle, as the catalogue knows it without reading it."""

    name: Text
    """Its path inside the bundle, `/` between folders. Of a log in several parts: their folder."""
    kind: str = Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=60)
    """A kind of the registry; `unknown` if no kind fits."""
    told_by: str = "content"
    """How the kind was recognised: by `content` or by `name`."""
    size_bytes: int = Field(ge=0)
    sha256: str = ""
    """Hash of the stored bytes. For a log in several parts, the hash of the parts' hashes in order."""
    parts: tuple[Text, ...] = ()
    """The files of a log in several parts, in order; else empty."""


class RefusedFile(Contract):
    """A file of the bundle that is not read."""

    name: Text
    refusal: LogRefusal
    message: Sayable


class Catalogue(Contract):
    """What a bundle holds."""

    bundle: Text
    """The reference from which it was opened: `sha256:...` of the artefact store, a path, or a URL."""
    kept: str = Field(default="", pattern=r"^(sha256:[0-9a-f]{64})?$")
    """`sha256:...` of the artefact store: exactly the files that were catalogued, which later steps read. Empty in older catalogues."""
    content_hash: str
    """sha256 over the names and hashes of all files: equal files give an equal hash, independent of their location."""
    artefacts: tuple[Artefact, ...] = ()
    """Sorted by name."""
    refused: tuple[RefusedFile, ...] = ()


class ArtefactRead(Contract):
    """One artefact that was read, when and why, and with what result."""

    name: Text
    kind: str
    sha256: str = ""
    round: int = Field(ge=0)
    """0: read at the beginning, without being asked for."""
    reason: Sayable
    """Why it was chosen."""
    tells: tuple[Information, ...] = ()
    """What was actually found in the artefact. Only this counts as present."""
    summary: Sayable = ""
    """What it says, in a line."""
    problem: Sayable | None = None
    """Why nothing, or not all of it, could be read."""
