"""What the first diagnosis of a process would load and compute: the embedding model, the history's vectors, and what its phenomena have in
common. Nothing is kept but in memory."""

from contracts.diagnose.request import DiagnoseRequest
from workers.kinds.diagnose.rules.methods import move
from workers.kinds.diagnose.settings import DiagnoseSettings
from workers.roles.base import Services
from workers.tickets.evidence import gather_evidence
from workers.tickets.snapshot import snapshot

_INCIDENT = "The database is slow."


def rehearse(services: Services) -> bool:
    """Search the history for an incident, and make the first move; without a history nothing is embedded, now and at each later try."""
    with snapshot(services.database, None) as history:
        if history.totals.texts == 0:
            return False
    evidence = gather_evidence(services.database, services.embedder, _INCIDENT)
    request = DiagnoseRequest(kind="diagnose", description=_INCIDENT)
    move(request, evidence, (), method=services.settings_of(DiagnoseSettings).diagnose_method)
    return True
