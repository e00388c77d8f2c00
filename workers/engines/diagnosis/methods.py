"""The front door of a diagnosis: one call, whatever the method and the profile."""

from contracts.diagnosis import Diagnosis, PhenomenonQuestion, TicketEvidence
from contracts.jobs import DiagnoseRequest, DiagnosisMethod, DiagnosisProfile
from workers.engines.diagnosis.conclude import next_move
from workers.engines.diagnosis.hybrid import Gar, hybrid_move
from workers.engines.diagnosis.known import Dialogue
from workers.engines.diagnosis.rar import Consult, answer, rar_move

_GAR: dict[DiagnosisProfile, Gar] = {DiagnosisProfile.OURS: next_move}
"""GAR by profile."""


def move(
    request: DiagnoseRequest,
    evidence: TicketEvidence,
    dialogue: Dialogue,
    *,
    method: DiagnosisMethod,
    profile: DiagnosisProfile = DiagnosisProfile.OURS,
    may_ask: bool = True,
    consult: Consult = answer,
) -> Diagnosis | PhenomenonQuestion:
    """What the diagnoser does after `dialogue`. `consult` reasons for RAR and the hybrid; by default it is the vote."""
    gar = _GAR.get(profile, next_move)
    if method is DiagnosisMethod.RAR:
        return rar_move(request, evidence, dialogue, may_ask=may_ask, consult=consult)
    if method is DiagnosisMethod.HYBRID:
        return hybrid_move(request, evidence, dialogue, may_ask=may_ask, consult=consult, gar=gar)
    return gar(request, evidence, dialogue, may_ask=may_ask)
