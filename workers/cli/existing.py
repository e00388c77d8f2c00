"""SQL that somebody has already, on this machine: the options that name it, and the specification that is made of it."""

from contracts.base import Json
from contracts.existing_sql import ExistingSql
from contracts.statements import as_value, code, passage, say, sentences
from contracts.statements import name as identifier
from workers.cli.context import database
from workers.cli.forms import read_form
from workers.cli.reach.doing import do
from workers.cli.reach.remote import gateway
from workers.cli.telling import note
from workers.errors import InvalidInput
from workers.kinds.base import Specification, WrongSpec

OF_EXISTING = "SQL that you have already"
"""The heading of its options in the help."""


def existing_of(values: Json) -> ExistingSql | None:
    """What the options name; None: none of them was given. Raises `InvalidInput`."""
    given: ExistingSql = read_form(ExistingSql, {name: value for name, value in values.items() if value})
    return given if given.sql or given.dbt else None


def specified(form: Specification, own: ExistingSql, source: str | None, dialect: str | None, owner: str) -> str:
    """The text that is submitted. The files are read here, also for a gateway. Raises `InvalidInput` where something is missing."""
    name, spoken = source_of(source, owner)
    made = form.existing.load()(own, name, dialect or spoken)
    if made.lacks:
        path = own.sql or own.dbt
        again = f"bullpen spec new --sql {path}" if own.sql else f"bullpen spec new --dbt {path} --select {own.select}"
        raise InvalidInput.of(say("refused.cli.spec_lacks", path=passage(path), lacks=sentences(*made.lacks), command=code(again)))
    if gateway() is None:
        _check(form, own, made.text, (name, dialect or spoken), owner)
    for line in made.notes:
        note(line)
    return made.text


def _check(form: Specification, own: ExistingSql, text: str, source: tuple[str, str], owner: str) -> None:
    """Raise `InvalidInput` where the catalogue of the source does not fit, as `bullpen spec check` would, and not only in a job."""
    from workers.catalogue import Catalogue  # reads SQL, as below

    known = Catalogue(database(), None).tables(source[0], owner=owner)
    try:
        if known:  # of a source that nobody has imported the job says so
            form.read.load()(text, *source, known)
    except WrongSpec as wrong:
        faults = sentences(*(as_value(fault.text) for fault in wrong.faults))
        raise InvalidInput.of(say("refused.cli.spec_faulty", path=passage(own.sql or own.dbt), faults=faults)) from None


def source_of(wanted: str | None, owner: str) -> tuple[str, str]:
    """Name and dialect of the source: the one that is named, or the only one. A gateway lists those of its key. Raises `InvalidInput`."""
    from workers.engines.sql.trees import dialect_of  # reads SQL, which takes a second to import
    from workers.operations.sources import sources  # as above

    visible = {item.name: item for item in do(sources) if gateway() is not None or item.is_open_to(owner)}
    if wanted is None and len(visible) == 1:
        wanted = next(iter(visible))
    if wanted not in visible:
        raise InvalidInput.of(say("refused.cli.spec_source", source=identifier(wanted or "-")))
    kind = str(visible[wanted].kind)
    return wanted, dialect_of(kind) or kind
