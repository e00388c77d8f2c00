"""Learning from feedback: the true cause looked up in the history, and the confirmed ticket stored in it."""

import re
from dataclasses import replace

from contracts.base import clean_text
from contracts.diagnose.feedback import DiagnosisFeedback, Learnt
from contracts.statements import code, say
from contracts.statements import name as identifier
from contracts.tickets import Ticket
from workers.blackboard.engine import Database
from workers.errors import Conflict, InvalidInput, NotFound
from workers.kinds.diagnose.rules.feedback import EndedDiagnosis, TrueCause, confirmed_ticket, ticket_id_of
from workers.llm.embedder import Embedder
from workers.tickets.tickets import store_ticket
from workers.tickets.wording import cause_id, normalise

_CAUSE_ID = re.compile(r"C-[0-9a-f]+", re.IGNORECASE)

_KNOWN = """
SELECT c.description,
       (SELECT count(*) FROM tickets t WHERE t.cause_id = c.cause_id AND t.ticket_id <> %(own)s) AS tickets,
       (SELECT t.metadata->'cause_id' FROM tickets t
         WHERE t.cause_id = c.cause_id AND t.ticket_id <> %(own)s AND t.metadata->'cause_id' <> 'null'
         GROUP BY 1 ORDER BY count(*) DESC, t.metadata->'cause_id' LIMIT 1) AS label,
       (SELECT t.solution FROM tickets t WHERE t.cause_id = c.cause_id AND t.ticket_id <> %(own)s
         ORDER BY length(t.solution) DESC, t.ticket_id LIMIT 1) AS elsewhere
  FROM causes c WHERE c.cause_id = %(cause_id)s
"""
"""A cause by its id, from the other tickets: the ticket of this job is about to be replaced."""


def learn_from_diagnosis(db: Database, embedder: Embedder | None, ended: EndedDiagnosis, given: DiagnosisFeedback) -> Learnt:
    """Store the incident as a solved ticket, which replaces earlier feedback on the same job. It counts at once.

    Raises `Conflict` when nothing was diagnosed that could be right, `NotFound` for the id of no cause, `InvalidInput` when
    the cause has no words, or is the cause that was diagnosed.
    """
    ticket, cause = plan_ticket(db, ended, given)
    report = store_ticket(db, embedder, ticket, what="feedback")
    return Learnt(
        ticket_id=ticket.ticket_id,
        verdict=given.verdict,
        root_cause=ticket.root_cause,
        cause_id=cause.cause_id,
        known_cause=cause.known,
        stored="imported" if report.imported else "updated" if report.updated else "unchanged",
    )


def plan_ticket(db: Database, ended: EndedDiagnosis, given: DiagnosisFeedback) -> tuple[Ticket, TrueCause]:
    """The ticket that feedback would store, and its cause. Raises what `learn_from_diagnosis` raises."""
    cause = _true_cause(db, ended, given)
    return confirmed_ticket(ended, given, cause), cause


def _true_cause(db: Database, ended: EndedDiagnosis, given: DiagnosisFeedback) -> TrueCause:
    diagnosed = ended.diagnosis.cause_id if ended.diagnosis.by_data else ended.diagnosis.root_cause  # a finding's figures are of one day
    if given.verdict == "right":
        if diagnosed is None:
            command = code(f'bullpen feedback {ended.job_id} --wrong "the cause" --solution "what solved it"')
            raise Conflict.of(say("diagnose.refused.unknown", job=identifier(ended.job_id), command=command))
        found = _known_or_new(db, ended.diagnosis.cause_id or cause_id(diagnosed), diagnosed, ended)
        found = found if found.known else _known_or_new(db, cause_id(diagnosed), diagnosed, ended)
        return replace(found, description=diagnosed)
    wanted = clean_text(given.cause or "").strip()
    if _CAUSE_ID.fullmatch(wanted):
        found = _known_or_new(db, f"C-{wanted[2:].lower()}", "", ended)
        if not found.description:
            raise NotFound.of(say("diagnose.refused.no_cause", cause=identifier(wanted), command=code(f"bullpen show {ended.job_id}")))
    elif re.search(r"\w", normalise(wanted)):
        coded = _coded(db, wanted, ended)
        found = (
            replace(_known_or_new(db, coded[0], wanted, ended), description=coded[1])
            if coded
            else _known_or_new(db, cause_id(wanted), wanted, ended)
        )
    else:
        raise InvalidInput.of(say("diagnose.refused.no_words"))
    if diagnosed is not None and found.cause_id in (ended.diagnosis.cause_id, cause_id(diagnosed)):
        raise InvalidInput.of(say("diagnose.refused.same_cause", command=code(f"bullpen feedback {ended.job_id} --right")))
    return found


def _coded(db: Database, wording: str, ended: EndedDiagnosis) -> tuple[str, str] | None:
    """The cause, known by a code, that a ticket words so, with its wording there; None: no ticket does."""
    rows = db.statement(
        "SELECT DISTINCT cause_id, root_cause FROM tickets WHERE metadata ? 'cause_id' AND ticket_id <> %(own)s ORDER BY cause_id",
        {"own": ticket_id_of(ended.job_id)},
    )
    wanted = normalise(wording)
    return next(((row["cause_id"], row["root_cause"]) for row in rows if normalise(row["root_cause"]) == wanted), None)


def _known_or_new(db: Database, wanted: str, text: str, ended: EndedDiagnosis) -> TrueCause:
    """The cause with this id, or a new one with this text if the history does not have it."""
    row = db.row(_KNOWN, {"cause_id": wanted, "own": ticket_id_of(ended.job_id)})
    if row is None:
        return TrueCause(text, wanted)
    return TrueCause(row["description"], wanted, row["elsewhere"] or "", row["label"], known=row["tickets"] > 0)
