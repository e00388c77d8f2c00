"""Requirements that a strong model worked on at first sight, played again: what code makes of its answers. Cases and answers are kept under
tests/recordings/requirements, each answer by its role, so that a prompt may be worded in another way. No right row depends on the day."""

import json
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from contracts.jobs import EngineChoice, JobStatus
from contracts.sources import Source, SourceKind
from tests.evals.ask_first_sight import Company
from tests.evals.etl_first_sight import Trial, key_of
from tests.support.benches import silent_bench
from tests.support.campaign import sample
from tests.support.databases import Databases
from tests.support.etl_jobs import package_of
from tests.support.openai_server import Heard, Say, good, openai_server
from workers.catalogue.importing import import_source
from workers.evaluation.bench import EmbeddedBench
from workers.kinds.etl.roles.loader import statements_of
from workers.settings import load_settings
from workers.sources import add_source
from workers.sources.addresses import variable

RECORDED = Path(__file__).parents[1] / "recordings" / "requirements"


@contextmanager
def bench_with(company: str, home: Path, databases: Databases, monkeypatch: pytest.MonkeyPatch) -> Generator[tuple[EmbeddedBench, Company]]:
    """A bench whose source is the company and whose model gives the answers that were recorded for the requirement in its prompt."""
    answers = {item["id"]: item for item in map(json.loads, (RECORDED / company / "answers.jsonl").read_text("utf-8").splitlines())}
    home.mkdir()
    known = Company(RECORDED / company, home)
    monkeypatch.setenv(variable(company), f"duckdb:///{known.path}")

    def say(heard: Heard) -> Say:
        words = "\n".join(str(message["content"]) for message in heard.body["messages"])
        case = next((case for case in known.cases if case["requirement"] in words), None)
        if case is None:  # whether it calls tools
            return good({})
        if "You review the scripts" in words:
            return good({"step": {"final": {"remarks": []}}})
        return good(answers[case["id"]]["analyst" if "You are the analyst" in words else "developer"])

    with openai_server() as server:
        server.by_prompt = say
        given: dict[str, Any] = {
            "home": home, "embeddings": "none", "model": "test-model", "model_base_url": server.base_url,
            "model_retries": 0, "model_timeout_s": 10.0, "max_attempts": 1, "model_context_tokens": 128_000,
        }  # fmt: skip
        with silent_bench(load_settings().model_copy(update=given), databases) as bench:
            add_source(bench.database, bench.settings.data_dir, Source(name=company, kind=SourceKind.DUCKDB))
            import_source(bench.database, bench.embedder, bench.settings.data_dir, company)
            yield bench, known


def test_a_recorded_model_s_packages_are_delivered_and_leave_the_right_rows(
    tmp_path: Path, databases: Databases, monkeypatch: pytest.MonkeyPatch
) -> None:
    """E3: nothing that holds is objected to, and nothing that is there is destroyed. Overwrite 2, upsert 1, history 1; two in Chinese."""
    with bench_with("vetclinic", tmp_path / "home", databases, monkeypatch) as (bench, company):
        for case in sample(company.cases, every=2):
            done = bench.run_job({"kind": "etl", "requirement": case["requirement"], "source": company.name}, EngineChoice.LLM)
            assert done.status is JobStatus.SUCCEEDED, (case["id"], done)
            package = package_of(done)
            target = package.analysis.target
            score = Trial(company, target, statements_of(package)).score(case)
            assert score["right"], (case["id"], score)
            assert score["destructive"] == [], case["id"]
            assert (target.mode.value, set(key_of(target))) == (case["mode"], set(case["key"])), case["id"]
