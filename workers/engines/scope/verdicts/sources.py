"""Where the figures of a SCOPE job come from."""

from collections.abc import Sequence

from contracts.scope import ScopeScriptFacts
from contracts.statements import Join, Statement, listing, name, say
from workers.engines.scope.blame import SPOTS
from workers.engines.scope.job import ScopeJob
from workers.engines.verdicts import in_artefact


def timed(job: ScopeJob) -> Statement:
    """What says how long the stages took."""
    return in_artefact(job.timed_by) if job.timed_by else say("scope.source.unknown")


def of_stage(artefact: str, stage: str) -> Statement:
    """A stage or vertex in an artefact."""
    return say("scope.source.stage", artefact=name(artefact), stage=name(stage))


def of_script(script: ScopeScriptFacts, lines: Sequence[int]) -> Statement:
    """The script and its lines; the first of them are named."""
    shown = [name(line) for line in sorted(set(lines))]
    at = listing(*shown[:SPOTS], join=Join.PLAIN)
    artefact = name(script.artefact) if script.artefact else say("scope.source.script")
    if len(shown) > SPOTS:
        return say("scope.source.more_lines", artefact=artefact, lines=at)
    return say("scope.source.lines", artefact=artefact, lines=at)
