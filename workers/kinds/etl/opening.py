"""What a newcomer can type: a table of counts over the tables that there are; and what a pasted text is."""

from contracts.statements import Shown, term
from workers.blackboard.engine import Database
from workers.catalogue import Catalogue
from workers.engines.requirements import closed_form
from workers.kinds.etl.rules.answers import is_specification
from workers.sources import list_sources

MOST = 2
MOST_VALUES = 12
MOST_TEXT = 50_000


def is_ours(name: str, head: bytes) -> Shown | None:
    """A specification, or a requirement in the closed form; None: something else."""
    del name
    text = head.decode("utf-8", "replace")
    if is_specification(text):
        return term("etl.opening.specification")
    return term("etl.opening.closed") if len(text) <= MOST_TEXT and closed_form(text) is not None else None


def examples(db: Database, owner: str, language: str) -> tuple[str, ...]:
    """Requirements in the closed form, over the owner's own tables; over the sample's where there are no others."""
    del language  # the closed form reads both; names of tables are what they are
    visible = [source for source in list_sources(db) if source.is_open_to(owner)]
    for source in sorted(visible, key=lambda source: source.sample):
        found: list[str] = []
        for table in sorted(Catalogue(db, None).tables(source.name, owner=owner), key=lambda table: -(table.rows or 0)):
            column = next((item.name for item in table.columns if 1 < len(item.values) <= MOST_VALUES), None)
            text = f"Build {table.name}_by_{column}: number of {table.name} per {column}"
            if column is not None and closed_form(text) is not None:
                found.append(text)
        if found:
            return tuple(found[:MOST])
    return ()
