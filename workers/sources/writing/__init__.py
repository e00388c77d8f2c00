"""Writing to a source: only an approved script, only into schemas that the operator opened, once.

A source is read through five locks by an account that can only read. Writing is another door beside it, closed by default: the operator
names schemas (`allow_writing`) and sets a second URL, a human approves a script by its hash (`approve_script`), and `Writer.write` runs
that very script in one transaction with its ledger row.
"""

from workers.sources.writing.approvals import allow_writing, approve_script, forbid_writing, get_approval, script_hash, writable_schemas
from workers.sources.writing.scripts import STATEMENTS_MAX
from workers.sources.writing.writer import Writer, Written

__all__ = (
    "STATEMENTS_MAX",
    "Writer",
    "Written",
    "allow_writing",
    "approve_script",
    "forbid_writing",
    "get_approval",
    "script_hash",
    "writable_schemas",
)
