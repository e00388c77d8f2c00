"""Columns that are defined in SQL: `sum(fee) / count(distinct patient_id)`, `count(*) filter (where state = 'paid')`."""

from dataclasses import replace

from sqlglot import exp

from contracts.pipelines.analysis import WindowColumn
from contracts.pipelines.expressions import Call, ColumnOf, Constant, Expression, Function, Sorting, columns_in
from contracts.statements import name, say
from contracts.tables import TableDetail
from workers.engines.requirements.prose.computed import ComputedColumns
from workers.engines.requirements.prose.draft import RESULT, Draft, Later, Measure, Rows, Window
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
        made: list[tuple[TableDetail | None, _State]] = []
        for table in facts or (None,):
            _restore(draft, before)
            if self._sql_column(label, tree, table):
                made.append((table, _state(draft)))
        if len(made) > 1 and has_aggregate(tree):
            named = {column.table.lower() for column in tree.find_all(exp.Column)}
            made = [item for item in made if item[0] is not None and item[0].name.lower() in named] or [
                item for item in made if item[0] is not None and _is_of(item[0], item[1], before)
            ]  # what is behind the rows of another table would be repeated
        if not made or (len(made) > 1 and has_aggregate(tree)):
            _restore(draft, before)
            return False
        _restore(draft, made[0][1])
        if has_division(tree):
            draft.assumptions.append(say("requirements.assume.division", column=name(label)))
        return True

    def _in_cases(self, label: str, text: str) -> bool:
        """`gold if spent > 1500, otherwise basic`, over columns that have a definition, or of the row itself."""

        def test(words: str) -> Expression | None:
            tree = parsed(words)
            in_sql = SqlPhrase(self._name).read(tree) if tree is not None and is_test(tree) and not has_aggregate(tree) else None
            return in_sql or self._test_of_row(words)

        value = cases_of(text, test, lambda word: self._name(word) is not None)
        if value is not None:
            self.draft.later[label] = value
        return value is not None

    def _in_order(self, column: WindowColumn) -> WindowColumn:
        """Among equal values the key decides, so that a second run gives the same. Ranks give equal values the same place."""
        draft = self.draft
        table = draft.entity or (draft.base.base if draft.base is not None and not draft.is_grouped else None)
        call = column.value
        if table is None or not isinstance(call, Call) or call.function not in (Function.ROW_NUMBER, Function.LAG, Function.LEAD):
            return column
        known = [item.value for item in column.order_by]
        keys = [self._hidden_key(ColumnOf(step=table.name, name=key)) for key in table.primary_key]
        return column.model_copy(update={"order_by": (*column.order_by, *(Sorting(value=key) for key in keys if key not in known))})

    def _test_of_row(self, words: str) -> Expression | None:
        """A condition in words on the row itself."""
        draft = self.draft
        table = draft.entity or (draft.base.base if draft.base is not None and not draft.is_grouped else None)
        condition = self.phrases.values(table).condition(words) if table is not None else None
        return self._over_hidden(condition) if condition is not None else None

    def _over_hidden(self, value: Expression) -> Expression:
        """The expression with columns of the row as columns that are computed with, and not shown."""
        if isinstance(value, ColumnOf):
            return self._hidden_key(value)
        if isinstance(value, Call):
            return value.model_copy(update={"arguments": tuple(map(self._over_hidden, value.arguments))})
        return value

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
        reader = SqlPhrase(self._name, bound, aggregate, inner, lambda column: self._hidden(Window(self._in_order(column))))
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


def _is_of(table: TableDetail, made: _State, before: _State) -> bool:
    """Whether each new aggregate uses a column of the table itself."""
    new = [measure for label, measure in made[1].items() if label not in before[1]]
    return bool(new) and all(
        any(column.step == table.name for item in (measure.value, *measure.rows.where) if item is not None for column in columns_in(item))
        for measure in new
    )


def _state(draft: Draft) -> _State:
    """What reading a column may change."""
    return dict(draft.keys), dict(draft.measures), dict(draft.later)


def _restore(draft: Draft, state: _State) -> None:
    draft.keys, draft.measures, draft.later = dict(state[0]), dict(state[1]), dict(state[2])
