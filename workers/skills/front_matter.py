"""The YAML between the two `---` lines at the beginning of a `SKILL.md`: plain names and texts, no YAML tags or aliases."""

from typing import Annotated, Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from contracts.base import Text
from workers.skills.files import Unusable

_MAX_CHARACTERS = 16_000

Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$", max_length=60)]
"""Name of a pack, which is also its folder's name, or of a piece of experience under its heading."""


class FrontMatter(BaseModel):
    """The description of a pack. Unknown fields are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore", populate_by_name=True)

    name: Name
    title: Text = Field(min_length=1, max_length=200)
    description: Text = Field(default="", max_length=2_000)
    triggers: tuple[Annotated[Text, Field(max_length=200)], ...] = Field(default=(), max_length=100)
    """Words that select this pack."""
    priority: int = Field(default=0, ge=-100, le=100)
    """Among packs that match equally well, the pack with the higher priority comes first."""
    kind: Name = "analyze"
    """The kind of job that the pack is for."""
    fields: dict[str, Any] = {}
    """All fields of the front matter, for fields that only one kind of job uses."""

    @field_validator("triggers", mode="before")
    @classmethod
    def _wrap_single_text(cls, value: object) -> object:
        return [value] if isinstance(value, str) else value


class _Plain(yaml.BaseLoader):
    """Texts, and lists and mappings of texts. Aliases are refused, since a short text could expand to a huge one."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("aliases (*name) are not allowed")
        return super().compose_node(parent, index)


def read_front_matter(text: str) -> FrontMatter:
    """The front matter of a `SKILL.md`. Raises `Unusable` with the reason."""
    lines = text.split("\n")
    if lines[0].rstrip() != "---":
        raise Unusable("does not begin with front matter: a line `---`")
    end = next((number for number, line in enumerate(lines[1:], start=1) if line.rstrip() == "---"), None)
    if end is None:
        raise Unusable("has front matter without a closing line `---`")
    return _validated(_parse("\n".join(lines[1:end])))


def _parse(source: str) -> dict[Any, Any]:
    if len(source) > _MAX_CHARACTERS:
        raise Unusable(f"has front matter of more than {_MAX_CHARACTERS} characters")
    try:
        loader = _Plain(source)
        value: Any = loader.get_single_data()
    except yaml.MarkedYAMLError as error:
        where = f" (line {error.problem_mark.line + 2})" if error.problem_mark else ""
        raise Unusable(f"has front matter that is not YAML: {error.problem or error.context}{where}") from None
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise Unusable(f"has front matter that is not allowed: {str(error).splitlines()[0][:200]}") from None
    if not isinstance(value, dict):
        raise Unusable("has front matter that is not a mapping of `name: value`")
    return value  # pyright: ignore[reportUnknownVariableType] YAML from outside has no static type


def _validated(value: dict[Any, Any]) -> FrontMatter:
    try:
        named = {str(key): item for key, item in value.items()}
        return FrontMatter.model_validate({**named, "fields": named})
    except ValidationError as error:
        fault = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in fault["loc"])
        raise Unusable(f"{where or 'front matter'}: {fault['msg'].removeprefix('Value error, ')}") from None
