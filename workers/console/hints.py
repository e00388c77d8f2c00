"""What a job waits for, in words: the boss's reasons and the state of its steps."""

from contracts.statements import Sayable, count, name, passage, say, seconds
from workers.reading.waiting import AnswerNeeded, Ended, OwnerAtCap, StepDelayed, StepRuns, StepWaits, Undecided, Wait


def hint(wait: Wait, owner_cap: int) -> Sayable:
    """One thing that a job waits for."""
    match wait:
        case Ended():
            return say("console.hint.ended")
        case OwnerAtCap():
            return say("console.hint.owner_at_cap", owner=passage(wait.owner), running=count(wait.running), cap=count(owner_cap))
        case AnswerNeeded():
            return say("console.hint.answer", asker=name(wait.question.asker))
        case Undecided():
            return say("fleet.hint.undecided", rev=count(wait.rev, exact=True), decided=count(wait.decided_rev, exact=True))
        case StepRuns(step=step):
            return say(
                "fleet.hint.runs", stage=name(step.stage), worker=name(step.worker or "?"), duration=seconds(step.duration_s or 0.0),
                attempt=count(step.attempt), most=count(step.max_attempts),
            )  # fmt: skip
        case StepWaits():
            if wait.role_state != "running":
                return say("console.hint.role_stopped", stage=name(wait.step.stage), role=name(wait.step.role))
            return say("fleet.hint.waits", stage=name(wait.step.stage), duration=seconds(wait.waits_s), role=name(wait.step.role))
        case StepDelayed():
            return say("fleet.hint.delayed", stage=name(wait.step.stage), delay=seconds(wait.in_s))
