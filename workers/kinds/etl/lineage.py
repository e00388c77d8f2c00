"""Where the tables and columns of a package come from, as graphs."""

from collections.abc import Iterator, Sequence

from contracts.drawings import MOST_NODES, Graph, Node
from contracts.pipelines.script import SqlScript
from contracts.statements import name, names, say, term
from workers.saying.document import Block, Heading, Paragraph, Tone

MOST_COLUMNS = 60
"""Boxes of a graph of columns. A wider table is left to the table of its columns, which can be read line by line."""


def lineage_section(scripts: Sequence[SqlScript], target: str) -> Iterator[Block]:
    """The graphs under their heading; nothing without any."""
    blocks = tuple(lineage_shown(scripts, target))
    if blocks:
        yield Heading(text=term("etl.heading.lineage"))
        yield from blocks


def lineage_shown(scripts: Sequence[SqlScript], target: str) -> Iterator[Block]:
    """The tables that the scripts read and leave; then the columns, where they are few enough for a drawing."""
    tables = table_graph(scripts, target)
    if tables is None:
        return
    yield tables
    columns = column_graph(scripts, target)
    if columns is not None:
        yield columns
    constants = [item.column for script in scripts if script.target == target for item in script.lineage if not item.origins]
    if constants:
        yield Paragraph(text=say("etl.lineage.constants", columns=names(constants)), tone=Tone.DIM)


def table_graph(scripts: Sequence[SqlScript], target: str) -> Graph | None:
    """Each table with the job that makes it; None where there is nothing to draw, or too much."""
    made = {script.target: script.job for script in scripts}
    edges = [(table, script.target) for script in scripts for table in script.reads if table != script.target]
    names = list(dict.fromkeys([*(table for edge in edges for table in edge), *made]))
    if not edges or len(names) > MOST_NODES:
        return None
    nodes = tuple(
        Node(
            id=table,
            label=name(table),
            note=say("etl.lineage.made_by", job=name(made[table])) if table in made else term("etl.lineage.read"),
            is_marked=table == target,
        )
        for table in names
    )
    return Graph(title=term("etl.lineage.tables"), nodes=nodes, edges=tuple(dict.fromkeys(edges)))


def column_graph(scripts: Sequence[SqlScript], target: str) -> Graph | None:
    """The columns of the target, and those of other tables that they are computed from."""
    edges = [
        ((table, column), (script.target, item.column)) for script in scripts for item in script.lineage for table, column in item.origins
    ]
    places = list(dict.fromkeys(place for edge in edges for place in edge))
    if not edges or len(places) > MOST_COLUMNS:
        return None
    nodes = tuple(Node(id=f"{table}.{column}", label=name(column), note=name(table), is_marked=table == target) for table, column in places)
    drawn = tuple(dict.fromkeys((".".join(origin), ".".join(result)) for origin, result in edges if origin != result))
    return Graph(title=term("etl.lineage.columns"), nodes=nodes, edges=drawn)
