"""What a user submits as an `ask` job."""

import re
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field, StringConstraints, model_validator

from contracts.base import Contract, Text
from contracts.charts import Mark
from contracts.queries import QueryPlan
from contracts.sources import SourceName
from contracts.statements import LanguageCode


class Strategy(StrEnum):
    """Who decides that the work goes on."""

    CONFIRM = "confirm"
    """SQL goes to the user first; "yes, run it" goes on."""
    DIRECT = "direct"
    """The work goes on until the user's intent is reached."""


class Agent(StrEnum):
    """A client may name who is to answer. The job then goes there without being understood first."""

    FIX_SQL = "fix_sql"
    EXPLAIN_SQL = "explain_sql"
    LOGIFY = "logify"
    DATA_SUITE_EXPERT = "data_suite_expert"

    @classmethod
    def _missing_(cls, value: object) -> "Agent | None":
        """The names as chat clients show them: "Fix SQL", "Logify Agent", "data-suite-expert" (S16, S31)."""
        if not isinstance(value, str):
            return None
        plain = re.sub(r"[\s_-]+", "_", value.strip().lower()).removesuffix("_agent")
        return next((agent for agent in cls if agent.value == plain), None)


class BuiltQuestion(Contract):
    """A question that was filled in and not written: its plan is what is asked."""

    plan: QueryPlan
    mark: Mark | None = None
    """How the result is drawn. None: as it suits it."""


Change = Annotated[Text, Field(min_length=1, max_length=300)]


class AskRequest(Contract):
    """A question about data."""

    kind: Literal["ask"] = "ask"
    question: Text = Field(default="", max_length=20_000)
    """In the user's words, in any language. Of a request that changes the last answer: its changes as options."""
    source: SourceName | None = Field(default=None, description="The source to ask. Default: every source that you may query.")
    within: tuple[Change, ...] = Field(
        default=(), max_length=20, json_schema_extra={"metavar": "TABLE|SCHEMA|TAG"},
        description="Only these tables are looked at: a table, all of a schema, or all with a tag of the catalogue; may be repeated. It "
        "holds for the conversation; `*` lifts it.",
    )  # fmt: skip
    strategy: Strategy | None = Field(
        default=None,
        description="confirm: SQL is shown to you before it runs. direct: it runs at once. Default: the deployment's BULLPEN_ASK_STRATEGY.",
    )
    sql: Text | None = Field(default=None, max_length=100_000, description="A statement to fix, explain or run.")
    error: Text | None = Field(default=None, max_length=20_000, description="The error that the engine gave for it.")
    dialect: Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{1,29}$")] | None = Field(
        default=None, description="SQL dialect of the statement, or of the one to write. Default: the source's."
    )
    agent: Agent | None = Field(default=None, description="Who is to answer. Default: found out from the question.")
    product: Text | None = Field(default=None, max_length=200, description="The product that a question to the expert is about.")
    logs: SourceName | None = Field(default=None, description="The logs to search. Default: all that there are.")
    background: Text | None = Field(
        default=None, max_length=500,
        description="Who you are, such as `department=sales, region=East`: `my region` is then East. It holds for the conversation.",
    )  # fmt: skip
    built: BuiltQuestion | None = None
    """In the place of the words, which only name the job: nothing of them is read. Needs a source."""
    language: LanguageCode | None = Field(default=None, description="Language of the answer. Default: that of the question.")
    by: tuple[Change, ...] = Field(
        default=(), max_length=6, json_schema_extra={"metavar": "COLUMN|UNIT", "alone": True},
        description="Changes the last answer of the conversation: grouped by this column, or by day, week, month, quarter, year, weekday "
        "or hour; may be repeated.",
    )  # fmt: skip
    where: tuple[Change, ...] = Field(
        default=(), max_length=12, json_schema_extra={"metavar": "COLUMN=VALUE", "alone": True},
        description="Changes the last answer: only rows with this value (=, !=, >, >=, <, <=; =a,b for several, =* for any); may be "
        "repeated.",
    )  # fmt: skip
    top: int | None = Field(
        default=None, ge=1, le=10_000, json_schema_extra={"alone": True},
        description="Changes the last answer: only the first rows, the highest first unless it says otherwise.",
    )  # fmt: skip
    chart: Mark | None = Field(
        default=None, json_schema_extra={"alone": True}, description="Changes the last answer: drawn as bar, line, point or heat."
    )

    @property
    def is_change(self) -> bool:
        """Whether it changes the last answer of the conversation."""
        return bool(self.by or self.where or self.top is not None or self.chart is not None)

    @model_validator(mode="after")
    def _asks_or_changes(self) -> "AskRequest":
        if not self.is_change:
            if not self.question:
                raise ValueError("an `ask` job needs a question, or changes of the last answer (by, where, top, chart)")
            return self
        options = " ".join(
            [*(f"--by {_quoted(item)}" for item in self.by), *(f"--where {_quoted(item)}" for item in self.where),
             *([f"--top {self.top}"] if self.top is not None else []), *([f"--chart {self.chart.value}"] if self.chart else [])]
        )  # fmt: skip
        if self.question and not self.question.startswith("--"):
            raise ValueError("`by`, `where`, `top` and `chart` change the last answer: say them in the question, or send them alone")
        object.__setattr__(self, "question", options)  # the value is frozen from here on
        return self


def _quoted(text: str) -> str:
    return f'"{text}"' if any(sign.isspace() for sign in text) else text
