"""How `bullpen eval model` measures a model at the fleet's own task: the stage that an instruction is meant for."""

from contracts.choice import StageAnswer
from workers.llm.probe import ProbeCase
from workers.roles.choose import PROMPT


def _chosen(answer: StageAnswer) -> str:
    return "" if answer.stage == "analysis" else f"The stage is {answer.stage or 'none'}, where what is read changes with analysis."


CASES = (
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
