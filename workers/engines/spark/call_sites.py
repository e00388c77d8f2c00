"""Which operations of a script a stage was made by, by the line that Spark has written into the stage's name.

It is what there is of RDDs: they have no plan."""

import re
from dataclasses import dataclass

from contracts.code import OperationKind, ScriptFacts, ScriptOperation
from contracts.spark import StageFacts

SITE = re.compile(r"(\w+) at (\S*?)([^\s/\\]+\.(py|scala)):(\d+)\b")
"""A stage's name ends with the line of the call, where Spark knows it: `count at /jobs/nightly.py:10`, `map at Nightly.scala:14`."""

LANGUAGES = {"py": "python", "scala": "scala"}

SHUFFLING = (
    OperationKind.JOIN,
    OperationKind.GROUP,
    OperationKind.WINDOW,
    OperationKind.SORT,
    OperationKind.DISTINCT,
    OperationKind.REPARTITION,
)


@dataclass(frozen=True)
class Site:
    """A call in the user's code."""

    method: str
    file: str
    language: str
    line: int


def at_sites(script: ScriptFacts, stages: list[StageFacts]) -> list[ScriptOperation]:
    """The operations in the lines of the stages' calls, and the nearest ones upstream that shuffle or run the user's functions."""
    begins = [operation for stage in stages for site in [_site(stage)] if site for operation in _called(script, site)]
    first = {operation.number for operation in begins}
    waiting = [operation.number for operation in reversed(begins)]
    found: dict[int, ScriptOperation] = {}
    while waiting:
        operation = script.operations[waiting.pop(0)]
        if operation.number in found:
            continue
        found[operation.number] = operation
        if operation.number in first or operation.kind not in SHUFFLING:  # a stage that is named by a shuffle is the one before it
            waiting += operation.inputs
    wanted = (OperationKind.MAP, *SHUFFLING)
    return [operation for operation in found.values() if operation.kind in wanted]


def called_at(script: ScriptFacts, name: str) -> list[ScriptOperation]:
    """The operations that a stage of this name may have been called by."""
    site = _named(name)
    return _called(script, site) if site else []


def _site(stage: StageFacts) -> Site | None:
    return _named(stage.name)


def _named(name: str) -> Site | None:
    found = SITE.search(name)
    return Site(found[1], found[3], LANGUAGES[found[4]], int(found[5])) if found else None


def _called(script: ScriptFacts, site: Site) -> list[ScriptOperation]:
    """The operations that a site may be: in its line of its file, by its method if one there is called so."""
    artefacts = {operation.artefact for operation in script.operations if operation.artefact}
    same_file = {name for name in artefacts if name.replace("\\", "/").rsplit("/", 1)[-1] == site.file}
    same_language = {name for name in artefacts if name.rsplit(".", 1)[-1] == site.file.rsplit(".", 1)[-1]}
    files = same_file or (same_language if len(same_language) == 1 else set[str]())
    here = [
        operation
        for operation in script.operations
        if operation.line == site.line and (operation.artefact in files if operation.artefact else script.language == site.language)
    ]
    by_name = [operation for operation in here if operation.text.startswith(f"{site.method}(")]
    # a line of Scala may be one of a library's: Spark takes what is not its own for the user's
    return by_name or (here if site.language == "python" else [])
