"""The figures of an evaluation as a terminal shows them."""

from collections.abc import Callable, Mapping

from rich.table import Table


def rounded(value: float) -> str:
    """A count whole, anything else with three digits."""
    return f"{value:.0f}" if value == int(value) and value > 1 else f"{value:.3f}"


def shortest(value: float) -> str:
    """As many digits as it needs, six at most."""
    return f"{value:g}"


def figures_table(figures: Mapping[str, float], written: Callable[[float], str] = rounded, *, gap: int = 2) -> Table:
    """Each figure by its name. `gap`: cells between the columns."""
    table = Table("figure", "value", box=None, padding=(0, 1) if gap == 1 else (0, gap, 0, 0))
    for name, value in figures.items():
        table.add_row(name, written(value))
    return table
