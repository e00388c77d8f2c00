"""What a verdict says, in the reader's language."""

from contracts.tuning_verdicts import Verdict


def summary(verdict: Verdict, language: str) -> str:
    """One sentence with its main numbers."""
    return verdict.summary
