"""The stages of a `diagnose` job."""

from contracts.diagnose.request import DiagnoseRequest
from contracts.roles import RoleName
from contracts.stages import INPUT, StageSpec
from workers.coordinator.playbooks import Playbook

EVIDENCE = "evidence"
TICKETS = "tickets"

PLAYBOOK = Playbook(
    "diagnose",
    DiagnoseRequest,
    (
        StageSpec(name=EVIDENCE, role=RoleName.RETRIEVER, task="evidence.gather", needs=(INPUT,), optional=True),
        StageSpec(name=TICKETS, role=RoleName.RETRIEVER, task="tickets.retrieve", needs=(INPUT, EVIDENCE)),
        StageSpec(name="diagnosis", role=RoleName.DIAGNOSER, task="diagnosis.conclude", needs=(INPUT, EVIDENCE, TICKETS)),
    ),
    words="description",
    remarks_to=TICKETS,
)
