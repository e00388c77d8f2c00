"""Whether a job that insists on a model is taken: what its workers have counts as well as the settings of the process that takes it."""

from types import SimpleNamespace
from typing import Any

import pytest

from workers.app import fleet_models
from workers.app.services import ProcessServices


@pytest.mark.parametrize(
    ("own", "of_workers", "may"),
    [(True, None, True), (False, ("qwen3-32b",), True), (False, (), False), (False, None, False)],
)
def test_a_gateway_without_a_model_takes_what_its_workers_can_do(
    own: bool, of_workers: tuple[str, ...] | None, may: bool, monkeypatch: pytest.MonkeyPatch
):
    """It refused `--engine llm` by its own settings, with the words that the fleet has none."""
    monkeypatch.setattr(fleet_models, "fleet_models", lambda _: of_workers)
    services: Any = SimpleNamespace(settings=SimpleNamespace(has_model=own), celery=None)

    assert ProcessServices.may_have_model(services) is may
