"""The board and the alerts: each expression uses metrics and labels that the fleet has."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from prometheus_client import CollectorRegistry

from workers import metrics
from workers.metrics import COUNTED, READ, Metric

DEPLOY = Path(__file__).parents[2] / "deploy"
NAME = re.compile(r"\b(?:bullpen|flower|process)_[a-z_]+")
SELECTOR = re.compile(r"\b([a-z]+_[a-z_]+)\{([^}]*)\}")
GROUPED = re.compile(r"\b(?:by|on|without)\s*\(([^)]*)\)")
SUFFIXES = {"counter": ("",), "gauge": ("",), "histogram": ("_bucket", "_sum", "_count")}
OF_PROMETHEUS = {"job", "instance", "le"}
KNOWN: dict[str, Metric] = {f"{metric.name}{suffix}": metric for metric in (*COUNTED, *READ) for suffix in SUFFIXES[metric.kind]}


def alerts() -> Iterator[tuple[str, str]]:
    for group in yaml.safe_load((DEPLOY / "prometheus" / "alerts.yml").read_text())["groups"]:
        for rule in group["rules"]:
            yield rule["alert"], rule["expr"]


def board() -> Iterator[tuple[str, str]]:
    for panel in json.loads((DEPLOY / "grafana" / "bullpen.json").read_text())["panels"]:
        for target in panel["targets"]:
            yield panel["title"], target["expr"]


def faults(expression: str) -> list[str]:
    """What an expression uses that does not exist."""
    ours = {name for name in NAME.findall(expression) if name.startswith("bullpen_")}
    found = [f"no metric {name}" for name in ours if name not in KNOWN]
    labels = {label for name in ours & KNOWN.keys() for label in KNOWN[name].labels} | OF_PROMETHEUS
    for name, inside in SELECTOR.findall(expression):
        allowed = {*KNOWN[name].labels, *OF_PROMETHEUS} if name in KNOWN else None
        found += [f"{name} has no label {label}" for label in re.findall(r"(\w+)\s*[=!]", inside) if allowed and label not in allowed]
    if ours:
        for inside in GROUPED.findall(expression):
            found += [f"no label {label.strip()}" for label in inside.split(",") if label.strip() and label.strip() not in labels]
    for opening, closing in ("()", "{}", "[]"):
        if expression.count(opening) != expression.count(closing):
            found.append(f"unbalanced {opening}{closing}")
    for name in ours & KNOWN.keys():
        is_rate = re.search(rf"\b(?:rate|increase)\({name}(?:\{{[^}}]*\}})?\[", expression) is not None
        if is_rate != (KNOWN[name].kind != "gauge"):
            found.append(f"{name} is a {KNOWN[name].kind}")
    return found


@pytest.mark.parametrize(("title", "expression"), [*alerts(), *board()])
def test_an_expression_uses_what_the_fleet_has(title: str, expression: str) -> None:
    assert faults(expression) == [], f"{title}: {expression}"


@pytest.mark.parametrize(
    "expression",
    [
        "max(bullpen_queue_depth)",
        'rate(bullpen_steps_total{state="failed"}[5m])',
        "sum by (rolle) (rate(bullpen_steps_total[5m]))",
        "rate(bullpen_queue_age_seconds[5m])",
        "sum(bullpen_steps_total)",
        "rate(bullpen_step_duration_seconds[5m])",
        "max(bullpen_queue_age_seconds",
    ],
)
def test_a_wrong_expression_would_be_found(expression: str) -> None:
    assert faults(expression) != []


def test_every_metric_is_on_the_board_or_in_an_alert() -> None:
    shown = {name for _, expression in (*alerts(), *board()) for name in NAME.findall(expression)}

    assert [metric.name for metric in (*COUNTED, *READ) if not any(name in KNOWN and KNOWN[name] is metric for name in shown)] == []


def test_every_label_of_an_alert_s_text_is_a_label_of_its_expression() -> None:
    for group in yaml.safe_load((DEPLOY / "prometheus" / "alerts.yml").read_text())["groups"]:
        for rule in group["rules"]:
            for label in re.findall(r"\$labels\.(\w+)", str(rule["annotations"])):
                assert label in " ".join(GROUPED.findall(rule["expr"])), rule["alert"]


def test_the_declared_metrics_are_what_a_registry_serves() -> None:
    registry = CollectorRegistry()
    metrics.switch_on(registry)
    try:
        metrics.count(metrics.STEPS, role="analyst", status="succeeded")
        assert registry.get_sample_value("bullpen_steps_total", {"role": "analyst", "status": "succeeded"}) == 1.0
        assert {family.name for family in registry.collect()} == {metric.name.removesuffix("_total") for metric in COUNTED}
    finally:
        metrics.switch_off()


def test_without_a_port_nothing_is_counted() -> None:
    metrics.count(metrics.STEPS, role="analyst", status="succeeded")

    assert not metrics.is_on()
