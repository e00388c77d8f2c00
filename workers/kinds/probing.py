"""The probe's cases of all registered kinds, and the fleet's own: the stage that an instruction is meant for."""

from contracts.choice import StageAnswer
from workers.kinds.registry import all_kinds
from workers.llm.probe import ProbeCase
from workers.llm.prompts import add_prompts
from workers.roles.choose import PROMPT, PROMPTS


def _chosen(answer: StageAnswer) -> str:
    return "" if answer.stage == "analysis" else f"The stage is {answer.stage or 'none'}, where what is read changes with analysis."


_OWN = (
    ProbeCase(
        PROMPT,
        StageAnswer,
        {
            "stages": "analysis: filled by the analyst, reads the requirement\nchart: filled by the analyst, draws the result",
            "request": '{"requirement": "Orders per channel, as a chart"}',
            "instruction": "Count only the orders of the last week",
        },
        _chosen,
    ),
)


def probe_cases() -> tuple[ProbeCase, ...]:
    """By prompt. Kinds have to be loaded."""
    add_prompts(PROMPTS)
    found = [*_OWN, *(case for kind in all_kinds() if kind.probes is not None for case in kind.probes.load())]
    return tuple(sorted(found, key=lambda case: case.prompt))
