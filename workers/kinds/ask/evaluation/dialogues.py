"""Dialogues as they are scripted: what the user says in each turn, and what a good answer has."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from contracts.base import Contract, Json


class Turn(Contract):
    """A message of the user, and what is expected of its answer."""

    user: str
    fields: Json = {}
    expect: Json


class Dialogue(Contract):
    """A conversation over databases, documents or logs."""

    id: str
    lang: str
    databases: tuple[str, ...]
    strategy: str
    turns: tuple[Turn, ...]
    has_documents: bool = False
    logs: str = ""
    """The name of the log that it may search; empty: none."""


def read_dialogues(folder: Path) -> Iterator[Dialogue]:
    """The dialogues of `dialogues.jsonl`."""
    for line in (folder / "dialogues.jsonl").read_text("utf-8").splitlines():
        raw: dict[str, Any] = json.loads(line)
        names: Any = raw.get("db") or []
        yield Dialogue(
            id=raw["id"],
            lang=raw["lang"],
            databases=(names,) if isinstance(names, str) else tuple(names),
            strategy="direct" if raw["strategy"] == "llm" else "confirm",
            turns=tuple(Turn(user=turn["user"], fields=turn.get("fields") or {}, expect=turn["expect"]) for turn in raw["turns"]),
            has_documents=bool(raw.get("faq")),
            logs="platform" if raw.get("logs") else "",
        )
