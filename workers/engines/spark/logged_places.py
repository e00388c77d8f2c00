"""The place in a script that errors tell: where the last trace passes through the user's code, else what takes rows to the driver."""

from collections.abc import Iterable

from contracts.artefacts import LogEventKind, LogEvents, LogFacts, LoggedFrame
from contracts.code import ScriptFacts, ScriptOperation
from contracts.verdicts import ScriptSpot
from workers.engines.artefacts.traces import Traces
from workers.engines.scripts.spots import spot_of
from workers.engines.spark.script_places import takes_rows

TRACED = "trace"
"""The operation of a place that is known by a trace alone."""


def logged_spots(log: LogFacts, event: LogEvents, script: ScriptFacts) -> tuple[ScriptSpot, ...]:
    """Where the last trace of the log ends in the user's code. Without one, for results too large for the driver the actions of the
    script that take them; nothing for other events."""
    if log.frames:
        return (_spot_at(log.frames[-1], script),)
    if event.kind is LogEventKind.RESULT_TOO_LARGE:
        return tuple(spot_of(operation) for operation in script.operations if takes_rows(operation))
    return ()


def traced_spots(errors: Iterable[str], script: ScriptFacts) -> tuple[ScriptSpot, ...]:
    """Where the last trace of the errors of a run ends in the script: the line that raised, which no operator's place can tell."""
    traces = Traces()
    for error in errors:
        for line in error.splitlines():
            traces.take(line)
    own = [frame for frame in traces.frames if any(_is_of(operation, frame.file) for operation in script.operations)]
    return (_spot_at(own[-1], script),) if own else ()


def _spot_at(frame: LoggedFrame, script: ScriptFacts) -> ScriptSpot:
    """The operation there, the one that the trace shows before others; the frame itself where no script has one."""
    here = [operation for operation in script.operations if _is_of(operation, frame.file) and operation.line == frame.line]
    last = next((operation for operation in reversed(here)), None)
    if last is not None:
        return spot_of(last)
    artefact = next((operation.artefact for operation in script.operations if _is_of(operation, frame.file)), frame.file)
    return ScriptSpot(line=frame.line, operation=TRACED, text=frame.text or frame.function, artefact=artefact)


def _is_of(operation: ScriptOperation, file: str) -> bool:
    return operation.artefact.replace("\\", "/").rsplit("/", 1)[-1] == file
