"""Collects the operations of a script in any language, and follows the tables from one operation to the next."""

from dataclasses import dataclass, field
from typing import Any

from contracts.code import OperationKind, ScriptOperation, SettingPlace
from contracts.statements import Statement
from contracts.verdicts import ColumnRef

OPERATIONS = 2_000
TEXT_CHARS = 200


@dataclass(frozen=True)
class Flow:
    """A table as it flows through the script."""

    tables: tuple[str, ...] = ()
    last: int | None = None
    """The operation it comes from."""
    broadcast: bool = False


@dataclass(frozen=True)
class View:
    """What a name in SQL stands for: a flow, and where its columns come from as far as its query says so."""

    flow: Flow
    columns: dict[str, ColumnRef] = field(default_factory=dict[str, ColumnRef])
    """Name in lower case → the table's column, without a table if it is computed."""
    is_open: bool = True
    """It has other columns too: those of a table, or of a `*`."""

    def origin(self, column: str) -> ColumnRef | None:
        """Where a column of that name comes from; None if the view has none."""
        known = self.columns.get(column.lower())
        if known or not self.is_open:
            return known
        return ColumnRef(table=self.flow.tables[0] if len(self.flow.tables) == 1 else "", column=column)


@dataclass(frozen=True)
class Spot:
    """The place of an operation in the file, and its text."""

    line: int
    column: int
    text: str


@dataclass(frozen=True)
class Loop:
    """A loop of the program."""

    line: int
    text: str
    """Its head."""


@dataclass
class Ledger:
    """What has been found in a script so far."""

    operations: list[ScriptOperation] = field(default_factory=list[ScriptOperation])
    settings: dict[str, str] = field(default_factory=dict[str, str])
    setting_places: dict[str, SettingPlace] = field(default_factory=dict[str, SettingPlace])
    views: dict[str, View] = field(default_factory=dict[str, View])
    """Temporary views by name in lower case: what links a program's tables with its SQL."""
    loop: Loop | None = None
    """That is being read."""
    unread: list[Statement] = field(default_factory=list[Statement])
    """Parts of the script that could not be read: why, and in which line."""

    def add(self, kind: OperationKind, spot: Spot, *flows: Flow, tables: tuple[str, ...] = (), **details: Any) -> Flow:
        """Note an operation on these flows, and what flows out of it. Beyond the bound nothing is noted."""
        all_tables = tuple(dict.fromkeys([*(name for flow in flows for name in flow.tables), *tables]))
        inputs = tuple(flow.last for flow in flows if flow.last is not None)
        if len(self.operations) >= OPERATIONS:
            return Flow(all_tables, inputs[0] if inputs else None)
        number = len(self.operations)
        self.operations.append(
            ScriptOperation(
                number=number,
                kind=kind,
                line=spot.line,
                column=spot.column,
                text=spot.text[:TEXT_CHARS],
                tables=all_tables,
                is_broadcast=details.pop("is_broadcast", False) or any(flow.broadcast for flow in flows),
                inputs=inputs,
                loop_line=self.loop.line if self.loop else None,
                loop_text=self.loop.text[:TEXT_CHARS] if self.loop else "",
                **details,
            )
        )
        return Flow(all_tables, number)

    def repeat(self, numbers: range) -> None:
        """Note that the loop that is being read makes these operations too: those of a function that it calls."""
        if self.loop is None:
            return
        declared = {"loop_line": self.loop.line, "loop_text": self.loop.text[:TEXT_CHARS]}
        for number in numbers:
            if self.operations[number].loop_line is None:
                self.operations[number] = self.operations[number].model_copy(update=declared)

    def set(self, key: str, value: str, line: int) -> None:
        """Note a setting of Spark, and the line that names it. Other settings are ignored."""
        if key.startswith("spark."):
            self.settings[key[:TEXT_CHARS]] = value[:TEXT_CHARS]
            self.setting_places[key[:TEXT_CHARS]] = SettingPlace(line=line)
