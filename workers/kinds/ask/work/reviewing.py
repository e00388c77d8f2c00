"""What the review finds in a statement, with the rows on which it shows."""

from collections.abc import Sequence

from contracts.sql_review import SqlReview
from contracts.tables import TableDetail
from workers.engines.sql.review import review
from workers.engines.sql.sandbox import open_sandbox
from workers.engines.sql.trees import NotParsed

NOTHING = SqlReview(findings=())


def reviewed(sql: str, tables: Sequence[TableDetail], dialect: str, question: str = "", *, only_blockers: bool = False) -> SqlReview:
    """The findings. A blocker has a counterexample that was run in the sandbox, on made-up rows; the data are not read."""
    if not sql:
        return NOTHING
    try:
        with open_sandbox() as sandbox:
            found = review(sql, tables, dialect, sandbox, requirement=question)
    except NotParsed:
        return NOTHING
    return found.model_copy(update={"findings": found.blockers}) if only_blockers else found
