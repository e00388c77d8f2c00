"""A web server that answers as a Spark History Server does, from real event logs: its list of applications and its zips of logs."""

import io
import json
import zipfile
from collections.abc import Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.support.file_server import Answer, Request, give
from workers.engines.spark.eventlog import read_run

VERSION = json.dumps({"spark": "3.5.3"}).encode()


def history_answers(logs: Sequence[Path], base: str = "/") -> dict[str, Answer]:
    """Path → answer, for `file_server`. `base`: under which path of the server it lies."""
    rows = {log: _row(log) for log in logs}
    newest_first = sorted(rows.values(), key=lambda row: -row["attempts"][0]["endTimeEpoch"])
    api = f"{base}api/v1/"
    answers: dict[str, Answer] = {f"{api}version": give(VERSION), f"{api}applications": _listed(newest_first)}
    for log, row in rows.items():
        answers[f"{api}applications/{row['id']}"] = give(json.dumps(row).encode())
        answers[f"{api}applications/{row['id']}/logs"] = give(zip_of_log(log))
    return answers


def zip_of_log(log: Path) -> bytes:
    """The archive that the server makes of a log."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(log, log.name)
    return made.getvalue()


def _row(log: Path) -> dict[str, Any]:
    run = read_run(log)
    started, ended = run.started_at or 0, run.ended_at or 0
    attempt = {
        "startTime": _text(started),
        "endTime": _text(ended),
        "lastUpdated": _text(ended),
        "duration": ended - started,
        "sparkUser": "etl",
        "completed": True,
        "appSparkVersion": run.spark_version,
        "startTimeEpoch": started,
        "endTimeEpoch": ended,
        "lastUpdatedEpoch": ended,
    }
    return {"id": run.app_id, "name": run.app_name, "attempts": [attempt]}


def _text(at: int) -> str:
    return datetime.fromtimestamp(at / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%S.000GMT")


def _listed(rows: list[dict[str, Any]]) -> Answer:
    """The applications, filtered as the server filters them: `status`, `minDate`, `maxDate` and `limit`."""

    def answer(request: Request) -> None:
        asked = {name: values[0] for name, values in parse_qs(urlsplit(request.handler.path).query).items()}
        first, last = _day(asked.get("minDate")), _day(asked.get("maxDate"))
        days = [(row, datetime.fromtimestamp(row["attempts"][0]["startTimeEpoch"] / 1000, UTC).date()) for row in rows]
        meant = [row for row, day in days if (first is None or day >= first) and (last is None or day <= last)]
        give(json.dumps(meant[: int(asked.get("limit", len(meant)))]).encode())(request)

    return answer


def _day(text: str | None) -> date | None:
    return date.fromisoformat(text[:10]) if text else None
