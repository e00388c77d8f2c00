"""Files of the repository that are made from the code: `make schemas` writes them, a test fails when they drift."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter
from pydantic.fields import FieldInfo

from contracts import artefacts, bundles, code, commands, events, job_commands, jobs, reports, spark, tickets, verdicts
from tests.support.model_steps import table
from workers.kinds.base import Ref
from workers.kinds.registry import all_kinds, load_kinds
from workers.settings import Settings

ROOT = Path(__file__).parents[2]

SCHEMAS: dict[str, Any] = {
    "submit_job": jobs.SubmitJob,
    "run_step": commands.RunStep,
    "advance_job": commands.AdvanceJob,
    "submission_accepted": events.SubmissionAccepted,
    "submission_refused": events.SubmissionRefused,
    "job_command": job_commands.JobCommand,
    "job_asks": events.JobAsks,
    "command_taken": events.CommandTaken,
    "command_refused": events.CommandRefused,
    "job_finished": events.JobFinished,
    "answer_to_producer": events.SubmissionAccepted
    | events.SubmissionRefused
    | events.JobAsks
    | events.CommandTaken
    | events.CommandRefused
    | events.JobFinished,
    "report": reports.Report[Any],
    "question": reports.Question,
    "delegation": reports.Delegation,
    "remark": reports.Remark,
    "ticket": tickets.Ticket,
    "run_facts": spark.RunFacts,
    "script_facts": code.ScriptFacts,
    "table_facts": code.TableFacts,
    "stage_table": artefacts.StageTable,
    "skew_report": artefacts.SkewReport,
    "shuffle_log": artefacts.ShuffleLog,
    "configuration_facts": artefacts.ConfigurationFacts,
    "log_facts": artefacts.LogFacts,
    "source_text": artefacts.SourceText,
    "table_metadata": artefacts.TableMetadata,
    "findings": verdicts.Findings,
    "catalogue": bundles.Catalogue,
}


def generated_files() -> dict[Path, Callable[[], str]]:
    """Path → what makes the text that it must hold, which takes seconds for all of them."""
    load_kinds()
    contracts = SCHEMAS | {name: ref for kind in all_kinds() for name, ref in kind.schemas.items()}
    files = {ROOT / "contracts" / "schema" / f"{name}.schema.json": partial(_schema, contract) for name, contract in contracts.items()}
    files[ROOT / "docs" / "settings.md"] = _settings
    for page, reader in GRAMMARS.items():
        files[ROOT / "docs" / page] = partial(_grammar, page, reader)
    files[ROOT / "docs" / "models.md"] = _models
    return files


_MADE, _END = "by `make schemas` -->", "<!-- end -->"


GRAMMARS = {"questions.md": "questions", "logs.md": "logql/asking"}
"""Pages of docs that print a grammar → the folder of its reader in workers/engines."""


def _grammar(name: str, reader: str) -> str:
    """A page with the grammar as the program has it."""
    page = (ROOT / "docs" / name).read_text("utf-8")
    before, _, rest = page.partition(_MADE)
    _, _, behind = rest.partition(_END)
    folder = ROOT / "workers" / "engines" / reader
    grammar = (folder / "grammar.txt").read_text("utf-8").rstrip()
    return f"{before}{_MADE}\n\n```text\n{grammar}\n```\n\n{_END}{behind}"


def _models() -> str:
    """The page of models with the tasks that ask one, as the program has them."""
    before, _, rest = (ROOT / "docs" / "models.md").read_text("utf-8").partition(_MADE)
    return f"{before}{_MADE}\n\n{table()}\n\n{_END}{rest.partition(_END)[2]}"


def _schema(contract: Any) -> str:
    schema = TypeAdapter(contract.load() if isinstance(contract, Ref) else contract).json_schema()
    return json.dumps({"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}, indent=2, ensure_ascii=False) + "\n"


def _settings() -> str:
    lines = [
        "# Settings",
        "",
        "Every process reads these variables once, from its environment. `make schemas` generates this page from `workers/settings.py`.",
        "",
        "| variable | default | what it does |",
        "|---|---|---|",
    ]
    lines += [_row(name, field) for name, field in Settings.model_fields.items()]
    for kind in all_kinds():
        if kind.settings is not None:
            own = kind.settings.load().model_fields.items()
            lines += ["", f"## Jobs of kind `{kind.name}`", "", "| variable | default | what it does |", "|---|---|---|"]
            lines += [_row(name, field) for name, field in own]
    return "\n".join(lines) + "\n"


def _row(name: str, field: FieldInfo) -> str:
    default = field.default
    if isinstance(default, tuple):
        default = ",".join(default)  # as it is written in the environment
    shown = "" if default in (None, "", {}) else str(default).lower() if isinstance(default, bool) else str(default)
    description = (field.description or "").replace("|", "\\|")
    return f"| `BULLPEN_{name.upper()}` | {f'`{shown}`' if shown else 'none'} | {description} |"


def main() -> None:
    """Write them all."""
    for path, made in generated_files().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(made(), encoding="utf-8")


if __name__ == "__main__":
    main()
