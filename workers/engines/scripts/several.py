"""Joins the scripts of a job into one. Each operation names the script that it comes from."""

from collections.abc import Mapping

from contracts import statements
from contracts.code import ScriptFacts, ScriptOperation
from contracts.statements import as_value, say
from workers.engines.problems import all_of


def in_one(scripts: Mapping[str, ScriptFacts]) -> ScriptFacts:
    """The scripts by the names of their artefacts, put together in this order. Of a setting that several make, the last one holds."""
    operations: list[ScriptOperation] = []
    for name, script in scripts.items():
        before = len(operations)
        operations += [
            operation.model_copy(
                update={
                    "number": operation.number + before,
                    "inputs": tuple(number + before for number in operation.inputs),
                    "artefact": name,
                }
            )
            for operation in script.operations
        ]
    problems = [
        say("code.problem_in", script=statements.name(name), problem=as_value(script.unreadable))
        for name, script in scripts.items()
        if script.unreadable
    ]
    languages = {script.language for script in scripts.values()}
    return ScriptFacts(
        language=languages.pop() if len(languages) == 1 else "",
        operations=tuple(operations),
        functions=tuple(dict.fromkeys(name for script in scripts.values() for name in script.functions)),
        settings={key: value for script in scripts.values() for key, value in script.settings.items()},
        setting_places={
            key: place.model_copy(update={"artefact": name})
            for name, script in scripts.items()
            for key, place in script.setting_places.items()
        },
        unreadable=all_of(*problems),
    )
