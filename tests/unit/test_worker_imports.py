"""A worker imports what its own role runs, when it runs it."""

import subprocess
import sys

import pytest

WHAT_ROLES_BRING = "workers.tickets workers.kinds.diagnose.rules workers.kinds.tune.rules workers.bundles numpy sqlalchemy"


def test_a_worker_starts_without_the_code_of_any_role():
    code = (
        "import sys, workers.app.worker as worker; worker.load_kinds(); "
        f"print([name for name in '{WHAT_ROLES_BRING}'.split() if name in sys.modules])"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=180, check=True)

    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("program", ["workers.app.redis_transport", "workers.app.worker", "workers.gateway.app"])
def test_the_transport_the_workers_and_the_gateway_do_without_the_metrics_of_redis(program: str):
    """They cost each start 0.12 s where the SDK of OpenTelemetry is installed, and nobody switches them on."""
    sdk = "opentelemetry.sdk.metrics"
    code = f"import sys, {program}; print('{sdk}' in sys.modules); import {sdk}; print('{sdk}' in sys.modules)"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=180, check=True)

    assert done.stdout.split() == ["False", "True"]


def test_what_supervises_a_fleet_loads_nothing_that_reads_data():
    """Not even to migrate the database, which Alembic's own program compares with all tables: it is there as long as the fleet."""
    heavy = "sqlglot duckdb numpy alembic sqlalchemy workers.catalogue workers.tickets workers.engines.questions"
    code = (
        "import sys, workers.cli.up\n"
        f"print([name for name in '{heavy}'.split() if name in sys.modules])\n"
        "import alembic, migrations; from unittest import mock\n"
        "with mock.patch.object(alembic, 'context', mock.MagicMock(), create=True): import migrations.env\n"
        f"print([name for name in '{heavy}'.split() if name in sys.modules])"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=180, check=True)

    assert done.stdout.splitlines() == ["[]", "['alembic', 'sqlalchemy']"]


def test_the_boss_s_rules_load_no_database():
    code = "import sys, workers.coordinator.decide; print([name for name in ('psycopg', 'sqlalchemy', 'structlog') if name in sys.modules])"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=180, check=True)

    assert done.stdout.strip() == "[]"


def test_a_report_of_a_question_is_shown_without_the_engine_that_reads_questions():
    """The command that asked prints it: reading questions is a worker's work, and loading it took 0.24 s of each `bullpen ask`."""
    heavy = "workers.engines.questions sqlglot cn2an"
    code = f"import sys, workers.kinds.ask.view; print([name for name in '{heavy}'.split() if name in sys.modules])"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=180, check=True)

    assert done.stdout.strip() == "[]"
