"""Traces of the real fleet, taken by a server that speaks OTLP: one trace from queue to queue, and no user text in it."""

import subprocess
import sys
from typing import Any

import pytest

from contracts.roles import COORDINATOR
from tests.acceptance.conftest import MakeFleet
from tests.support.otlp_server import otlp_server
from tests.support.relay import ROLES

pytestmark = pytest.mark.acceptance


def test_a_job_s_way_through_the_queues_is_traced(make_fleet: MakeFleet) -> None:
    pytest.importorskip("opentelemetry.exporter.otlp.proto.http")
    pytest.importorskip("opentelemetry.instrumentation.celery")
    with otlp_server() as collector:
        fleet = make_fleet({"BULLPEN_OTEL": "true", "OTEL_EXPORTER_OTLP_ENDPOINT": collector.url, "OTEL_BSP_SCHEDULE_DELAY": "200"})
        fleet.start(COORDINATOR, *ROLES)
        job_id = fleet.submit(text="my password is hunter2")
        fleet.wait_status(job_id)

        def steps() -> list[Any]:
            return [span for _, span in collector.spans if any(attribute.key == "bullpen.step_id" for attribute in span.attributes)]

        def from_queue_to_queue() -> bool:
            """Each process sends its spans when it likes."""
            of_step = [{service for service, span in collector.spans if span.trace_id == step.trace_id} for step in steps()]
            return len(of_step) >= 3 and all("bullpen-coordinator" in services and len(services) > 1 for services in of_step)

        fleet.wait_until(from_queue_to_queue, "three steps are traced from queue to queue")

        assert "hunter2" not in str(collector.spans)


def test_without_the_setting_nothing_is_loaded() -> None:
    names = "('opentelemetry.instrumentation', 'opentelemetry.exporter')"
    code = f"import sys, workers.app.worker, workers.llm.chat; print([name for name in sys.modules if name.startswith({names})])"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=180, check=True)

    assert done.stdout.strip() == "[]"
