"""`per month` where it is open which time is meant: of the rows that are grouped, or of others that are added up beside them."""

from collections.abc import Iterator

from contracts.pipelines.expressions import Call, Function
from workers.engines.requirements.prose.draft import Draft
from workers.engines.requirements.prose.schema import Schema
from workers.engines.sql.build_values import TEMPORAL


def doubtful_times(draft: Draft, text: str, schema: Schema) -> Iterator[str]:
    """The columns that are a unit of a time of the base, where the text names neither that time nor the base, and a table with times of its
    own is added up too."""
    if draft.base is None or not draft.is_grouped:
        return
    own = draft.base.base.full_name
    others = [measure.rows.table for measure in draft.measures.values() if measure.rows.table.full_name != own]
    if not any(TEMPORAL.search(column.type) for table in others for column in table.columns):
        return
    moment = draft.base.moment()
    if moment is None or moment.name.lower() in text.lower() or schema.names(text, draft.base.base):
        return
    for label, value in draft.keys.items():
        if isinstance(value, Call) and value.function in (Function.CUT, Function.PART) and value.arguments[0] == moment:
            yield label
