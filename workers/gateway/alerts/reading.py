"""Webhooks of monitoring systems as alerts: Alertmanager (also Grafana, whose webhook has its form), PagerDuty (v3), and plain JSON."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, cast

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, model_validator

from contracts.base import Json
from contracts.statements import code, name, say
from workers.coordinator.intake import faults
from workers.errors import InvalidInput
from workers.gateway.alerts.alert import Alert, as_text, fingerprint_of

_USUAL = frozenset({"summary", "title", "description", "message"})
"""Annotations that have a place of their own in the text."""
MOST_ALERTS = 500
"""Alerts of one message."""

_MOMENT: TypeAdapter[datetime] = TypeAdapter(AwareDatetime)


class _Sent(BaseModel):
    """Senders add fields with each release; what is not known is ignored, and null is no value."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _without_null(cls, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        given = cast("Json", value)
        return {name: item for name, item in given.items() if item is not None}


class _PrometheusAlert(_Sent):
    status: str = "firing"
    labels: dict[str, Any] = {}
    annotations: dict[str, Any] = {}
    fingerprint: str = Field(default="", max_length=200)
    startsAt: str = ""  # noqa: N815  as it is sent
    generatorURL: str = ""  # noqa: N815  as it is sent
    values: dict[str, Any] = {}
    """Of Grafana: what each query of the rule gave."""
    valueString: str = ""  # noqa: N815  the same as a text, of older releases


class _Prometheus(_Sent):
    alerts: list[_PrometheusAlert] = Field(max_length=MOST_ALERTS)


class _Named(_Sent):
    id: str = Field(default="", max_length=200)
    summary: str = ""


class _Incident(_Named):
    title: str = ""
    urgency: str = ""
    incident_key: str | None = Field(default=None, max_length=500)
    service: _Named | None = None
    created_at: str = ""


class _Event(_Sent):
    event_type: str = Field(max_length=100)
    data: _Incident


class _PagerDuty(_Sent):
    event: _Event


class _Plain(_Sent):
    text: str = Field(min_length=1, max_length=100_000)
    title: str = Field(default="", max_length=1_000)
    fingerprint: str = Field(default="", max_length=200)
    status: str = Field(default="firing", max_length=30)
    labels: dict[str, Any] = {}


def read_alerts(body: Json) -> list[Alert]:
    """The alerts of a message, its form found by its fields. Raises `InvalidInput`, naming the forms."""
    if "messages" in body and not _FORMS.keys() & body.keys():
        raise InvalidInput.of(say("refused.alert_pagerduty_v2"))
    for known, read in _FORMS.items():
        if known in body:
            try:
                return read(body)
            except ValidationError as error:
                raise InvalidInput.of(faults(error)) from None
    raise InvalidInput.of(
        say("refused.no_alert", grafana=name("alerts"), pagerduty=name("event"), plain=code('{"text": "...", "status": "firing"}'))
    )


def _of_prometheus(body: Json) -> list[Alert]:
    found: list[Alert] = []
    for alert in _Prometheus.model_validate(body).alerts:
        labels, notes = _texts(alert.labels), _texts(alert.annotations)
        name = labels.get("alertname", "alert")
        title = notes.get("summary") or notes.get("title") or name
        sentences = [notes.get("description", ""), notes.get("message", ""), alert.valueString or _values(alert.values), *_further(notes)]
        found.append(
            Alert(
                alert.fingerprint or fingerprint_of("prometheus", sorted(labels.items())),
                title,
                as_text(title, sentences, labels),
                is_resolved=alert.status == "resolved",
                began_at=_moment(alert.startsAt),
            )
        )
    return found


def _further(notes: Mapping[str, str]) -> list[str]:
    """What a rule says beside its usual notes: the error of a query that failed, the impact, what to do. Addresses and what begins with
    `__` are for the sender's own pages."""
    others = {name: text for name, text in notes.items() if name not in _USUAL and not name.startswith("__") and text.strip()}
    return [f"{name}: {text}" for name, text in others.items() if not text.startswith(("http://", "https://"))]


def _values(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in _texts(values).items())


def _of_pagerduty(body: Json) -> list[Alert]:
    event = _PagerDuty.model_validate(body).event
    incident = event.data
    if not event.event_type.startswith("incident."):
        return []
    title = incident.title or incident.summary or "incident"
    labels = {"urgency": incident.urgency, "service": "" if incident.service is None else incident.service.summary}
    text = as_text(title, [], {name: value for name, value in labels.items() if value})
    key = f"pagerduty:{incident.id}" if incident.id else fingerprint_of("pagerduty", incident.incident_key, title)
    kind = event.event_type.partition(".")[2]
    if kind not in ("triggered", "reopened", "resolved"):
        return []  # acknowledged, annotated ...: nothing new fires
    return [Alert(key, title, text, is_resolved=kind == "resolved", began_at=_moment(incident.created_at))]


def _of_plain(body: Json) -> list[Alert]:
    sent = _Plain.model_validate(body)
    title = sent.title or sent.text.splitlines()[0][:200]
    key = sent.fingerprint or fingerprint_of("plain", title, sent.text, sorted(_texts(sent.labels).items()))
    return [Alert(key, title, as_text(title, [sent.text], _texts(sent.labels)), is_resolved=sent.status == "resolved")]


_FORMS: Mapping[str, Callable[[Json], list[Alert]]] = {"alerts": _of_prometheus, "event": _of_pagerduty, "text": _of_plain}


def _texts(values: Mapping[str, Any]) -> dict[str, str]:
    return {str(name)[:200]: str(value)[:4_000] for name, value in list(values.items())[:100]}


def _moment(text: str) -> datetime | None:
    """A time as text; none for one that cannot be read, or for the year 1, by which Go says that there is none."""
    try:
        found = _MOMENT.validate_python(text)
    except ValidationError:
        return None
    return found if found.year > 1970 else None
