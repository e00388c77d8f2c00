"""The stages of an `etl` job."""

from typing import cast

from contracts.base import Json
from contracts.etl.request import EtlRequest
from contracts.roles import RoleName
from contracts.stages import INPUT, StageSpec
from workers.coordinator.playbooks import Playbook

ANALYSIS, WORKFLOW, DESIGN_REVIEW = "analysis", "workflow", "design_review"
SCRIPT, SCRIPTS, DEVELOPMENT_REVIEW, PACKAGE = "script", "script/*", "development_review", "package"

LOAD = "load/1"
LOAD_STAGE = StageSpec(name=LOAD, role=RoleName.DEVELOPER, task="etl.load", needs=(INPUT, PACKAGE))
"""The stage that runs the scripts in the source. The package adds it where the request asks for it; a stage that is added has a number."""

MOST_TITLE_CHARACTERS = 400


def title_of(request: Json) -> str:
    """The table of a specification, with its description. Empty for one that cannot be read; the analyst says why."""
    from workers.engines.procedures.marked_yaml import Fault, read_marked  # loads YAML, which only a specification needs

    try:
        read, _ = read_marked(str(request.get("spec") or ""))
    except Fault:
        return ""
    spec = cast("dict[str, object]", read) if isinstance(read, dict) else {}
    parts = (" ".join(text.split()) for name in ("target", "description") if isinstance(text := spec.get(name), str))
    return ": ".join(filter(None, parts))[:MOST_TITLE_CHARACTERS]


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
    titled=title_of,
)
"""`script` adds a stage `script/n` for each job. Such a stage is made from the part of the design that is its own, so that a change of
the requirement writes only those scripts again whose job has changed."""
