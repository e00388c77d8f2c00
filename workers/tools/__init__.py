"""Tools: what a step may call, computed from the pointers that it holds, its role's allow-list and its skill."""

from workers.tools.calls import CallLog, list_calls, list_grants
from workers.tools.grants import Grants, grant
from workers.tools.registry import find_tool, register_standing, register_tool, tool_names
from workers.tools.tool import AnyTool, CallKey, Tool, ToolContext, ToolServices
from workers.tools.toolbox import Toolbox

__all__ = [
    "AnyTool",
    "CallKey",
    "CallLog",
    "Grants",
    "Tool",
    "ToolContext",
    "ToolServices",
    "Toolbox",
    "find_tool",
    "grant",
    "list_calls",
    "list_grants",
    "register_standing",
    "register_tool",
    "tool_names",
]
