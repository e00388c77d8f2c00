"""A script as a user handed it over: what it is called, what is known of it, and its text, which is never run."""

from typing import NamedTuple

from contracts.code import ScriptFacts


class NamedScript(NamedTuple):
    """One script of the bundle."""

    name: str
    """The name of its artefact: a label, never a path to open."""
    facts: ScriptFacts
    text: str
