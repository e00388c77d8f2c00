"""What an evaluation of `etl` can be asked for."""

from pathlib import Path

from pydantic import Field

from contracts.base import Contract


class EtlEvaluation(Contract):
    """Options of `bullpen eval etl`."""

    data: Path | None = Field(
        default=None, description="Folder of evaluation data: it holds `etl`. Without it only our own requirements are read."
    )
    only: str | None = Field(default=None, description="Read only the requirements whose ids begin so.")
