"""The remaining model budget of a job, checked before each call."""

from dataclasses import dataclass
from typing import LiteralString, Protocol
from uuid import UUID

from contracts.reports import Usage
from workers.blackboard.amounts import BUDGET_COST_USD, BUDGET_TOKENS, USED
from workers.blackboard.engine import Database

_SPENT: LiteralString = f"""
SELECT COALESCE({BUDGET_TOKENS}, %(tokens)s::bigint) AS tokens, COALESCE({BUDGET_COST_USD}, %(cost_usd)s::float8) AS cost_usd,
       u.tokens AS used_tokens, u.cost_usd AS used_cost_usd
  FROM jobs j
  CROSS JOIN LATERAL ({USED} WHERE steps.job_id = j.id AND steps.dispatch_rev > j.human_rev AND steps.id <> %(step_id)s) u
 WHERE j.id = %(job_id)s
"""  # noqa: S608  made of constants
"""Since the last human word, as the sweeper counts. The step that asks adds what it used itself: its row does not know yet."""


@dataclass(frozen=True, slots=True)
class Left:
    """The remaining budget of a job. None means no limit."""

    tokens: int | None = None
    cost_usd: float | None = None
    of_tokens: int | None = None
    of_cost_usd: float | None = None

    def refusal(self, prompt_tokens: int) -> str:
        """The message for a call that the budget does not allow: the figures, and what the user can do."""
        parts: list[str] = []
        if self.tokens is not None:
            parts.append(f"{max(self.tokens, 0)} of {self.of_tokens} tokens are left")
        if self.cost_usd is not None:
            parts.append(f"{max(self.cost_usd, 0):.6f} of {self.of_cost_usd} USD are left")
        return (
            f"The job's budget does not allow another model call: {' and '.join(parts)}, and the prompt has about {prompt_tokens} tokens. "
            "Answer or instruct the job to continue with a fresh budget, or submit it again with a larger `budget`."
        )


class StepBudget(Protocol):
    """The budget that a step's calls count against."""

    def left(self, used: Usage) -> Left:
        """The budget minus the usage of the other steps and `used`, this step's own usage. May be negative."""
        ...


class NoBudget:
    """The budget of a conversation that belongs to no job: unlimited."""

    def left(self, used: Usage) -> Left:
        """No limit."""
        return Left()


@dataclass(frozen=True, slots=True)
class TokenBudget:
    """A number of tokens, for a conversation that belongs to no job."""

    tokens: int

    def left(self, used: Usage) -> Left:
        """See `StepBudget`."""
        return Left(tokens=self.tokens - used.input_tokens - used.output_tokens, of_tokens=self.tokens)


class JobBudget:
    """The budget of a step's job. Two steps that run at the same time do not see each other's usage until they report it."""

    def __init__(
        self, db: Database, job_id: UUID, step_id: UUID, *, tokens: int | None, cost_usd: float | None, before: Usage | None = None
    ) -> None:
        """`tokens` and `cost_usd`: the deployment's defaults. `before`: usage of the step's earlier attempts."""
        self._db = db
        self._values = {"job_id": job_id, "step_id": step_id, "tokens": tokens, "cost_usd": cost_usd}
        self._before = before or Usage()

    def left(self, used: Usage) -> Left:
        """See `StepBudget`."""
        row = self._db.row(_SPENT, self._values)
        if row is None:
            return Left()
        own_tokens = used.input_tokens + used.output_tokens + self._before.input_tokens + self._before.output_tokens
        own_cost = used.cost_usd + self._before.cost_usd
        tokens, cost_usd = row["tokens"], row["cost_usd"]
        return Left(
            tokens=None if tokens is None else tokens - row["used_tokens"] - own_tokens,
            cost_usd=None if cost_usd is None else cost_usd - row["used_cost_usd"] - own_cost,
            of_tokens=tokens,
            of_cost_usd=cost_usd,
        )
