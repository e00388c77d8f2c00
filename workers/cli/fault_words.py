"""What helped with a fault, in words."""

from contracts.faults import Fix, FixKind
from contracts.statements import Quote, Statement, passage, say

_FIXES = {
    FixKind.REPLAYED: say("fleet.fix.replayed"),
    FixKind.AGAIN: say("fleet.fix.again"),
    FixKind.CHANGED: say("fleet.fix.changed"),
}


def fix_words(fix: Fix) -> Quote | Statement:
    """A fix, to be said: an operator's words, or what was done."""
    return passage(fix.note or "") if fix.kind is FixKind.NOTE else _FIXES[fix.kind]
