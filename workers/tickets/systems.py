"""The system that a ticket is about, as its metadata names it: a product, a component, a host."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

SYSTEM = (
    *("system", "product", "db_type", "database_type", "engine", "platform", "technology"),
    *("component", "components", "service", "application", "app", "系统", "产品", "数据库类型", "组件", "应用"),
)
HOST = (
    *("configuration_item", "ci", "cmdb_ci", "host", "hostname", "server", "cluster", "instance", "database", "db"),
    *("labels", "tags", "配置项", "主机", "集群", "实例", "数据库", "标签"),
)
"""Keys of metadata, the most direct first; spaces and dashes count as `_`."""

_MOST = 8
_MOST_CHARACTERS = 60
_SEPARATORS = ",;|"


def names_system(key: str) -> bool:
    """Whether a key of metadata says the system."""
    return _plain(key) in SYSTEM


def names_in(metadata: Mapping[str, Any], keys: Sequence[str]) -> tuple[str, ...]:
    """The names under these keys, in their order, at most eight."""
    plain = {_plain(key): value for key, value in metadata.items()}
    return tuple(dict.fromkeys(text for key in keys for text in _texts(plain.get(key))))[:_MOST]


def _plain(key: str) -> str:
    return key.strip().casefold().replace(" ", "_").replace("-", "_")


def _texts(value: object) -> Iterator[str]:
    """The names in a value: a text, or a list of texts; a text may list several."""
    if isinstance(value, list | tuple):
        for part in value:  # pyright: ignore[reportUnknownVariableType] JSON
            yield from _texts(part)  # pyright: ignore[reportUnknownArgumentType]
    elif isinstance(value, str):
        text = value
        for mark in _SEPARATORS[1:]:
            text = text.replace(mark, _SEPARATORS[0])
        yield from (part.strip() for part in text.split(_SEPARATORS[0]) if 0 < len(part.strip()) <= _MOST_CHARACTERS)
