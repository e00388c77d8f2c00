"""The stages of a `tune` job."""

from contracts.roles import RoleName
from contracts.stages import INPUT, StageSpec
from workers.coordinator.playbooks import Playbook
from workers.kinds.tune.submission import TuneSubmission

RUNS = "runs/*"
"""Which of several runs the job is about. `bundle` adds its one member where there is something to choose."""

PLAYBOOK = Playbook(
    "tune",
    TuneSubmission,
    (
        StageSpec(name="bundle", role=RoleName.FILE_RECOMMENDER, task="tuning.catalogue", needs=(INPUT,)),
        StageSpec(name="classification", role=RoleName.CLASSIFIER, task="tuning.classify", needs=(INPUT, "bundle", RUNS)),
        StageSpec(name="key_code", role=RoleName.ANALYST, task="tuning.key_code", needs=(INPUT, "bundle", RUNS, "classification")),
        StageSpec(name="experience", role=RoleName.RETRIEVER, task="experience.retrieve", needs=(INPUT, "classification", "key_code")),
        StageSpec(
            name="causes",
            role=RoleName.DIAGNOSER,
            task="tuning.causes",
            needs=(INPUT, "bundle", RUNS, "classification", "key_code", "experience"),
        ),
        StageSpec(
            name="evidence",
            role=RoleName.ANALYST,
            task="tuning.evidence",
            needs=(INPUT, "bundle", RUNS, "classification", "key_code", "causes"),
        ),
        StageSpec(
            name="information_check",
            role=RoleName.FILE_RECOMMENDER,
            task="tuning.check",
            needs=(INPUT, "bundle", RUNS, "classification", "key_code", "causes", "evidence"),
        ),
        StageSpec(
            name="plan",
            role=RoleName.DIAGNOSER,
            task="tuning.plan",
            needs=(INPUT, "bundle", RUNS, "classification", "experience", "causes", "evidence", "information_check"),
        ),
        StageSpec(
            name="review",
            role=RoleName.REVIEWER,
            task="tuning.review",
            needs=(INPUT, "bundle", RUNS, "classification", "key_code", "causes", "evidence", "information_check", "plan"),
        ),
    ),
    words="description",
)
"""Requests go upwards only: `information_check` asks `evidence` to read more, and `classification` to think again when the
evidence contradicts it; `review` objects to `plan`."""


def comparing_runs() -> StageSpec:
    """The stage that reads the event logs of several runs."""
    return StageSpec(name="runs/1", role=RoleName.ANALYST, task="tuning.runs", needs=(INPUT, "bundle"))
