"""What a stage of a job is called in plain words, by its task, for every shell."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from contracts.statements import Listing, Name, Shown, Statement, Term, passage
from workers.coordinator.playbooks import find_playbook
from workers.errors import BullpenError
from workers.saying import INSTALLED, add_catalogue, text_of

add_catalogue(Path(__file__).with_name("locale"))


def known_text(code: str, language: str) -> str | None:
    """A text of the console; None: there is none with this code."""
    return text_of(Term(code=code), language) if INSTALLED.own(code, language) else None


def stage_label(stage: str, task: str | None, language: str) -> str:
    """A stage by its task: `script/2` is the second script."""
    base, _, number = stage.partition("/")
    known = (task and known_text(f"console.task.{plain_code(task)}", language)) or known_text(f"console.stage.{plain_code(base)}", language)
    label = known or base.replace("_", " ").capitalize()
    return f"{label} {number}" if number else label


def task_in(kind: str, stage: str) -> str | None:
    """The task of a stage that every job of a kind has; None: stages of this name are added by the work."""
    try:
        return next((found.task for found in find_playbook(kind).stages if found.name == stage), None)
    except BullpenError:  # a kind that this release does not know
        return None


_Statement = TypeVar("_Statement", bound=Shown)

_STAGES, _ROLES = frozenset({"stage", "stages", "asker"}), frozenset({"role"})
"""The values of statements that name stages, and roles."""


def in_plain_words(shown: _Statement, stage: Callable[[str], str], role: Callable[[str], str]) -> _Statement:
    """The same with what stages and roles are called in the place of their names."""

    def called(value: Shown, call: Callable[[str], str] | None) -> Shown:
        match value:
            case Name(text=text) if call is not None:
                return passage(call(text))
            case Listing(items=items):
                return value.model_copy(update={"items": tuple(called(item, call) for item in items)})
            case Statement(values=values):
                calls = {key: stage if key in _STAGES else role if key in _ROLES else None for key in values}
                return value.model_copy(update={"values": {key: called(inner, calls[key]) for key, inner in values.items()}})
            case _:
                return value

    return called(shown, None)  # pyright: ignore[reportReturnType] each case gives what it got


def plain_code(name: str) -> str:
    """A name as a part of a code."""
    return name.lower().replace("-", "_")
