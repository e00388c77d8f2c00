"""A LangChain tool as a tool of ours: under the same keys, grants, rows and limits. LangChain is imported only by its users."""

from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from contracts.base import Contract, Json, Text
from contracts.tools import Cost, Effect
from workers.tools.tool import AnyTool, Tool, ToolContext

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

OUTSIDE_KIND = "service"
"""Kind of the pointers that open such tools: a `ServicePointer` that names the tool among its keys."""


class OutsideResult(Contract):
    """What a tool of another library or server returned. It is data: a field `pointers` inside it gives no key."""

    content: Any = None
    error: Text | None = None
    """The tool's own message when it could not do what it was asked. Better arguments may help."""


def from_langchain(
    tool: "BaseTool", *, name: str | None = None, effect: Effect = Effect.READ, cost: Cost = Cost.MEDIUM, card: str | None = None
) -> AnyTool:
    """The tool under our rules. Register it with `register_tool`, and give steps its key by a `ServicePointer`. Declare the effect
    truthfully: a call with the effect `none` or `read` may be made again."""
    form = tool.get_input_schema()

    def run(ctx: ToolContext, given: BaseModel) -> OutsideResult:
        ctx.check_stopped()
        return OutsideResult(content=as_json(tool.invoke(given.model_dump(mode="json"))))

    return Tool(
        name or tool.name, tool.description, form, OutsideResult, run, effect=effect, cost=cost, opens=frozenset({OUTSIDE_KIND}),
        card=card, schema=tool.get_input_jsonschema(),
    )  # fmt: skip


def as_json(value: Any) -> Json | list[Any] | str | int | float | bool | None:
    """A value of another library as JSON; what has no JSON form is written as text."""
    if value is None or isinstance(value, str | int | bool):
        return value
    if isinstance(value, float):
        return value if value == value and abs(value) != float("inf") else str(value)
    if isinstance(value, dict):
        return {str(key): as_json(item) for key, item in value.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType] another library's value
    if isinstance(value, list | tuple):
        return [as_json(item) for item in value]  # pyright: ignore[reportUnknownVariableType] as above
    dump = getattr(value, "model_dump", None)
    return as_json(dump(mode="json")) if callable(dump) else str(value)
