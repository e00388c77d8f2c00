"""Playbooks: for each kind of job, the shape of its request and its stages. Data; the boss needs nothing else to know."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from pydantic import BaseModel

from contracts.base import Json
from contracts.stages import INPUT, MAX_STAGES, StageSpec, is_family, is_member
from contracts.statements import name, names, say
from workers.engines.language import language_of
from workers.errors import InvalidPlan, InvalidSubmission

TEXT_FIELDS = ("description", "requirement", "question", "text")
"""Fields of a request that hold its words, in this order, where its playbook names none."""


@dataclass(frozen=True, slots=True)
class Playbook:
    """One kind of job."""

    kind: str
    request: type[BaseModel]
    stages: tuple[StageSpec, ...]
    result: str = ""
    """The stage whose deliverable is the job's result, or a family such as `plan/*`, of which it is the last member's. By default
    the last stage; a job without stages has its input."""

    words: str = ""
    """The field of the request with the user's own words: they tell the language of the job, unless its field `language` does."""

    titled: Callable[[Json], str] | None = None
    """What a request without words is called in lists: its field `title`, which a contract with this has."""

    remarks_to: str = ""
    """The stage that takes what a person adds without naming a stage, also after the job has succeeded: that opens it again. Empty: the
    boss finds out which stage is meant, and a job that has ended takes nothing more."""

    def __post_init__(self) -> None:
        """Fill in the result."""
        if not self.result:
            object.__setattr__(self, "result", self.stages[-1].name if self.stages else INPUT)

    def language_of(self, request: Json) -> str | None:
        """The language of a validated request; None when the user wrote nothing."""
        chosen, words = request.get("language"), request.get(self.words) or request.get("title")
        return str(chosen) if chosen else language_of(str(words)) if words else None

    def read_request(self, job: Json) -> Json:
        """The validated request, defaults filled in. Raises pydantic's `ValidationError`."""
        request = self.request.model_validate(job).model_dump(mode="json")
        return request if self.titled is None or request.get(self.words) else {**request, "title": self.titled(request)}


_playbooks: dict[str, Playbook] = {}


def register_playbook(playbook: Playbook) -> None:
    """Make a kind of job known. Raises `InvalidPlan` when its stages do not form a plan or are more than a job may have, its result is not
    among them, or the kind is taken."""
    if _playbooks.get(playbook.kind, playbook) != playbook:
        raise InvalidPlan(f"Two playbooks for kind {playbook.kind!r}. Rename one.")
    check_stages(playbook.stages)
    names = [INPUT, *(stage.name for stage in playbook.stages)]
    if len(names) > MAX_STAGES:
        raise InvalidPlan(
            f"Playbook {playbook.kind!r} has {len(names)} stages with its input; {MAX_STAGES} are allowed. "
            "Let one stage do the work of several, or give the rest to a job of its own."
        )
    if not is_family(playbook.result) and playbook.result not in names:
        raise InvalidPlan(f"The result of playbook {playbook.kind!r} is {playbook.result}, which is not one of: {', '.join(names)}.")
    if playbook.remarks_to and playbook.remarks_to not in names:
        raise InvalidPlan(f"Remarks to playbook {playbook.kind!r} go to {playbook.remarks_to}, which is not one of: {', '.join(names)}.")
    _playbooks[playbook.kind] = playbook


def find_playbook(kind: object) -> Playbook:
    """The playbook of a kind. Raises `InvalidSubmission`, naming the kinds there are."""
    playbook = _playbooks.get(kind) if isinstance(kind, str) else None
    if playbook is None:
        raise InvalidSubmission.of(say("refused.kind_unknown", kind=name(repr(str(kind)[:80])), kinds=names(sorted(_playbooks))))
    return playbook


def kinds() -> list[str]:
    """The kinds of jobs this process knows."""
    return sorted(_playbooks)


def check_stages(stages: Iterable[StageSpec]) -> None:
    """Raises `InvalidPlan` unless the needs of every stage come before it and no two stages have one name.

    A family that a stage needs has a member before it, or the stage also needs something beside the input that may add members:
    else it would run before there are any.
    """
    seen = [INPUT]
    for stage in stages:
        may_add = any(need != INPUT and _has_stage_of(need, seen) for need in stage.needs)
        missing = [need for need in stage.needs if not (_has_stage_of(need, seen) or (is_family(need) and may_add))]
        if missing:
            raise InvalidPlan(f"Stage {stage.name} needs {', '.join(missing)}, which must come before it.")
        own = [need for need in stage.needs if is_member(stage.name, need)]
        if own:
            raise InvalidPlan(f"Stage {stage.name} needs {', '.join(own)}, to which it belongs.")
        if stage.name in seen:
            raise InvalidPlan(f"Two stages are called {stage.name}.")
        seen.append(stage.name)


def _has_stage_of(need: str, names: Iterable[str]) -> bool:
    return any(name == need or is_member(name, need) for name in names)
