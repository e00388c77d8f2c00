"""A range as a line of characters: `  ─██┃█───`."""

from contracts.drawings import Range


def bar_of(row: Range, low: float, high: float, cells: int) -> str:
    """The range on a scale from `low` to `high` in this many cells, without what is behind its end."""
    if cells <= 0:
        return ""

    def cell(value: float) -> int:
        return min(cells - 1, max(0, int((value - low) / (high - low) * cells)))

    least, greatest = row.ends
    drawn = [" "] * cells
    for place in range(cell(least), cell(greatest) + 1):
        drawn[place] = "─"
    for place in range(cell(row.low), cell(row.high) + 1):
        drawn[place] = "█"
    if row.middle is not None:
        drawn[cell(row.middle)] = "┃"
    return "".join(drawn).rstrip()
