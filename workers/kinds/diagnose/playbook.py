"""The stages of a `diagnose` job."""

from contracts.diagnose.request import DiagnoseRequest
from contracts.roles import RoleName
from contracts.stages import INPUT, StageSpec
from workers.coordinator.playbooks import Playbook

PLAYBOOK = Playbook(
    "diagnose",
    DiagnoseRequest,
    (
        StageSpec(name="tickets", role=RoleName.RETRIEVER, task="tickets.retrieve", needs=(INPUT,)),
        StageSpec(name="diagnosis", role=RoleName.DIAGNOSER, task="diagnosis.conclude", needs=(INPUT, "tickets")),
    ),
    words="description",
    remarks_to="tickets",
)
