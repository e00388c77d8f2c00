"""The dialogues that come with Bullpen: made-up companies, each a folder of `made_up` with its database, documents and log."""

import json
import shutil
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from contracts.ask.tools import Tool
from contracts.base import Json
from workers import samples
from workers.catalogue.importing import Form
from workers.kinds.ask.evaluation.dialogues import Dialogue, Turn

FOLDER = Path(__file__).parent / "made_up"

_FIND, _WRITE, _RUN = Tool.DATA_DISCOVERY.value, Tool.GENERATE_SQL.value, Tool.EXECUTE.value


def _shape(route: Sequence[str], intent: str, ends: str, may: Sequence[str] = (), never: Sequence[str] = ()) -> Json:
    return {"route": list(route), "final_intent": intent, "ends_with": ends, "may_call": list(may), "must_not_call": list(never)}


_SHAPES: Mapping[str, Json] = {
    "tables": _shape([_FIND], _FIND, "tables", never=[_WRITE, _RUN]),
    "sql": _shape([_FIND, _WRITE], _WRITE, "sql_for_confirmation", never=[_RUN]),
    "offered": _shape([_FIND, _WRITE], _RUN, "sql_for_confirmation", never=[_RUN]),
    "again_offered": _shape([_WRITE], _RUN, "sql_for_confirmation", [_FIND], [_RUN]),
    "run": _shape([_RUN], _RUN, "answer", never=[_WRITE]),
    "shown": _shape([], _RUN, "answer", [_RUN]),
    "result": _shape([_FIND, _WRITE, _RUN], _RUN, "answer"),
    "again": _shape([_WRITE, _RUN], _RUN, "answer", [_FIND]),
    "fixed": _shape([Tool.FIX_SQL.value], Tool.FIX_SQL.value, "sql", never=[_RUN]),
    "fixed_run": _shape([Tool.FIX_SQL.value, _RUN], _RUN, "answer"),
    "explained": _shape([Tool.EXPLAIN_SQL.value], Tool.EXPLAIN_SQL.value, "answer", never=[_RUN]),
    "why": _shape([Tool.ASK_HUMAN.value], Tool.ASK_HUMAN.value, "question", [_FIND], [_RUN, _WRITE]),
    "thanks": _shape([], Tool.ASK_HUMAN.value, "answer", never=[_FIND, _WRITE, _RUN]),
    "question": _shape([Tool.ASK_HUMAN.value], Tool.ASK_HUMAN.value, "question", [_FIND], [_RUN]),
    "refusal": _shape([Tool.REJECT.value], Tool.REJECT.value, "refusal", never=[_RUN]),
    "passages": _shape([Tool.DATASUITE_FAQ.value], Tool.DATASUITE_FAQ.value, "answer", never=[_RUN]),
    "logs": _shape([Tool.SEARCH_LOG.value], Tool.SEARCH_LOG.value, "answer"),
}
"""Name of an expectation in `dialogues.yaml` → route, final intent and ending."""


class Companies:
    """See `workers.kinds.ask.evaluation.material.Material`."""

    def dialogues(self) -> Iterator[Dialogue]:
        """The dialogues of all companies."""
        for folder in sorted(path for path in FOLDER.iterdir() if (path / "dialogues.yaml").is_file()):
            for raw in yaml.safe_load((folder / "dialogues.yaml").read_text("utf-8")):
                yield _dialogue(folder, raw)

    def lay_database(self, name: str, path: Path) -> None:
        """Run the script of the database."""
        path.unlink(missing_ok=True)
        with closing(sqlite3.connect(path)) as connection:
            connection.executescript(_script(name))

    def lay_descriptions(self, name: str, folder: Path) -> tuple[Path, Form]:
        """The statements that create the tables, with their comments."""
        path = folder / f"{name}.sql"
        text = _script(name)
        path.write_text(text.split("INSERT INTO", 1)[0], "utf-8")
        return path, Form.DDL

    def lay_documents(self, folder: Path) -> None:
        """The documents of all companies."""
        for path in FOLDER.glob("*/documents/*.md"):
            shutil.copy(path, folder / path.name)

    def lay_log(self, name: str, folder: Path) -> None:
        """Copy the lines."""
        shutil.copy(FOLDER / name / "logs.jsonl", folder / "logs.jsonl")


def _script(name: str) -> str:
    """The statements of the company's tables: its own, or those that other evaluations share."""
    return samples.script_of(name, own=FOLDER / name / "schema.sql")


def _dialogue(folder: Path, raw: dict[str, Any]) -> Dialogue:
    has_logs = raw.get("logs", False)
    return Dialogue(
        id=raw["id"], lang=raw["lang"], strategy=raw["strategy"], databases=(folder.name,),
        turns=tuple(_turn(folder.name, turn, previous) for turn, previous in _with_previous(raw["turns"])),
        has_documents=raw.get("documents", False), logs=folder.name if has_logs else "",
    )  # fmt: skip


def _with_previous(turns: Sequence[Json]) -> Iterator[tuple[Json, Json]]:
    return zip(turns, [{}, *turns], strict=False)


def _turn(company: str, raw: Json, previous: Json) -> Turn:
    shapes: Any = raw["as"]
    golds: Any = raw.get("gold") or []
    more: Json = {key: raw[key] for key in ("tables", "cites", "ordered") if key in raw}
    more |= {f"{key}_any": raw[key] for key in ("must_say", "options") if key in raw}
    if "chart" in raw:
        more["chart"] = {"kind": raw["chart"]}
    if "lines" in raw:
        more["log"] = {"lines": _log_lines(company, raw["lines"]), "selector": {}}
    if "by" in raw:
        more["log"] = {"series": _series(company, previous["lines"], raw["by"])}
    results = [{"result": {"rows": _rows(company, gold)}} for gold in ([golds] if isinstance(golds, str) else golds)] or [{}]
    expected = [
        _SHAPES[shape] | more | result for shape in ([shapes] if isinstance(shapes, str) else shapes) for result in results
    ]  # fmt: skip
    return Turn(user=raw["say"], fields=raw.get("fields") or {}, expect=expected[0], or_else=tuple(expected[1:]))


@lru_cache(8)
def _database(company: str) -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:", check_same_thread=False)
    connection.executescript(_script(company))
    return connection


def _rows(company: str, gold: str) -> list[list[Any]]:
    """What the reference query yields; a column `month` as the first day of the month, as a statement of ours has it."""
    found = _database(company).execute(gold)
    months = [column[0] == "month" for column in found.description]
    return [[f"{cell}-01" if is_month else cell for cell, is_month in zip(row, months, strict=True)] for row in found.fetchall()]


def _log_lines(company: str, wanted: Json) -> list[Json]:
    since, until = (datetime.fromisoformat(f"{wanted[edge]}:00+00:00") for edge in ("since", "until"))
    labels = {key: value for key, value in wanted.items() if key not in ("since", "until")}
    entries = map(json.loads, (FOLDER / company / "logs.jsonl").read_text("utf-8").splitlines())
    return [
        entry for entry in entries
        if since <= datetime.fromisoformat(entry["ts"]) < until and labels.items() <= entry["labels"].items()
    ]  # fmt: skip


def _series(company: str, wanted: Json, label: str) -> list[Json]:
    counts: dict[str, int] = {}
    for entry in _log_lines(company, wanted):
        counts[entry["labels"][label]] = counts.get(entry["labels"][label], 0) + 1
    return [{"labels": {label: value}, "value": count} for value, count in counts.items()]
