"""What an operator may edit in the stages of a `tune` job."""

from typing import Annotated

from pydantic import Field

from contracts.base import Contract, Text

ArtefactName = Annotated[Text, Field(min_length=1, max_length=1_000)]


class EvidenceEdit(Contract):
    """An edit of the stage `evidence`."""

    read: tuple[ArtefactName, ...] = Field(default=(), max_length=20)
    """Names of files of the bundle that are read as well, as the stage `bundle` lists them."""
