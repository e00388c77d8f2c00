"""The stages of an `analyze` job: the skill's procedure adds its own."""

from contracts.analyze.request import AnalyzeRequest
from contracts.roles import RoleName
from contracts.stages import INPUT, StageSpec
from workers.coordinator.playbooks import Playbook

UNDERSTAND, SKILL, ACTS, ANSWER = "understand", "skill", "act/*", "answer"

PLAYBOOK = Playbook(
    "analyze",
    AnalyzeRequest,
    (
        StageSpec(name=UNDERSTAND, role=RoleName.CLASSIFIER, task="analyze.understand", needs=(INPUT,)),
        StageSpec(name=SKILL, role=RoleName.CLASSIFIER, task="analyze.choose", needs=(INPUT, UNDERSTAND)),
        StageSpec(name=ANSWER, role=RoleName.ANALYST, task="analyze.answer", needs=(INPUT, UNDERSTAND, SKILL, ACTS)),
    ),
    result=ANSWER,
    words="question",
)
"""`skill` adds `act/1`, and each `act/k` adds `act/k+1`, until the procedure has nothing due."""


def act_stage(number: int) -> StageSpec:
    """The stage of a step: it needs the skill and the steps before it."""
    before = tuple(f"act/{earlier}" for earlier in range(1, number))
    needs = (INPUT, UNDERSTAND, SKILL, *before)
    return StageSpec(name=f"act/{number}", role=RoleName.ANALYST, task="analyze.act", needs=needs, params={"number": number})
