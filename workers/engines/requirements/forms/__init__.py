"""Forms of requirements that are read sentence by sentence. A form takes all sentences, or it does not read the requirement."""

from collections.abc import Callable, Sequence

from contracts.tables import TableDetail
from workers.engines.requirements.facts import RequirementReading
from workers.engines.requirements.forms.history import read_history
from workers.engines.requirements.forms.last_state import read_last_state
from workers.engines.requirements.forms.rows_of import read_rows_of

Form = Callable[[str, Sequence[TableDetail]], RequirementReading | None]

FORMS: tuple[Form, ...] = (read_history, read_last_state, read_rows_of)
"""In the order in which they are tried; each returns None for a requirement of another form."""
