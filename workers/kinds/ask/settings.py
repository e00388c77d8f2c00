"""Settings of `ask`."""

from pydantic import Field

from contracts.ask.request import Strategy
from workers.settings import FromEnvironment


class AskSettings(FromEnvironment):
    """How a deployment answers questions if a request does not say it."""

    ask_strategy: Strategy = Field(
        default=Strategy.DIRECT,
        description="`direct`: a read-only statement runs at once, and the answer shows how the question was understood. `confirm`: the "
        "statement is shown first. A request may say otherwise.",
    )
    ask_sample_rows: int = Field(
        default=3,
        ge=0,
        le=20,
        description="Rows of each table that a model is shown beside its columns, as the owner may see them; `0`: none.",
    )
