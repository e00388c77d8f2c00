"""Files of the repository that are made from the code: `make schemas` writes them, a test fails when they drift."""

import json
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from contracts import artefacts, bundles, code, commands, events, jobs, reports, spark, tickets, verdicts
from contracts.diagnose import deliverables as diagnosis
from contracts.diagnose.request import DiagnoseRequest
from contracts.tune import plan, steps
from contracts.tune.request import TuneRequest
from workers.settings import Settings

ROOT = Path(__file__).parents[2]

SCHEMAS: dict[str, Any] = {
    "submit_job": jobs.SubmitJob,
    "diagnose_request": DiagnoseRequest,
    "run_step": commands.RunStep,
    "advance_job": commands.AdvanceJob,
    "submission_accepted": events.SubmissionAccepted,
    "submission_refused": events.SubmissionRefused,
    "job_finished": events.JobFinished,
    "answer_to_producer": events.SubmissionAccepted | events.SubmissionRefused | events.JobFinished,
    "report": reports.Report[Any],
    "question": reports.Question,
    "delegation": reports.Delegation,
    "remark": reports.Remark,
    "ticket": tickets.Ticket,
    "ticket_evidence": tickets.TicketEvidence,
    "phenomenon_question": diagnosis.PhenomenonQuestion,
    "diagnosis": diagnosis.Diagnosis,
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
    "tune_request": TuneRequest,
    "catalogue": bundles.Catalogue,
    "classification": steps.Classification,
    "key_code": steps.KeyCode,
    "experience_found": steps.ExperienceFound,
    "causes": steps.Causes,
    "evidence": steps.Evidence,
    "information_check": steps.InformationCheck,
    "tuning_plan": plan.TuningPlan,
    "tuning_report": plan.TuningReport,
}


def generated_files() -> dict[Path, str]:
    """Path → what it must hold."""
    files = {ROOT / "contracts" / "schema" / f"{name}.schema.json": _schema(contract) for name, contract in SCHEMAS.items()}
    files[ROOT / "docs" / "settings.md"] = _settings()
    return files


def _schema(contract: Any) -> str:
    schema = TypeAdapter(contract).json_schema()
    return json.dumps({"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}, indent=2, ensure_ascii=False) + "\n"


def _settings() -> str:
    lines = [
        "# Settings",
        "",
        "Every process reads these once from its environment. Made from `workers/settings.py`; `make schemas` writes this page anew.",
        "",
        "| variable | default | what it does |",
        "|---|---|---|",
    ]
    for name, field in Settings.model_fields.items():
        default = field.default
        if isinstance(default, tuple):
            default = ",".join(default)  # as it is written in the environment
        shown = "" if default in (None, "", {}) else str(default).lower() if isinstance(default, bool) else str(default)
        description = (field.description or "").replace("|", "\\|")
        lines.append(f"| `BULLPEN_{name.upper()}` | {f'`{shown}`' if shown else 'none'} | {description} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Write them all."""
    for path, text in generated_files().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
