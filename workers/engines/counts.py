"""What parsers count, as statements: every noun has its plural forms in the catalogue."""

from contracts.statements import Count, Statement, count, say


def exactly(n: float) -> Count:
    """How many, to the last."""
    return count(round(n), exact=True)


def lines(n: int) -> Statement:
    """Of a text."""
    return say("artefacts.lines", n=exactly(n))


def stages(n: int) -> Statement:
    """Of a run."""
    return say("artefacts.stages", n=exactly(n))


def joins(n: int) -> Statement:
    """Of a script."""
    return say("artefacts.joins", n=exactly(n))


def errors(n: int) -> Statement:
    """Of a log or a job."""
    return say("artefacts.errors", n=exactly(n))


def warnings(n: int) -> Statement:
    """Of a log or a job."""
    return say("artefacts.warnings", n=exactly(n))
