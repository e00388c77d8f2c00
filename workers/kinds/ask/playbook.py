"""The stages of an `ask` job: the plan grows with its work."""

from contracts.ask.request import AskRequest
from contracts.roles import RoleName
from contracts.stages import INPUT, StageSpec
from workers.coordinator.playbooks import Playbook

UNDERSTAND = "understand"

PLAYBOOK = Playbook(
    "ask",
    AskRequest,
    (StageSpec(name=UNDERSTAND, role=RoleName.CLASSIFIER, task="ask.understand", needs=(INPUT,)),),
    result="plan/*",
    words="question",
)
"""`understand` adds `plan/1`; each `plan/k` adds the call `tool/n` and `plan/k+1`, until it holds the answer."""
