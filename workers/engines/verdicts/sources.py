"""Where a figure comes from, of artefacts of any kind."""

from contracts.statements import Statement, name, say


def in_artefact(artefact: str) -> Statement:
    """An artefact as a whole."""
    return say("verdicts.source.artefact", artefact=name(artefact))


def at_line(artefact: str, line: int) -> Statement:
    """A line of an artefact."""
    return say("verdicts.source.line", artefact=name(artefact), line=name(line))
