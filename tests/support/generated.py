"""Files of the repository that are made from the code: `make schemas` writes them, a test fails when they drift."""

import json
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from contracts import (
    commands,
    diagnosis,
    events,
    jobs,
    reports,
    tuning,
    tuning_artefacts,
    tuning_bundle,
    tuning_plan,
    tuning_sources,
    tuning_steps,
    tuning_verdicts,
)
from workers.settings import Settings

ROOT = Path(__file__).parents[2]

SCHEMAS: dict[str, Any] = {
    "submit_job": jobs.SubmitJob,
    "diagnose_request": jobs.DiagnoseRequest,
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
    "ticket": diagnosis.Ticket,
    "ticket_evidence": diagnosis.TicketEvidence,
    "phenomenon_question": diagnosis.PhenomenonQuestion,
    "diagnosis": diagnosis.Diagnosis,
    "run_facts": tuning.RunFacts,
    "script_facts": tuning_sources.ScriptFacts,
    "table_facts": tuning_sources.TableFacts,
    "stage_table": tuning_artefacts.StageTable,
    "skew_report": tuning_artefacts.SkewReport,
    "shuffle_log": tuning_artefacts.ShuffleLog,
    "configuration_facts": tuning_artefacts.ConfigurationFacts,
    "log_facts": tuning_artefacts.LogFacts,
    "source_text": tuning_artefacts.SourceText,
    "table_metadata": tuning_artefacts.TableMetadata,
    "findings": tuning_verdicts.Findings,
    "tune_request": jobs.TuneRequest,
    "catalogue": tuning_bundle.Catalogue,
    "classification": tuning_steps.Classification,
    "key_code": tuning_steps.KeyCode,
    "experience_found": tuning_steps.ExperienceFound,
    "causes": tuning_steps.Causes,
    "evidence": tuning_steps.Evidence,
    "information_check": tuning_steps.InformationCheck,
    "tuning_plan": tuning_plan.TuningPlan,
    "tuning_report": tuning_plan.TuningReport,
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
