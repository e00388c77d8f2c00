"""What a tool is called where people read of it (S31). Only for display: nothing is decided by these names."""

from contracts.ask.tools import Tool
from contracts.statements import Term, term

_NAMES: dict[Tool, Term] = {
    Tool.ASK_HUMAN: term("ask.agent.ask_human"),
    Tool.DATA_DISCOVERY: term("ask.agent.data_discovery"),
    Tool.GENERATE_SQL: term("ask.agent.generate_sql"),
    Tool.FIX_SQL: term("ask.agent.fix_sql"),
    Tool.EXPLAIN_SQL: term("ask.agent.explain_sql"),
    Tool.DATASUITE_FAQ: term("ask.agent.faq"),
    Tool.EXECUTE: term("ask.agent.execute"),
    Tool.SEARCH_LOG: term("ask.agent.search_log"),
    Tool.DATA_SUITE_EXPERT: term("ask.agent.expert"),
    Tool.REJECT: term("ask.agent.reject"),
}


def agent_of(tool: str) -> Term:
    """The name of a tool for people; one that is not ours is an unknown agent."""
    try:
        return _NAMES[Tool(tool)]
    except ValueError:
        return term("ask.agent.unknown")
