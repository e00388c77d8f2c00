"""The front door of a diagnosis: one call, whatever the method and the profile."""

from contracts.diagnosis import Diagnosis, PhenomenonQuestion, TicketEvidence
from contracts.jobs import DiagnoseRequest, DiagnosisMethod, DiagnosisProfile
from workers.engines.diagnosis.asking_back import answering_queries
from workers.engines.diagnosis.conclude import next_move
from workers.engines.diagnosis.hybrid import Gar, hybrid_move
from workers.engines.diagnosis.known import Dialogue
from workers.engines.diagnosis.rar import Consult, answer, rar_move
from workers.engines.diagnosis.seed import seed_move

_GAR: dict[DiagnosisProfile, Gar] = {DiagnosisProfile.OURS: next_move, DiagnosisProfile.SEED: seed_move}
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
    """What the diagnoser does after `dialogue`; what the user asked back is answered without using up a turn. `consult`
    reasons for RAR and the hybrid; by default it is the vote."""
    gar = _GAR[profile]

    def decide(counted: Dialogue) -> Diagnosis | PhenomenonQuestion:
        if method is DiagnosisMethod.RAR:
            return rar_move(request, evidence, counted, may_ask=may_ask, consult=consult)
        if method is DiagnosisMethod.HYBRID:
            return hybrid_move(request, evidence, counted, may_ask=may_ask, consult=consult, gar=gar)
        return gar(request, evidence, counted, may_ask=may_ask)

    return answering_queries(request, evidence, dialogue, decide, may_ask=may_ask)
