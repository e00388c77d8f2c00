"""The run of an approved script: checks, audit, transaction, and the row that says that it is done."""

from collections.abc import Sequence
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING
from uuid import UUID

from contracts.sources import EVERYONE, Lock, LockVerdict, SourceKind, Verdict
from contracts.statements import Code, Name, say
from workers.blackboard.engine import Database
from workers.errors import BullpenError, Conflict, InvalidInput, SourceUnavailable, StatementRefused
from workers.named_secrets import secret
from workers.sources import audit
from workers.sources.addresses import variable
from workers.sources.registry import get_source, list_policies
from workers.sources.writing.approvals import get_approval, mark_done, script_hash, writable_schemas
from workers.sources.writing.scripts import check_script

if TYPE_CHECKING:
    from workers.sources.writing.postgres import Applied

TIMEOUT_S = 3_600.0
"""Longest statement of a script that writes; a load takes longer than a question."""


@dataclass(frozen=True, slots=True)
class Written:
    """What became of a script."""

    approval: UUID
    statements: int
    ran_before: bool
    """It had run in an earlier attempt, so nothing was done now."""
    is_checked: bool
    """Whether it was seen that the script wrote no key twice; the account must be allowed to read the table."""


class Writer:
    """Writes to sources. Share it between threads."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def write(
        self,
        approval_id: UUID,
        statements: Sequence[str],
        *,
        owner: str,
        step_id: UUID | None = None,
        unique: tuple[str, tuple[str, ...]] | None = None,
    ) -> Written:
        """Run an approved script, once, however often this is called. `unique`: a table with the columns of which the script may
        give no two rows the same values. Raises `Conflict` when the script is not the approved one,
        `StatementRefused`, `StatementFailed`, `UnsafeAccount`, `SourceUnavailable` or `NotFound`."""
        approval = get_approval(self._db, approval_id)
        if approval.owner != owner:
            raise Conflict.of(say("refused.writing.other_owner"))
        if approval.script_hash != script_hash(approval.source, statements):
            raise Conflict.of(say("refused.writing.other_script"))
        text = ";\n".join(statements)
        execution = audit.begin(self._db, approval.source, owner, text, approval.job_id, step_id)
        started, error, locks = monotonic(), "The process was interrupted.", ()
        try:
            applied = self._run(approval.source, approval_id, approval.script_hash, statements, owner, unique)
            error, locks = None, (LockVerdict(lock=Lock.PARSED, verdict=Verdict.PASSED),)
        except StatementRefused as refusal:
            error, locks = str(refusal), (LockVerdict(lock=refusal.lock, verdict=Verdict.REFUSED, reason=str(refusal)),)
            raise
        except BullpenError as failure:
            error = str(failure)
            raise
        finally:
            audit.end(self._db, execution, locks, duration_ms=round((monotonic() - started) * 1000), error=error)
        mark_done(self._db, approval_id)
        return Written(approval_id, len(statements), ran_before=applied.ran_before, is_checked=applied.is_checked)

    def _run(
        self, name: str, key: UUID, hash_: str, statements: Sequence[str], owner: str, unique: tuple[str, tuple[str, ...]] | None
    ) -> "Applied":
        source, writable = get_source(self._db, name), writable_schemas(self._db, name)
        if not writable:
            opening = Code(text="bullpen source writable")
            raise StatementRefused(Lock.READ_ONLY, say("refused.writing.closed", source=Name(text=name), command=opening))
        if not source.is_open_to(owner):
            raise StatementRefused(Lock.POLICIES, say("refused.source.not_yours", source=Name(text=name)))
        bound = [policy for policy in list_policies(self._db, name) if policy.owner in (owner, EVERYONE) and not policy.exempt]
        if bound:
            raise StatementRefused(Lock.POLICIES, say("refused.writing.bound", source=Name(text=name)))
        if source.kind is not SourceKind.POSTGRES:
            raise InvalidInput.of(say("refused.writing.kind", source=Name(text=name), kind=Name(text=source.kind)))
        texts = check_script(statements, source.kind, writable)
        from workers.sources.writing.postgres import PostgresWriter

        return PostgresWriter(_url(name), TIMEOUT_S).apply(key, hash_, texts, writable, unique)


def _url(name: str) -> str:
    """The URL of the account that may write. Never print it."""
    known = variable(name).removesuffix("_URL") + "_WRITE_URL"
    url = secret(known)
    if not url:
        raise SourceUnavailable.of(say("refused.writing.no_url", variable=Name(text=known), source=Name(text=name)))
    if url.partition("://")[0] not in ("postgresql", "postgres", "postgresql+psycopg"):
        raise InvalidInput.of(say("refused.writing.scheme", variable=Name(text=known), scheme=Name(text="postgresql://")))
    return url
