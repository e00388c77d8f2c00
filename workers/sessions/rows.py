"""What a session's memory is made from: rows of its jobs, requests and steps."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, LiteralString
from uuid import UUID

from contracts.base import Json
from contracts.jobs import JobStatus
from contracts.roles import RoleName
from contracts.sessions import Asked, Decided, RoleTurn
from workers.blackboard.engine import Database
from workers.coordinator.job_language import job_language
from workers.coordinator.playbooks import find_playbook, kinds
from workers.saying.content import in_words

MOST_JOBS = 30
"""Jobs that are read. Older ones are in the summaries."""
MOST_TURNS = 200
"""Steps that are read: those since the last summary, as a rule few."""
TITLE_CHARACTERS = 100
ANSWER_CHARACTERS = 160
TURN_CHARACTERS = 200
MOST_SELECTED = 30

_JOBS: LiteralString = """
SELECT j.id, j.kind, j.status, j.language, input.content
  FROM jobs j
  LEFT JOIN LATERAL (SELECT content FROM deliverables d WHERE d.job_id = j.id AND d.stage = 'input'
                      ORDER BY d.pinned DESC, d.version DESC LIMIT 1) input ON true
 WHERE j.session_id = %(session_id)s AND j.owner = %(owner)s AND (j.finished_at IS NULL OR j.finished_at > %(since)s)
 ORDER BY j.created_at DESC LIMIT %(most)s
"""

_DECIDED: LiteralString = """
SELECT r.job_id, r.kind, r.payload, r.response, COALESCE(r.answered_at, r.created_at) AS at
  FROM requests r
 WHERE r.job_id = ANY (%(jobs)s) AND ((r.target = 'human' AND r.response IS NOT NULL) OR (r.asker = 'operator' AND r.kind = 'remark'))
   AND COALESCE(r.answered_at, r.created_at) > %(since)s
 ORDER BY at DESC LIMIT %(most)s
"""

_TURNS: LiteralString = """
SELECT s.job_id, s.role, s.stage, s.summary, s.finished_at, d.content_hash, d.content -> 'selected' AS selected
  FROM steps s LEFT JOIN deliverables d ON d.step_id = s.id
 WHERE s.job_id = ANY (%(jobs)s) AND s.status = 'succeeded' AND s.finished_at > %(since)s
 ORDER BY s.finished_at DESC, s.id DESC LIMIT %(most)s
"""


@dataclass(frozen=True, slots=True)
class SessionRows:
    """What the rows of a session say, each list oldest first."""

    asked: tuple[Asked, ...]
    decided: tuple[Decided, ...]
    turns: dict[RoleName, list[RoleTurn]]
    selected: tuple[str, ...]
    """Places, the last selected first."""


def read_rows(db: Database, session_id: UUID, owner: str, since: datetime) -> SessionRows:
    """What was asked, decided, done by each role, and selected since a time."""
    values = {"session_id": session_id, "owner": owner, "since": since, "most": MOST_JOBS}
    jobs = list(reversed(db.statement(_JOBS, values)))
    about = {"jobs": [row["id"] for row in jobs], "since": since}
    languages = {row["id"]: job_language(row["kind"], row["language"], row["content"]) for row in jobs}
    asked = [
        Asked(job_id=row["id"], kind=row["kind"], title=_title(row["kind"], row["content"] or {}), status=JobStatus(row["status"]))
        for row in jobs
    ]
    decisions = db.statement(_DECIDED, {**about, "most": MOST_JOBS})
    decided = [decision for row in reversed(decisions) if (decision := _decision(row, languages[row["job_id"]])) is not None]
    turns: dict[RoleName, list[RoleTurn]] = {}
    selected: list[str] = []
    for row in reversed(db.statement(_TURNS, {**about, "most": MOST_TURNS})):
        selected.extend(_places(row["selected"]))
        if row["role"] in set(RoleName):
            turns.setdefault(RoleName(row["role"]), []).append(_turn(row))
    return SessionRows(tuple(asked), tuple(decided), turns, tuple(dict.fromkeys(reversed(selected)))[:MOST_SELECTED])


def _title(kind: str, content: Json) -> str:
    """The beginning of the user's words. A kind that this process does not know has none."""
    field = find_playbook(kind).words if kind in kinds() else ""
    return one_line(str(content.get(field) or content.get("title") or ""), TITLE_CHARACTERS)


def _decision(row: Json, language: str) -> Decided | None:
    if row["kind"] == "remark":
        text = one_line(str(row["payload"].get("text", "")), ANSWER_CHARACTERS)
        return Decided(job_id=row["job_id"], answer=text) if text else None
    question = one_line(str(in_words(row["payload"].get("text", ""), language)), TITLE_CHARACTERS)
    return Decided(job_id=row["job_id"], question=question, answer=one_line(str(row["response"].get("text", "")), ANSWER_CHARACTERS))


def _turn(row: Json) -> RoleTurn:
    return RoleTurn(
        job_id=row["job_id"], stage=row["stage"], summary=one_line(row["summary"] or "", TURN_CHARACTERS), content_hash=row["content_hash"],
        at=row["finished_at"],
    )  # fmt: skip


def _places(selected: Any) -> Iterable[str]:
    """The field `selected` at the top of a deliverable: places of what was selected."""
    return (item for item in selected if isinstance(item, str) and len(item) <= 200) if isinstance(selected, list) else ()  # pyright: ignore[reportUnknownVariableType] JSON


def one_line(text: str, most: int) -> str:
    """The text on one line, cut at `most` characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"
