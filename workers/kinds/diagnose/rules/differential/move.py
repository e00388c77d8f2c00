"""The default method: the differential diagnosis of an incident.

1. The nearest tickets and the opening give each cause, and `none of them`, a probability before any question (opening.py).
2. Where the leading causes are of several systems and near each other, or nothing of what was asked was so, the system is asked once
   (systems.py).
3. Of what the plausible causes show, the phenomena are asked whose answers tell those causes apart (information by effort), at most three
   at a time, and nothing that the opening said, that another system shows, or that nobody can answer (askable.py). While no cause can be
   named, what is asked has to be able to make one worth naming. Where an opening resembles no ticket and two turns brought nothing, the
   user is asked once for a symptom in their own words.
4. As soon as one cause that something bears reaches the bar it is the diagnosis. When no question is worth its effort, or no turn is left,
   the likeliest cause is named with its probability if that is worth reading. What is stated is calibrated (confidence.py).
"""

from contracts.diagnose.deliverables import Diagnosis, PhenomenonQuestion, Verdict
from contracts.diagnose.request import DiagnoseRequest
from contracts.tickets import TicketEvidence
from workers.kinds.diagnose.rules.differential.case import CaseState
from workers.kinds.diagnose.rules.differential.telling import best_guess, concluded, question, symptom_question, system_question
from workers.kinds.diagnose.rules.known import Dialogue
from workers.kinds.diagnose.rules.profiles import DIFFERENTIAL, Profile


def differential_move(
    request: DiagnoseRequest,
    evidence: TicketEvidence,
    dialogue: Dialogue,
    *,
    may_ask: bool = True,
    profile: Profile = DIFFERENTIAL,
) -> Diagnosis | PhenomenonQuestion:
    """What the diagnoser does after `dialogue`. Equal inputs give equal moves."""
    case = CaseState(request, evidence, dialogue, profile)
    if evidence.total_tickets == 0:
        return concluded(case, Verdict.UNKNOWN)
    top = case.stated_belief.top
    if top and case.is_borne(top):
        return concluded(case, Verdict.DIAGNOSED)
    if not may_ask or len(dialogue) >= request.max_turns:
        return best_guess(case)
    if case.system_tells_most():
        return system_question(case)
    if case.wants_words():
        return symptom_question(case)
    if case.next and not case.in_vain():
        return question(case)
    if not case.leads() and case.may_ask_system():
        return system_question(case)
    if case.leads() or case.was_asked() or case.system.elsewhere:
        return best_guess(case)
    return symptom_question(case)
