"""What is made from the code stands in the repository as the code says it."""

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from contracts.base import Contract
from contracts.commands import AdvanceJob, NewerVersion, RunStep, upcast
from contracts.jobs import SubmitJob
from tests.support.generated import ROOT, SCHEMAS, generated_files

GENERATED = generated_files()
SAMPLES = Path(__file__).with_name("messages_0_1.jsonl")


@pytest.mark.parametrize("path", sorted(GENERATED), ids=lambda path: path.name)
def test_a_generated_file_says_what_the_code_says(path: Path) -> None:
    """F2. If it fails: `make schemas`, and look at the difference; a change of a message must stay readable to old workers."""
    assert path.is_file(), f"{path.relative_to(ROOT)} is not there; run `make schemas`"
    assert path.read_text("utf-8") == GENERATED[path]()


def test_every_schema_is_a_json_schema() -> None:
    import jsonschema

    for name, contract in SCHEMAS.items():
        jsonschema.Draft202012Validator.check_schema(TypeAdapter(contract).json_schema())
        assert name


@pytest.mark.parametrize("line", SAMPLES.read_text("utf-8").splitlines(), ids=lambda line: json.loads(line)["kind"])
def test_a_message_that_release_0_1_sent_is_still_read(line: str) -> None:
    """F2: messages we sent once stay readable."""
    sample: dict[str, Any] = json.loads(line)
    contracts: dict[str, type[Contract]] = {"run_step": RunStep, "advance_job": AdvanceJob, "submit_job": SubmitJob}

    read = contracts[sample["kind"]].model_validate(upcast(sample["message"]))

    for key, value in sample["message"].items():
        assert read.to_json()[key] == value


def test_an_unknown_field_of_a_newer_minor_release_is_ignored() -> None:
    message = {"job_id": "01a1fc51-b3d8-7641-ac6e-0a4d429c8979", "color": "blue"}

    assert str(AdvanceJob.model_validate(upcast(message)).job_id) == message["job_id"]


@pytest.mark.parametrize("version", [2, 17])
def test_a_newer_message_is_told_apart_from_a_bad_one(version: int) -> None:
    with pytest.raises(NewerVersion, match=f"version {version} is newer"):
        upcast({"v": version})


@pytest.mark.parametrize("raw", [[], "text", None, {"v": "1"}, {"v": 0}, {"v": True}, {"v": 1.5}])
def test_what_is_no_message_is_refused(raw: object) -> None:
    with pytest.raises(ValueError, match="message"):
        upcast(raw)
