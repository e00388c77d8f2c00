"""What a stage of a job is called in plain words, by its task, for every shell."""

from pathlib import Path

from contracts.statements import Term
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


def plain_code(name: str) -> str:
    """A name as a part of a code."""
    return name.lower().replace("-", "_")
