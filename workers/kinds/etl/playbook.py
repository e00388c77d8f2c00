"""The stages of an `etl` job."""

from contracts.etl.request import EtlRequest
from contracts.roles import RoleName
from contracts.stages import INPUT, StageSpec
from workers.coordinator.playbooks import Playbook

ANALYSIS, WORKFLOW, DESIGN_REVIEW = "analysis", "workflow", "design_review"
SCRIPT, SCRIPTS, DEVELOPMENT_REVIEW, PACKAGE = "script", "script/*", "development_review", "package"

LOAD = "load/1"
LOAD_STAGE = StageSpec(name=LOAD, role=RoleName.DEVELOPER, task="etl.load", needs=(INPUT, PACKAGE))
"""The stage that runs the scripts in the source. The package adds it where the request asks for it; a stage that is added has a number."""

PLAYBOOK = Playbook(
    "etl",
    EtlRequest,
    (
        StageSpec(name=ANALYSIS, role=RoleName.ANALYST, task="etl.analyse", needs=(INPUT,)),
        StageSpec(name=WORKFLOW, role=RoleName.ARCHITECT, task="etl.design", needs=(INPUT, ANALYSIS)),
        StageSpec(name=DESIGN_REVIEW, role=RoleName.REVIEWER, task="etl.review_design", needs=(ANALYSIS, WORKFLOW)),
        StageSpec(name=SCRIPT, role=RoleName.DEVELOPER, task="etl.assign", needs=(ANALYSIS, WORKFLOW, DESIGN_REVIEW)),
        StageSpec(
            name=DEVELOPMENT_REVIEW,
            role=RoleName.REVIEWER,
            task="etl.review_development",
            needs=(ANALYSIS, WORKFLOW, SCRIPT, SCRIPTS),
        ),
        StageSpec(
            name=PACKAGE,
            role=RoleName.DEVELOPER,
            task="etl.finalize",
            needs=(INPUT, ANALYSIS, WORKFLOW, DESIGN_REVIEW, SCRIPT, SCRIPTS, DEVELOPMENT_REVIEW),
        ),
    ),
    words="requirement",
)
"""`script` adds a stage `script/n` for each job. Such a stage is made from the part of the design that is its own, so that a change of
the requirement writes only those scripts again whose job has changed."""
