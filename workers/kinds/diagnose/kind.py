"""The registration of `diagnose`."""

from pathlib import Path

from contracts.roles import RoleName
from contracts.statements import name, say, term
from workers.kinds.base import Evaluation, Feedback, Kind, Ref, View
from workers.kinds.diagnose.playbook import PLAYBOOK

_HERE = "workers.kinds.diagnose"

KIND = Kind(
    playbook=PLAYBOOK,
    summary="Diagnose an incident from the history of solved tickets: a dialogue, then a root cause.",
    purpose=term("diagnose.kind.summary"),
    example='bullpen submit diagnose "queries got slow after the nightly load"',
    tasks={
        (RoleName.RETRIEVER, "evidence.gather"): Ref(f"{_HERE}.roles.gatherer:gather_evidence"),
        (RoleName.RETRIEVER, "tickets.retrieve"): Ref(f"{_HERE}.roles.retriever:retrieve_tickets"),
        (RoleName.DIAGNOSER, "diagnosis.conclude"): Ref(f"{_HERE}.roles.diagnoser:conclude_diagnosis"),
    },
    yields={
        (RoleName.RETRIEVER, "evidence.gather"): Ref("contracts.checks:Gathered"),
        (RoleName.RETRIEVER, "tickets.retrieve"): Ref("contracts.tickets:TicketEvidence"),
        (RoleName.DIAGNOSER, "diagnosis.conclude"): Ref("contracts.diagnose.deliverables:Diagnosis"),
    },
    edits={
        (RoleName.RETRIEVER, "evidence.gather"): Ref("contracts.diagnose.edits:EvidenceEdit"),
        (RoleName.RETRIEVER, "tickets.retrieve"): Ref("contracts.diagnose.edits:TicketsEdit"),
        (RoleName.DIAGNOSER, "diagnosis.conclude"): Ref("contracts.diagnose.edits:DiagnosisEdit"),
    },
    feedback=Feedback(
        form=Ref(f"{_HERE}.feedback:DiagnosisSaid"),
        give=Ref(f"{_HERE}.feedback:give_feedback"),
        preview=Ref(f"{_HERE}.feedback:preview_feedback"),
        confirms=True,
        places=Ref(f"{_HERE}.feedback:places"),
        how=say("diagnose.feedback.how", job=name("JOB")),
    ),
    examples=Ref(f"{_HERE}.opening:examples"),
    settings=Ref(f"{_HERE}.settings:DiagnoseSettings"),
    evaluation=Evaluation(
        form=Ref(f"{_HERE}.evaluation.form:DiagnoseEvaluation"),
        run=Ref(f"{_HERE}.evaluation.running:run_evaluation"),
        show=Ref(f"{_HERE}.evaluation.shown:show_report"),
        help="Diagnose incidents whose cause is known, with a simulated user, over an embedded Postgres.",
    ),
    takes_alerts=True,
    demo=Ref(f"{_HERE}.samples:demo_script"),
    sample_history=Ref(f"{_HERE}.samples:sample_tickets_path"),
    view=View(
        result=Ref(f"{_HERE}.view:show_result"),
        question=Ref(f"{_HERE}.view:question_standing"),
        form=Ref(f"{_HERE}.view:question_form"),
        handover=Ref(f"{_HERE}.handover:hand_over"),
    ),
    run=Ref(f"{_HERE}.looked_up:run_item"),
    runnable=Ref(f"{_HERE}.looked_up:runnable"),
    faults=Ref(f"{_HERE}.faults:advise"),
    prompts=Path(__file__).with_name("prompts"),
    probes=Ref(f"{_HERE}.probe:CASES"),
    locale=Path(__file__).with_name("locale"),
    rehearsal=Ref(f"{_HERE}.rehearsal:rehearse"),
    schemas={
        "gathered": Ref("contracts.checks:Gathered"),
        "diagnose_request": Ref("contracts.diagnose.request:DiagnoseRequest"),
        "ticket_evidence": Ref("contracts.tickets:TicketEvidence"),
        "phenomenon_question": Ref("contracts.diagnose.deliverables:PhenomenonQuestion"),
        "diagnosis": Ref("contracts.diagnose.deliverables:Diagnosis"),
    },
)
