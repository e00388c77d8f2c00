"""How `bullpen eval model` measures a model at the tasks of `diagnose`: one turn, reading an answer, a ticket, and a file of tickets."""

from contracts.diagnose.deliverables import DiagnoserTurn, Finding, HeardAnswer
from contracts.tickets import DrawnObservations, FileMapping
from workers.llm.probe import ProbeCase

TICKETS = (
    "T-1\ndescription: The shop is slow\nphenomena:\n1. sessions wait for a relation lock (how: SELECT * FROM pg_locks)\n"
    "cause: a lock queue behind an ALTER TABLE\nwhat helped: the ALTER TABLE was cancelled",
    "T-2\ndescription: The shop is slow\nphenomena:\n1. writes fail since the disk has no space (how: df -h)\n"
    "cause: a full disk\nwhat helped: old archives were deleted",
)
PROBLEM = "The shop is slow since noon. Forty sessions wait for a relation lock. The disk has plenty of space."
TICKET = (
    "Orders hung since noon. pg_locks showed forty sessions in a queue. The cause was an ALTER TABLE that waited for a lock. "
    "We cancelled it, and the orders went through."
)

FIELDS = (
    'No | in 2 of 2 | e.g.: "N-31", "N-30"\n'
    'Seen | in 2 of 2 | e.g.: "Cameras in hall B dark", "Robots of line 2 stop"\n'
    'Came from | in 2 of 2 | e.g.: "power budget of the switch used up", "a cable flaps"\n'
    'Done | in 2 of 2 | e.g.: "second power supply put in", "cable replaced"'
)
TOP = "1: No,Seen,Came from,Done\n2: N-31,Robots of line 2 stop,a cable flaps,cable replaced"


def _turned(answer: DiagnoserTurn) -> str:
    first = answer.causes[0].tickets[:1] if answer.causes else ()
    return "" if tuple(first) == ("T-1",) else f"The likeliest cause is that of {', '.join(first) or 'no ticket'}, where T-1 fits."


def _heard(answer: HeardAnswer) -> str:
    found = {item.number: item.finding for item in answer.items}
    right = {1: Finding.CONFIRMED, 2: Finding.DENIED}
    return "" if found == right else f"It reads { ({number: finding.value for number, finding in found.items()}) }."


def _drawn(answer: DrawnObservations) -> str:
    if "ALTER TABLE" not in answer.cause or " ".join(answer.cause.split()).rstrip(".") not in TICKET:
        return f"The cause is not the ticket's: {answer.cause}"
    return "" if any("forty sessions" in each.quote for each in answer.observations) else "It misses what pg_locks showed."


def _mapped(answer: FileMapping) -> str:
    holds = {each.path: each.holds for each in answer.fields}
    right = {"No": ("ticket_id",), "Seen": ("description", "summary", "anomalies"), "Came from": ("root_cause",), "Done": ("solution",)}
    wrong = [path for path, meanings in right.items() if holds.get(path) not in meanings]
    return f"It takes {wrong[0]} for {holds.get(wrong[0])}." if wrong else ""


CASES = (
    ProbeCase(
        "diagnoser/turn",
        DiagnoserTurn,
        {
            "language": "English",
            "tickets": TICKETS,
            "others": "",
            "problem": PROBLEM,
            "system": "",
            "looked_up": "",
            "added": "",
            "session": "",
            "dialogue": "",
            "last": "",
            "objection": "",
            "today": "Now it is Thursday, 2026-03-05 14:30 (UTC, UTC+00:00).",
            "guidance": "0 of at most 5 questions were asked; a tired person answers, so ask as little as decides it.",
        },
        _turned,
        also=("diagnoser/rar", "diagnoser/rerank"),
    ),
    ProbeCase(
        "diagnoser/answer",
        HeardAnswer,
        {
            "earlier": "",
            "systems": "",
            "items": "1. sessions wait for a relation lock\n2. writes fail since the disk has no space",
            "answer": "the first yes, about forty of them; and no, writing works",
        },
        _heard,
    ),
    ProbeCase("retriever/observations", DrawnObservations, {"ticket": TICKET, "comments": "", "known": "(none)"}, _drawn),
    ProbeCase(
        "retriever/mapping",
        FileMapping,
        {
            "file": "outages.csv",
            "where": "A table. Taken for the delimiter: `,`. Taken for the header: line 1.",
            "fields": FIELDS,
            "records": TOP,
            "last": "",
            "problem": "",
        },
        _mapped,
    ),
)
