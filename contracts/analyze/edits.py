"""What an operator may edit in the stages of an `analyze` job."""

from contracts.base import Contract, Json


class ActEdit(Contract):
    """An edit of a stage `act/n`."""

    arguments: Json = {}
    """Arguments of the tool that the step calls; each takes the place of the procedure's own."""
    params: Json = {}
    """Values of a form that the step would ask the user for."""
