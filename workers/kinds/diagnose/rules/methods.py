"""The entry point of a diagnosis: one call for all methods and profiles."""

from contracts.diagnose.deliverables import Diagnosis, PhenomenonQuestion
from contracts.diagnose.request import DiagnoseRequest, DiagnosisMethod, DiagnosisProfile
from contracts.tickets import TicketEvidence
from workers.kinds.diagnose.rules.alarms import diagnose_alarm
from workers.kinds.diagnose.rules.asking_back import answering_queries
from workers.kinds.diagnose.rules.conclude import next_move
from workers.kinds.diagnose.rules.differential import NOTHING_HEARD, Heard, asked_which, differential_move
from workers.kinds.diagnose.rules.hybrid import Gar, hybrid_move
from workers.kinds.diagnose.rules.known import Dialogue
from workers.kinds.diagnose.rules.rar import Consult, answer, rar_move
from workers.kinds.diagnose.rules.replies import read_answer
from workers.kinds.diagnose.seed import seed_move

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
    heard: Heard = NOTHING_HEARD,
) -> Diagnosis | PhenomenonQuestion:
    """The next move of the diagnoser after `dialogue`. Questions of the user are answered without using up a turn. `consult` is the
    reasoner of RAR and the hybrid, by default the vote; `heard` what a model heard in the latest answer. What it disputes of that is asked
    first. Who says "stop" gets the conclusion."""
    if heard.disputed and may_ask:
        return asked_which(dialogue[-1][0], heard)
    if dialogue and read_answer(dialogue[-1][1], dialogue[-1][0]).stops:
        may_ask = False
    gar = _GAR[profile]

    def decide(counted: Dialogue) -> Diagnosis | PhenomenonQuestion:
        if not counted and method is not DiagnosisMethod.RAR and profile is DiagnosisProfile.OURS:
            alarm = diagnose_alarm(request, evidence)
            if alarm is not None:
                return alarm
        if method is DiagnosisMethod.DIFFERENTIAL:
            return differential_move(request, evidence, counted, may_ask=may_ask)
        if method is DiagnosisMethod.RAR:
            return rar_move(request, evidence, counted, may_ask=may_ask, consult=consult)
        if method is DiagnosisMethod.HYBRID:
            return hybrid_move(request, evidence, counted, may_ask=may_ask, consult=consult, gar=gar)
        return gar(request, evidence, counted, may_ask=may_ask)

    return answering_queries(evidence, dialogue, decide, may_ask=may_ask)
