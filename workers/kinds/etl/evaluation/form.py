"""What an evaluation of `etl` can be asked for."""

from pathlib import Path

from pydantic import Field

from contracts.base import Contract
from contracts.jobs import EngineChoice
from contracts.statements import LanguageCode


class EtlEvaluation(Contract):
    """Options of `bullpen eval etl`."""

    cases: Path = Field(
        description="Folder with `requirements.yaml`: a list of `id`, `gold` (the query that gives the right rows), and `says` (a "
        "requirement) or `spec` (a specification). `schema.sql` makes the tables; without it they are those of the sample shop."
    )
    engine: EngineChoice = Field(
        default=EngineChoice.RULES,
        description="Who reads what is no specification and not in the closed form: nobody (rules), or a model (auto). llm: the model "
        "reads every requirement.",
    )
    language: LanguageCode | None = Field(default=None, description="Read only the requirements in this language: en or zh.")
    only: str | None = Field(default=None, description="Read only the requirements whose ids begin with this.")
    sample: int | None = Field(default=None, ge=1, description="Read only this many of them, drawn by `--seed`.")
    seed: int = Field(default=0, description="Which of them `--sample` draws.")
