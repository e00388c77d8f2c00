"""What users said of advice: kept one word a fix and job, counted by piece of experience and class."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, LiteralString
from uuid import UUID

import psycopg

from contracts.tune.plan import FixKind
from contracts.verdicts import TuningClass
from workers.blackboard.engine import Row

Connection = psycopg.Connection[Row]

_PRIOR = 4
"""Adoptions, and as many refusals, that every piece is credited with: the first word of a user moves a piece past its nearest
neighbours and no further, a dozen of them past pieces that fit somewhat better."""

_OF_PIECES: LiteralString = """
SELECT spoken_of.id AS subject,
       count(*) FILTER (WHERE verdict = 'adopted') AS adopted, count(*) FILTER (WHERE verdict = 'ignored') AS ignored
FROM experience_feedback CROSS JOIN LATERAL unnest(experience_ids) AS spoken_of(id)
WHERE tuning_class = %(tuning_class)s GROUP BY 1
"""

_OF_REMEDIES: LiteralString = """
SELECT fix_kind AS subject,
       count(*) FILTER (WHERE verdict = 'adopted') AS adopted, count(*) FILTER (WHERE verdict = 'ignored') AS ignored
FROM experience_feedback
WHERE tuning_class = %(tuning_class)s AND experience_ids = '{}' GROUP BY 1
"""


@dataclass(frozen=True)
class FixFeedback:
    """A user's word on one fix of a job."""

    fix_id: str
    experience_ids: tuple[str, ...]
    fix_kind: FixKind
    verdict: Literal["adopted", "ignored"]


@dataclass(frozen=True)
class Votes:
    """How often advice was taken, and how often it was not."""

    adopted: int = 0
    ignored: int = 0

    def __add__(self, other: "Votes") -> "Votes":
        return Votes(self.adopted + other.adopted, self.ignored + other.ignored)

    @property
    def factor(self) -> float:
        """By which a rank's score is multiplied: 1 where nothing was said, between 0.5 and 1.5; the mean of a Beta(4 + adopted,
        4 + ignored), and a half. One more adoption always raises it."""
        return 0.5 + (self.adopted + _PRIOR) / (self.adopted + self.ignored + 2 * _PRIOR)


@dataclass(frozen=True)
class VotesOfClass:
    """All that was said of advice in jobs of one class."""

    of_pieces: dict[str, Votes]
    of_remedies: dict[str, Votes]
    """Of fixes that were taken from no piece: they speak for every piece with their remedy."""

    def of(self, experience_id: str, remedies: Iterable[str]) -> Votes:
        """What was said of a piece, and of its remedies."""
        return sum((self.of_remedies.get(remedy, Votes()) for remedy in remedies), self.of_pieces.get(experience_id, Votes()))


def count_votes(connection: Connection, tuning_class: TuningClass) -> VotesOfClass:
    """What users said in jobs of this class."""

    def counted(query: LiteralString) -> dict[str, Votes]:
        rows = connection.execute(query, {"tuning_class": tuning_class.value})
        return {row["subject"]: Votes(row["adopted"], row["ignored"]) for row in rows}

    return VotesOfClass(counted(_OF_PIECES), counted(_OF_REMEDIES))


def keep_feedback(connection: Connection, job_id: UUID, tuning_class: TuningClass, feedback: Iterable[FixFeedback]) -> None:
    """Store a user's words on fixes of a job, each in the place of an earlier word on the same fix. In the caller's transaction."""
    for word in feedback:
        connection.execute(
            """
            INSERT INTO experience_feedback (job_id, fix_id, experience_ids, fix_kind, tuning_class, verdict)
            VALUES (%(job_id)s, %(fix_id)s, %(experience_ids)s, %(fix_kind)s, %(tuning_class)s, %(verdict)s)
            ON CONFLICT (job_id, fix_id) DO UPDATE
            SET experience_ids = EXCLUDED.experience_ids, fix_kind = EXCLUDED.fix_kind, tuning_class = EXCLUDED.tuning_class,
                verdict = EXCLUDED.verdict, given_at = now()
            """,
            {
                "job_id": job_id,
                "fix_id": word.fix_id,
                "experience_ids": list(dict.fromkeys(word.experience_ids)),
                "fix_kind": word.fix_kind.value,
                "tuning_class": tuning_class.value,
                "verdict": word.verdict,
            },
        )


def read_feedback(connection: Connection, job_id: UUID) -> dict[str, str]:
    """The feedback kept for a job, in the order of its fixes: fix → verdict."""
    rows = connection.execute(
        "SELECT fix_id, verdict FROM experience_feedback WHERE job_id = %s ORDER BY length(fix_id), fix_id", (job_id,)
    )
    return {row["fix_id"]: row["verdict"] for row in rows}
