"""YAML that people wrote, read within bounds: no aliases, since a short text with them may stand for a huge value, and one error."""

from typing import Any

import yaml

FAULTS = (yaml.YAMLError, RecursionError, ValueError, LookupError, AttributeError)
"""What PyYAML raises: its constructors of numbers and times take it for granted that a value with their tag looks like one."""


class NotYaml(ValueError):
    """The text is not YAML as it is read here."""

    def __init__(self, reason: str, *, has_alias: bool = False) -> None:
        super().__init__(reason)
        self.has_alias = has_alias


class Loader(yaml.SafeLoader):
    """Refuses an alias where it meets one, and so never reads on to the end of a text that it cannot read."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        """Raises `NotYaml` for an alias."""
        if self.check_event(yaml.AliasEvent):
            raise NotYaml("alias", has_alias=True)
        return super().compose_node(parent, index)


def load(text: str, loader: type[Loader] = Loader) -> Any:
    """The value. Raises `NotYaml`."""
    try:
        return yaml.load(text, Loader=loader)  # noqa: S506 a safe loader
    except NotYaml:
        raise
    except FAULTS as error:
        raise NotYaml(" ".join(str(error).split())[:200]) from None
