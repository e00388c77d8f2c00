"""The options of `bullpen eval sql`."""

from pathlib import Path

from pydantic import BaseModel, Field


class SqlEvaluation(BaseModel):
    """What is measured, on which cases."""

    data: Path = Field(description="A folder with the sets of cases: fix_sql, nl2sql, etl.")
    only: str | None = Field(default=None, description="Only these measurements, separated by commas.")
    details: Path | None = Field(default=None, description="Write every case's outcome here, as JSON lines.")
