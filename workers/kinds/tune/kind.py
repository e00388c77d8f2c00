"""The registration of `tune`."""

from pathlib import Path

from contracts.roles import RoleName
from contracts.statements import name, say, term
from workers.kinds.base import Evaluation, Feedback, Kind, Ref, SkillUse, View
from workers.kinds.tune.playbook import PLAYBOOK

_HERE = "workers.kinds.tune"

KIND = Kind(
    playbook=PLAYBOOK,
    summary="Find why a Spark or SCOPE job is slow, from its script, logs and tables: the stages and lines that cause it, ranked fixes.",
    purpose=term("tune.kind.summary"),
    example="bullpen submit tune ./my-slow-job --wait",
    files="bundle",
    tasks={
        (RoleName.RETRIEVER, "experience.retrieve"): Ref(f"{_HERE}.roles.retriever:retrieve_experience"),
        (RoleName.FILE_RECOMMENDER, "tuning.catalogue"): Ref(f"{_HERE}.roles.file_recommender:catalogue_bundle"),
        (RoleName.FILE_RECOMMENDER, "tuning.check"): Ref(f"{_HERE}.roles.file_recommender:check_information"),
        (RoleName.CLASSIFIER, "tuning.classify"): Ref(f"{_HERE}.roles.classifier:classify_run"),
        (RoleName.ANALYST, "tuning.runs"): Ref(f"{_HERE}.roles.runs:compare_runs"),
        (RoleName.ANALYST, "tuning.key_code"): Ref(f"{_HERE}.roles.analyst:find_key_code"),
        (RoleName.ANALYST, "tuning.evidence"): Ref(f"{_HERE}.roles.analyst:read_evidence"),
        (RoleName.DIAGNOSER, "tuning.causes"): Ref(f"{_HERE}.roles.diagnoser:suppose_causes"),
        (RoleName.DIAGNOSER, "tuning.plan"): Ref(f"{_HERE}.roles.diagnoser:plan_fixes"),
        (RoleName.REVIEWER, "tuning.review"): Ref(f"{_HERE}.roles.reviewer:review_plan"),
    },
    yields={
        (RoleName.RETRIEVER, "experience.retrieve"): Ref("contracts.tune.steps:ExperienceFound"),
        (RoleName.FILE_RECOMMENDER, "tuning.catalogue"): Ref("contracts.bundles:Catalogue"),
        (RoleName.FILE_RECOMMENDER, "tuning.check"): Ref("contracts.tune.steps:InformationCheck"),
        (RoleName.CLASSIFIER, "tuning.classify"): Ref("contracts.tune.steps:Classification"),
        (RoleName.ANALYST, "tuning.runs"): Ref("contracts.tune.runs:RunsCompared"),
        (RoleName.ANALYST, "tuning.key_code"): Ref("contracts.tune.steps:KeyCode"),
        (RoleName.ANALYST, "tuning.evidence"): Ref("contracts.tune.steps:Evidence"),
        (RoleName.DIAGNOSER, "tuning.causes"): Ref("contracts.tune.steps:Causes"),
        (RoleName.DIAGNOSER, "tuning.plan"): Ref("contracts.tune.plan:TuningPlan"),
        (RoleName.REVIEWER, "tuning.review"): Ref("contracts.tune.plan:TuningReport"),
    },
    edits={
        (RoleName.RETRIEVER, "experience.retrieve"): Ref("contracts.tune.edits:ExperienceEdit"),
        (RoleName.FILE_RECOMMENDER, "tuning.catalogue"): Ref("contracts.tune.edits:BundleEdit"),
        (RoleName.FILE_RECOMMENDER, "tuning.check"): Ref("contracts.tune.edits:InformationEdit"),
        (RoleName.CLASSIFIER, "tuning.classify"): Ref("contracts.tune.edits:ClassificationEdit"),
        (RoleName.ANALYST, "tuning.runs"): Ref("contracts.tune.edits:RunsEdit"),
        (RoleName.ANALYST, "tuning.key_code"): Ref("contracts.tune.edits:KeyCodeEdit"),
        (RoleName.ANALYST, "tuning.evidence"): Ref("contracts.tune.edits:EvidenceEdit"),
        (RoleName.DIAGNOSER, "tuning.causes"): Ref("contracts.tune.edits:CausesEdit"),
        (RoleName.DIAGNOSER, "tuning.plan"): Ref("contracts.tune.edits:PlanEdit"),
        (RoleName.REVIEWER, "tuning.review"): Ref("contracts.tune.edits:ReviewEdit"),
    },
    feedback=Feedback(
        form=Ref(f"{_HERE}.feedback:AdviceSaid"),
        give=Ref(f"{_HERE}.feedback:give_feedback"),
        preview=Ref(f"{_HERE}.feedback:preview_feedback"),
        places=Ref(f"{_HERE}.feedback:places"),
        how=say("tune.feedback.how", job=name("JOB")),
    ),
    recognises=Ref(f"{_HERE}.opening:is_artefact"),
    evaluation=Evaluation(
        form=Ref(f"{_HERE}.evaluation.form:TuneEvaluation"),
        run=Ref(f"{_HERE}.evaluation.running:run_evaluation"),
        show=Ref(f"{_HERE}.evaluation.shown:show_report"),
        help="Run a whole `tune` job for each bundle, over an embedded Postgres, and compare with the labels.",
    ),
    skills=SkillUse(
        listed=Ref(f"{_HERE}.experience.overview:list_experience"),
        problems=Ref(f"{_HERE}.experience.overview:problems_of"),
        reindex=Ref(f"{_HERE}.experience.overview:reindex"),
    ),
    prompts=Path(__file__).parent / "prompts",
    probes=Ref(f"{_HERE}.probe:CASES"),
    locale=Path(__file__).parent / "locale",
    view=View(result=Ref(f"{_HERE}.view:show_result"), parts=Ref(f"{_HERE}.parts:parts"), files=Ref(f"{_HERE}.files:files")),
    embed_next=Ref(f"{_HERE}.experience.embedding:embed_next"),
    schemas={
        "tune_request": Ref("contracts.tune.request:TuneRequest"),
        "runs_compared": Ref("contracts.tune.runs:RunsCompared"),
        "classification": Ref("contracts.tune.steps:Classification"),
        "key_code": Ref("contracts.tune.steps:KeyCode"),
        "experience_found": Ref("contracts.tune.steps:ExperienceFound"),
        "causes": Ref("contracts.tune.steps:Causes"),
        "evidence": Ref("contracts.tune.steps:Evidence"),
        "information_check": Ref("contracts.tune.steps:InformationCheck"),
        "tuning_plan": Ref("contracts.tune.plan:TuningPlan"),
        "tuning_report": Ref("contracts.tune.plan:TuningReport"),
    },
)
