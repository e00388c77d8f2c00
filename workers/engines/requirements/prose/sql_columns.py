"""Columns that are defined in SQL: `sum(fee) / count(distinct patient_id)`, `count(*) filter (where state = 'paid')`."""

from dataclasses import replace

from sqlglot import exp

from contracts.pipelines.expressions import ColumnOf, Constant, Expression, Function, columns_in
from contracts.statements import name, say
from contracts.tables import TableDetail
from workers.engines.requirements.prose.computed import ComputedColumns
from workers.engines.requirements.prose.draft import RESULT, Draft, Later, Measure, Rows
from workers.engines.requirements.prose.sql_phrases import SqlPhrase, has_aggregate, has_division, is_test, parsed, without_zero
from workers.engines.requirements.prose.worded_cases import cases_of

_State = tuple[dict[str, Expression], dict[str, Measure], dict[str, Later]]


class SqlColumns(ComputedColumns):
    """Reads such definitions."""

    def _in_sql(self, label: str, text: str) -> bool:
        """A definition in SQL: `sum(fee) / count(distinct patient_id)`. Names within an aggregate are those of its rows, others those of
        the target's columns, else of the row itself."""
        tree = parsed(text)
        if tree is None:
            return False
        draft = self.draft
        facts = self.phrases.facts(draft.entity, self._base) if draft.is_grouped or draft.entity is not None else ()
        before = _state(draft)
        made: list[_State] = []
        for table in facts or (None,):
            _restore(draft, before)
            if self._sql_column(label, tree, table):
                made.append(_state(draft))
        if not made or (len(made) > 1 and has_aggregate(tree)):
            _restore(draft, before)
            return False
        _restore(draft, made[0])
        if has_division(tree):
            draft.assumptions.append(say("requirements.assume.division", column=name(label)))
        return True

    def _in_cases(self, label: str, text: str) -> bool:
        """`gold if spent > 1500, otherwise basic`, over columns that have a definition, or of the row itself."""

        def test(words: str) -> Expression | None:
            tree = parsed(words)
            return SqlPhrase(self._name).read(tree) if tree is not None and is_test(tree) and not has_aggregate(tree) else None

        value = cases_of(text, test, lambda word: self._name(word) is not None)
        if value is not None:
            self.draft.later[label] = value
        return value is not None

    def _name(self, word: str) -> ColumnOf | None:
        return self._ref(word) or self._of_row(word)

    def _sql_column(self, label: str, tree: exp.Expr, table: TableDetail | None) -> bool:
        """Define the column by an expression whose aggregates are of rows of a table."""
        draft = self.draft

        def aggregate(function: Function, value: Expression | None, test: Expression | None) -> Expression | None:
            if table is None or not (value is None or columns_in(value) or function is Function.COUNT):
                return None
            return self._hidden(Measure(Rows(table, (test,) if test is not None else ()), function, value))

        def nothing(_: str) -> Expression | None:
            return None

        inner = self.phrases.scope(table).column if table is not None else nothing
        bound = self.phrases.values(table).bound if table is not None else None
        reader = SqlPhrase(self._name, bound, aggregate, inner)
        plain_, is_zero = without_zero(tree)
        value = reader.read(plain_)
        if value is None or isinstance(value, Constant):
            return False
        if isinstance(value, ColumnOf) and value.step == RESULT and value.name in draft.measures and value.name not in draft.order:
            draft.measures[label] = replace(draft.measures.pop(value.name), is_zero=is_zero)
        elif is_zero:
            return False
        else:
            draft.later[label] = value
        return True


def _state(draft: Draft) -> _State:
    """What reading a column may change."""
    return dict(draft.keys), dict(draft.measures), dict(draft.later)


def _restore(draft: Draft, state: _State) -> None:
    draft.keys, draft.measures, draft.later = dict(state[0]), dict(state[1]), dict(state[2])
