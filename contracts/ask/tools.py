"""The tools of `ask`: what a plan may call. Each is a task of a role, so that a call is a stage of the job."""

import hashlib
from enum import StrEnum

from contracts.base import Contract, Json, canonical_json
from contracts.roles import RoleName
from contracts.stages import StageName

CALL_DIGITS = 24
"""Hexadecimal digits of a call's id (S18)."""


class Tool(StrEnum):
    """What a plan may call, and what a user's question may be after."""

    ASK_HUMAN = "ask_human"
    DATA_DISCOVERY = "data_discovery"
    GENERATE_SQL = "generate_sql"
    FIX_SQL = "fix_sql"
    EXPLAIN_SQL = "explain_sql"
    DATASUITE_FAQ = "datasuite_faq"
    EXECUTE = "execute_sql_and_analyze_result"
    SEARCH_LOG = "search_log"
    DATA_SUITE_EXPERT = "data_suite_expert"
    REJECT = "reject_out_of_scope"

    @classmethod
    def _missing_(cls, value: object) -> "Tool | None":
        """Other names under which clients and models know a tool (S31)."""
        return ALIASES.get(value) if isinstance(value, str) else None


ALIASES = {"find_data": Tool.DATA_DISCOVERY}
"""Other names of tools."""


BY_THE_BOSS = frozenset({Tool.ASK_HUMAN, Tool.REJECT})
"""Tools without a role: a question to the human, and a refusal."""

ROLES: dict[Tool, tuple[RoleName, str]] = {
    Tool.DATA_DISCOVERY: (RoleName.RETRIEVER, "ask.discover"),
    Tool.GENERATE_SQL: (RoleName.DEVELOPER, "ask.generate_sql"),
    Tool.FIX_SQL: (RoleName.DEVELOPER, "ask.fix_sql"),
    Tool.EXPLAIN_SQL: (RoleName.DEVELOPER, "ask.explain_sql"),
    Tool.DATASUITE_FAQ: (RoleName.RETRIEVER, "ask.faq"),
    Tool.DATA_SUITE_EXPERT: (RoleName.RETRIEVER, "ask.expert"),
    Tool.EXECUTE: (RoleName.ANALYST, "ask.execute"),
    Tool.SEARCH_LOG: (RoleName.DEVELOPER, "ask.search_log"),
}
"""Who does it, by which task."""


class ToolCall(Contract):
    """A call that a plan makes."""

    id: str
    """`call_` and 24 hexadecimal digits, the same for equal calls of a stage."""
    tool: Tool
    stage: StageName
    """The stage that does it."""
    arguments: Json = {}


def call_of(tool: Tool, stage: str, arguments: Json) -> ToolCall:
    """A call with its id."""
    digest = hashlib.sha256(canonical_json([tool.value, stage, arguments]).encode()).hexdigest()
    return ToolCall(id=f"call_{digest[:CALL_DIGITS]}", tool=tool, stage=stage, arguments=arguments)
