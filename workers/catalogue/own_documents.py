"""Bullpen's own documents in the catalogue, so that `ask` can say how Bullpen is used.

They are kept apart from what users imported: only a search that asks for them finds them, so that nothing of a user's data is answered from
the manual.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import workers
from contracts.catalogue import CatalogueReport, NodeKind
from workers.blackboard.engine import Database
from workers.catalogue.forms.documents import read_documents
from workers.catalogue.nodes import OWN, Node
from workers.catalogue.store import Item, import_items

QUESTIONS = ("faq.md", "faq.zh.md")
"""Pages of questions and answers: each heading is a question."""

PAGES = (
    *QUESTIONS, "analyze.md", "ask.md", "catalogue.md", "console.md", "diagnose.md", "etl.md", "gateway.md", "logs.md", "models.md",
    "operate.md", "procedures.md", "questions.md", "sessions.md", "settings.md", "skills.md", "sources.md", "submitting.md", "tools.md",
    "tune.md",
)  # fmt: skip
"""The pages for users. Those for contributors, and those on how good something is, would be passages that answer no question."""


def documents_folder() -> Path:
    """The folder of this release's documents: inside an installed package, or at the top of a source checkout."""
    package = Path(workers.__file__ or "").parent
    installed = package / "documents"
    return installed if installed.is_dir() else package.parent / "docs"


def import_own_documents(db: Database) -> CatalogueReport:
    """Take in the pages of this release; what an earlier release said and this one does not is marked as gone."""
    return import_items(db, f"documents:{OWN}", _sections(documents_folder()))


def _sections(folder: Path) -> Iterator[Item]:
    for name in PAGES:
        for item in read_documents(folder / name, OWN):
            if not isinstance(item, Node) or item.kind is not NodeKind.DOCUMENT:
                continue
            if name not in QUESTIONS or item.content.get("heading"):  # the words above the first question answer nothing
                yield replace(item, content={**item.content, "path": f"docs/{name}"})
