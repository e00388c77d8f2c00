"""What dialogues are about: databases, documents and logs, from a data folder."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

from contracts.base import Json
from workers.catalogue.importing import Form
from workers.kinds.ask.evaluation.dialogues import Dialogue, read_dialogues


class DataFolder:
    """A folder that holds `ask` (dialogues, questions and answers, log lines) and `nl2sql` (databases)."""

    def __init__(self, data: Path) -> None:
        self._data = data

    def dialogues(self) -> Iterator[Dialogue]:
        """All dialogues."""
        return read_dialogues(self._data / "ask")

    def lay_database(self, name: str, path: Path) -> None:
        """Copy the SQLite database."""
        shutil.copy(self._data / "nl2sql" / "sqlite" / f"{name}.sqlite", path)

    def lay_descriptions(self, name: str, folder: Path) -> tuple[Path, Form]:
        """Write the database's part of `catalogue.jsonl`; its path, and its form for the catalogue."""
        path = folder / f"{name}.jsonl"
        lines = (self._data / "nl2sql" / "catalogue.jsonl").read_text("utf-8").splitlines()
        entries = [json.loads(line) | {"schema": "main"} for line in lines if json.loads(line)["db"] == name]
        path.write_text("\n".join(map(json.dumps, entries)), "utf-8")
        return path, Form.TABLES

    def lay_documents(self, folder: Path) -> None:
        """Write the questions and answers, a document each in English and in Chinese."""
        for line in (self._data / "ask" / "faq.jsonl").read_text("utf-8").splitlines():
            entry: Json = json.loads(line)
            for language in ("en", "zh"):
                text = f"# {entry[f'q_{language}']}\n\n{entry[f'a_{language}']}\n"
                (folder / f"{entry['id']}.{language}.md").write_text(text, "utf-8")

    def lay_log(self, folder: Path) -> None:
        """Copy the log lines."""
        shutil.copy(self._data / "ask" / "logs.jsonl", folder / "logs.jsonl")
