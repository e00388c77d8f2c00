"""What users call things: the definitions of terms and metrics of a source, and their other names for tables and columns."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import psycopg

from contracts.base import Json
from workers.blackboard.engine import Row
from workers.catalogue.access import Access
from workers.catalogue.chosen import choices_of
from workers.catalogue.nodes import DEFINED, FURTHER, form_of, in_order_of_belief
from workers.engines.definitions.definition import NONE, Definition, by_words, is_chosen_among
from workers.engines.questions.names import Phrase, phrase_of

Connection = psycopg.Connection[Row]

_MOST = 2_000
"""Terms and metrics of a source that are read; the rest by name is left out."""


@dataclass(frozen=True)
class Terms:
    """The words of a business."""

    definitions: tuple[Definition, ...] = ()
    """All that is said of metrics and terms, by each origin, in an order that stays the same. What the owner chose and what users defined
    is settled."""
    synonyms: Mapping[str, tuple[str, ...]] | None = None
    """Full name of a table, or of `table.column`, and the terms that stand for it."""

    @property
    def believed(self) -> tuple[Definition, ...]:
        """The definitions without those of words that are settled otherwise."""
        settled = {phrase for each in self.definitions if each.is_settled for phrase in _phrases(each)}
        return tuple(each for each in self.definitions if each.is_settled or not set(_phrases(each)) <= settled)


def read_terms(connection: Connection, access: Access, source: str, *, chosen_by: str | None = None) -> Terms:
    """The terms of a source and of all sources. A term that is tied to a column, or without a definition to a table, is another name
    of it. `chosen_by`: whose choices among definitions count, where it is not the owner whose view it is."""
    if not access.sees(source):
        return Terms()
    rows = connection.execute(
        "SELECT node_id, kind, source, key, content, given FROM catalogue_nodes WHERE kind IN ('term', 'metric') "
        "AND source IN (%(source)s, '') AND gone_at IS NULL ORDER BY source DESC, kind, key, node_id LIMIT %(most)s",
        {"source": source, "most": _MOST},
    ).fetchall()
    contents: dict[str, Json] = {row["node_id"]: row["content"] for row in rows}
    tied = connection.execute(
        """
        SELECT e.from_id, n.key, n.kind FROM catalogue_edges e JOIN catalogue_nodes n ON n.node_id = e.to_id AND n.gone_at IS NULL
        WHERE e.kind = 'synonym' AND e.from_id = ANY(%(ids)s) AND n.source = %(source)s ORDER BY n.key, e.from_id
        """,
        {"ids": list(contents), "source": source},
    ).fetchall()
    synonyms: defaultdict[str, list[str]] = defaultdict(list)
    for row in tied:
        content = contents[row["from_id"]]
        if row["kind"] == "table" and str(content.get("description") or ""):
            continue  # what is defined, such as the value of all orders, is not the table of the orders
        synonyms[row["key"]] += _names(content)
    definitions = [each for row in rows for each in _definitions(row)]
    chosen = list(_chosen(rows, definitions, chosen_by or access.owner))
    return Terms((*chosen, *definitions), {name: tuple(dict.fromkeys(words)) for name, words in synonyms.items()})


def _chosen(rows: list[Row], definitions: list[Definition], owner: str | None) -> Iterator[Definition]:
    """What the owner chose that words mean, as long as the words are defined as they were then."""
    choices = {digest: meaning for row in rows for digest, meaning in choices_of(row["given"], owner).items()}
    words: dict[Phrase, list[Definition]] = by_words(definitions) if choices else {}
    nearest = sorted(choices.items(), key=lambda item: (len(item[0]), item[0]))
    found: dict[Definition, list[str]] = {}
    for phrase, given in words.items():
        meaning = next((meaning for digest, meaning in nearest if is_chosen_among(given, digest)), None)
        if meaning is not None and not any(each.is_settled for each in given):
            first = Definition("", unit=given[0].unit, place=given[0].place, is_settled=True)
            made = replace(first, formula=meaning.formula, restriction=meaning.restriction or NONE)
            found.setdefault(made, []).append(next(name for name in _all_names(given[0]) if phrase_of(name) == phrase))
    for made, names in found.items():
        yield replace(made, name=names[0], others=tuple(names[1:]))


def _phrases(definition: Definition) -> list[Phrase]:
    return [phrase_of(name) for name in _all_names(definition)]


def _all_names(definition: Definition) -> tuple[str, ...]:
    return definition.name, *definition.others


def _names(content: Json) -> list[str]:
    return [name for name in (content.get("name", ""), *content.get("synonyms", ())) if name]


def _definitions(row: Row) -> Iterator[Definition]:
    """What each origin says of a metric or term, under all of its names. What users defined is alone believed."""
    content, given = row["content"], row["given"]
    names = _names(content)
    defined = [origin for origin in given if form_of(origin) == DEFINED]
    found: dict[Definition, None] = {}
    for origin in in_order_of_belief(defined or given) if names else ():
        first: Json = given[origin]
        for says in (first, *first.get(FURTHER, ())):
            formula, restriction, description = (str(says.get(part) or "").strip() for part in ("formula", "restriction", "description"))
            if not (formula or description):
                continue
            made = Definition(
                names[0], tuple(names[1:]), formula, restriction, description, str(content.get("unit") or ""),
                str(content.get("grain") or ""), str(content.get("owner") or ""), place_of(row["source"], row["key"]), bool(defined),
            )  # fmt: skip
            found[made] = None
    yield from found


def place_of(source: str, key: str) -> str:
    """The address of a metric or term in the catalogue: `shop.revenue`."""
    return f"{source}.{key}" if source else key
