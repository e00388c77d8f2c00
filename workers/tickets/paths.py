"""Paths into nested records of any form.

`a.b` goes through objects and through every element of a list, `a[key=value].b` through the elements with that value, `a[0].b` through one
(`a[-1]`: the last). A key may hold a dot: the longest key that fits is taken.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, cast

from contracts.base import Json
from workers.tickets.mapping import WHOLE
from workers.tickets.records import texts_of

KEY = "(key)"
"""The field of a record that says under which key an object holds it."""
_DEEPEST = 12
_MOST_LABELS = 60
"""Different values of a key that distinguishes the elements of a list."""


def records_at(document: object, path: str, wanted: Collection[str] = ()) -> list[Json]:
    """The objects at a path: those of a list, those that an object holds by their ids (see `KEY`), or the one that is there. `wanted`: the
    paths that somebody names in a record; an object that has one of them is a record itself."""
    found = [document] if path == WHOLE else list(_reach(document, path, 0))
    items = [
        item for value in found for item in (cast("list[Any]", value) if isinstance(value, list) else _by_id(value, wanted) or [value])
    ]
    return [cast("Json", item) for item in items if isinstance(item, Mapping)]


def _by_id(value: object, wanted: Collection[str] = ()) -> list[Json]:
    """The objects that an object holds under their ids, each with its id. Objects under names of fields have no field in common, or are
    wanted."""
    held = cast("Json", value) if isinstance(value, Mapping) else {}
    objects = [cast("Json", item) for item in held.values() if isinstance(item, Mapping)]
    if len(objects) < 2 or len(objects) < len(held) or not set.intersection(*(set(each) for each in objects)):
        return []
    if KEY not in wanted and any(values_at(held, place) for path in wanted for place in (path, path.rpartition("#")[0]) if place):
        return []
    return [{KEY: key, **each} for key, each in zip(held, objects, strict=True)]


def values_at(record: Json, path: str) -> list[str]:
    """The texts at a path, one for each element of a list of objects."""
    return [text for value in _reach(record, path, 0) for text in _texts(value) if text.strip()]


def lists_in(document: object) -> list[tuple[str, int]]:
    """Where the records may be: the lists of objects that objects alone are around, each with its path and length; where there is no list,
    the objects that hold objects by their ids."""
    return list(_lists_in(document, "", 0)) or list(_held_in(document, "", 0))


def _held_in(document: object, path: str, depth: int) -> Iterator[tuple[str, int]]:
    if held := _by_id(document):
        yield path or WHOLE, len(held)
    elif isinstance(document, Mapping) and depth < _DEEPEST:
        for key, inner in cast("Json", document).items():
            yield from _held_in(inner, _below(path, key), depth + 1)


def _lists_in(document: object, path: str, depth: int) -> Iterator[tuple[str, int]]:
    if isinstance(document, list):
        number = sum(isinstance(item, Mapping) for item in cast("list[object]", document))
        if number:
            yield path or WHOLE, number
    elif isinstance(document, Mapping) and depth < _DEEPEST:
        for key, inner in cast("Json", document).items():
            yield from _lists_in(inner, _below(path, key), depth + 1)


def leaves(record: Json, labels: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Each text of a record with its path. `labels`: of a list by its path, the key that distinguishes its elements (see `labels_of`)."""
    return _leaves(record, "", labels, 0)


def labels_of(records: Collection[Json]) -> dict[str, str]:
    """The lists in records whose elements a key distinguishes, as custom fields by their name: its values are texts, each at most once
    in a list, and they come again from record to record."""
    lists: dict[str, list[list[Json]]] = {}
    for record in records:
        _collect(record, "", lists, 0)
    return {path: key for path, some in lists.items() if (key := _label(some)) is not None}


def _label(lists: list[list[Json]]) -> str | None:
    """The key with the fewest values, of those that distinguish the elements of each list; None: there is none."""
    items = [item for some in lists for item in some]
    longest = max(map(len, lists))
    if longest <= 1:
        return None
    best, fewest = None, _MOST_LABELS + 1
    for key in items[0]:
        values = [[item.get(key) for item in some] for some in lists]
        flat = [value for some in values for value in some]
        if not all(isinstance(value, str) and value and not value.isdecimal() for value in flat):
            continue
        distinct = len(set(flat))
        comes_again = distinct * 2 <= max(len(flat), longest * 3)
        if distinct < fewest and comes_again and all(len(set(some)) == len(some) for some in values):
            best, fewest = key, distinct
    return best


def _collect(value: object, path: str, lists: dict[str, list[list[Json]]], depth: int) -> None:
    if depth > _DEEPEST:
        return
    if isinstance(value, Mapping):
        for key, inner in cast("Json", value).items():
            _collect(inner, _below(path, key), lists, depth + 1)
    elif isinstance(value, list):
        objects = [cast("Json", item) for item in cast("list[object]", value) if isinstance(item, Mapping)]
        if objects:
            lists.setdefault(path, []).append(objects)
        for item in objects:
            _collect(item, path, lists, depth + 1)


def _leaves(value: object, path: str, labels: Mapping[str, str], depth: int) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping) and depth < _DEEPEST and cast("Json", value).get("type") != "doc":
        for key, inner in cast("Json", value).items():
            yield from _leaves(inner, _below(path, key), labels, depth + 1)
    elif isinstance(value, list) and depth < _DEEPEST and any(isinstance(item, Mapping) for item in cast("list[object]", value)):
        label = labels.get(path)
        for item in (cast("Json", item) for item in cast("list[object]", value) if isinstance(item, Mapping)):
            if label is None:
                yield from _leaves(item, path, labels, depth + 1)
            else:
                rest = {key: inner for key, inner in item.items() if key != label}
                yield from _leaves(rest, f"{path}[{label.strip()}={item.get(label)}]", labels, depth + 1)
    else:
        yield from ((path, text) for text in _texts(cast("object", value)) if text.strip())


def _below(path: str, key: object) -> str:
    return f"{path}.{str(key).strip()}" if path else str(key).strip()


def _texts(value: object) -> list[str]:
    """The text of a list of words or lines is one; of anything else as elsewhere."""
    if isinstance(value, list) and not any(isinstance(item, list | Mapping) for item in cast("list[object]", value)):
        parts = [item if isinstance(item, str) else json.dumps(item) for item in cast("list[object]", value) if item is not None]
        return [("\n" if any(" " in part for part in parts) else ", ").join(parts)]
    return texts_of(value)


def _reach(value: object, path: str, depth: int) -> Iterator[Any]:
    if depth > _DEEPEST or value is None:
        return
    if not path:
        yield value
    elif isinstance(value, list) or path.startswith("["):
        chosen, rest = _chosen(cast("list[object]", value) if isinstance(value, list) else [value], path)
        for item in chosen:
            yield from _reach(item, rest, depth + 1)
    elif isinstance(value, Mapping):
        known = cast("Json", value)
        for key in sorted((key for key in known if path.startswith(key.strip())), key=len, reverse=True):
            rest = path[len(key.strip()) :]
            if not rest or rest[0] in ".[":
                found = list(_reach(known[key], rest.removeprefix("."), depth + 1))
                if found:
                    yield from found
                    return


def _chosen(items: list[object], path: str) -> tuple[Iterable[object], str]:
    """The elements that a path goes through, and its rest."""
    ends = [place for place, sign in enumerate(path) if sign == "]"] if path.startswith("[") else []
    for end in ends:
        inside, rest = path[1:end], path[end + 1 :].removeprefix(".")
        place = inside.removeprefix("-")
        if place.isascii() and place.isdecimal() and len(place) <= 6:
            number = int(inside)
            return items[number : number + 1 or None], rest
        key, sign, wanted = inside.partition("=")
        found: list[object] = [item for item in items if isinstance(item, Mapping) and sign and _is(cast("Json", item), key, wanted)]
        if found:
            return found, rest
    return ([], "") if ends else (items, path)


def _is(item: Json, key: str, wanted: str) -> bool:
    return any(text.strip() == wanted.strip() for value in _reach(item, key, 0) for text in _texts(value))
