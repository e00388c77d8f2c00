"""How `bullpen eval model` measures a model at the tasks of `analyze`: the choice of a skill, and work by a skill with a tool."""

from contracts.tools import Cost, Effect, ToolOffer
from workers.engines.stray_figures import stray_figures
from workers.kinds.analyze.work.choosing import SelectSkill
from workers.kinds.analyze.work.following import Followed
from workers.llm.probe import ProbeCase
from workers.llm.probe_tools import FixedTool
from workers.skills.choosing import CHOICE

QUESTION = "Why is the signal of cell 17 weak?"
SKILL = (
    "1. Get the measured values of the cell with get_cell.\n2. Compare its RSRP with the target of -105 dBm, and say by how much it misses."
)
ROW = {"cell": 17, "rsrp_dbm": -112, "tilt_degrees": 9}
GET_CELL = ToolOffer(
    name="get_cell",
    description="The measured values of a cell.",
    effect=Effect.READ,
    cost=Cost.LOW,
    arguments={"type": "object", "properties": {"cell": {"type": "integer"}}, "required": ["cell"], "additionalProperties": False},
)


def _selected(answer: SelectSkill) -> str:
    return "" if answer.skill_name == "cell-coverage" else f"The skill is {answer.skill_name or 'none'}."


def _followed(answer: Followed) -> str:
    if "112" not in answer.answer:
        return "The answer does not have what the tool measured."
    stray = stray_figures(answer.answer, [QUESTION, SKILL, str(ROW), "7"])
    return f"Nobody gave the figures {', '.join(sorted(stray)[:3])}." if stray else ""


CASES = (
    ProbeCase(
        "classifier/skill",
        SelectSkill,
        {
            "rules": "\n".join(CHOICE),
            "skills": "- cell-coverage: Why a cell has a weak signal.\n- handover: Why handovers between cells fail.",
            "words": QUESTION,
            "session": "",
        },
        _selected,
    ),
    ProbeCase(
        "analyst/follow",
        Followed,
        {
            "skill": SKILL,
            "question": QUESTION,
            "words": QUESTION,
            "today": "Now it is Thursday, 2026-03-05 14:30 (UTC, UTC+00:00).",
            "session": "",
            "sources": "",
            "language": "English",
            "stray": [],
            "looked_up": "",
        },
        _followed,
        also=("analyst/choose", "analyst/words"),
        tools=lambda: FixedTool(GET_CELL, ROW),
    ),
)
