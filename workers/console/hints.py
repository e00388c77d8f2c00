"""What a job waits for, in words: the boss's reasons and the state of its steps."""

from contracts.statements import Sayable, count, name, passage, say
from workers.app import explaining
from workers.reading.waiting import AnswerNeeded, Ended, OwnerAtCap, StepDelayed, StepRuns, StepWaits, Undecided, Wait


def hint(wait: Wait, owner_cap: int) -> Sayable:
    """One thing that a job waits for, with stages and roles by their names."""
    match wait:
        case Ended():
            return say("console.hint.ended")
        case OwnerAtCap():
            return say("console.hint.owner_at_cap", owner=passage(wait.owner), running=count(wait.running), cap=count(owner_cap))
        case AnswerNeeded():
            return say("console.hint.answer", asker=name(wait.question.asker))
        case Undecided():
            return say("console.hint.undecided")
        case StepRuns():
            return explaining.running(wait)
        case StepWaits():
            if wait.role_state != "running":
                return say("console.hint.role_stopped", stage=name(wait.step.stage), role=name(wait.step.role))
            return explaining.waiting(wait)
        case StepDelayed():
            return explaining.delayed(wait)
