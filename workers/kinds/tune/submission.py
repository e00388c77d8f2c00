"""A `tune` request as it is submitted: its language has to be a language that reports can be shown in."""

from pydantic import field_validator

from contracts.tune.request import TuneRequest
from workers.saying import check_language


class TuneSubmission(TuneRequest):
    """A slow big-data job, as its user brings it."""

    @field_validator("language")
    @classmethod
    def _has_a_catalogue(cls, value: str | None) -> str | None:
        return None if value is None else check_language(value)
