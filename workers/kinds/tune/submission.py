"""A `tune` request as it is submitted: its language has to be a language that reports can be shown in."""

from typing import Self

from pydantic import field_validator, model_validator

from contracts.tune.request import TuneRequest
from workers.saying import check_language

MOST_WORDS = 20_000
"""Characters of a description beside files."""

NO_FILES = "Name files in bundle, or give the text of an EXPLAIN plan, a script or a log as description"


class TuneSubmission(TuneRequest):
    """A slow big-data job, as its user brings it."""

    @field_validator("language")
    @classmethod
    def _has_a_catalogue(cls, value: str | None) -> str | None:
        return None if value is None else check_language(value)

    @model_validator(mode="after")
    def _has_files_or_their_text(self) -> Self:
        from workers.kinds.tune.opening import PASTED, is_artefact  # reads files: a program that only names this contract needs none

        if self.bundle:
            if len(self.description) > MOST_WORDS:
                raise ValueError(f"description: at most {MOST_WORDS} characters beside files")
        elif not is_artefact(PASTED, self.description.encode()):
            raise ValueError(NO_FILES)
        return self
