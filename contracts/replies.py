"""What the user was asked within a job, and answered."""

from contracts.base import Contract, Text


class Reply(Contract):
    """A question to the user in this job, and the answer to it, verbatim."""

    question: Text
    choices: tuple[Text, ...] = ()
    reply: Text
