"""What an evaluation of `etl` can be asked for."""

from pathlib import Path

from pydantic import Field

from contracts.base import Contract


class EtlEvaluation(Contract):
    """Options of `bullpen eval etl`."""

    data: Path = Field(default=Path("../shared/data"), description="Folder of the evaluation data: it holds `etl`.")
    only: str | None = Field(default=None, description="Read only the requirements whose ids begin so.")
