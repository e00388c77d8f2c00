"""The checks of `bullpen doctor` for the models: configured, reachable, known by their names, and not set aside after failures."""

import json
import time
from collections.abc import Callable
from contextlib import closing

from contracts.statements import code, count, name, names, passage, say, seconds
from workers.blackboard.engine import Database
from workers.cli.check import Check
from workers.errors import ModelRequestRefused, ModelUnavailable
from workers.extras import install_command
from workers.llm.circuits import read_open
from workers.llm.dialects import lacks_path
from workers.llm.models import Models
from workers.llm.probe_figures import read_figures
from workers.llm.server_models import list_models
from workers.llm.vendors import Vendor, vendor_of
from workers.saying.reasons import reason_of
from workers.secrets import redact_url
from workers.settings import OPENAI_BASE_URL, Settings

_NAME = "model"
_SHOWN_NAMES = 8


def check_model(known: Settings) -> list[Check]:
    """What a step that asks a model would meet, server by server."""
    if not known.models:
        return [Check(_NAME, "ok", say("doctor.no_model"))]
    servers: dict[tuple[str, str | None], list[str]] = {}
    vendors: list[Check] = []
    for model in known.models:
        if vendor := vendor_of(model):
            vendors.append(_check_vendor(known, model, vendor))
        else:
            servers.setdefault(known.server_of(model), []).append(model)
    return [*(_check_server(url, key, models, known.model_timeout_s) for (url, key), models in servers.items()), *vendors]


def check_workers_models(known: Settings, of_workers: tuple[str, ...] | None) -> list[Check]:
    """Where the workers have other models than these settings name: theirs are what jobs are done with."""
    if of_workers and not known.models:
        return [Check(_NAME, "ok", say("doctor.models_of_workers", models=names(of_workers)))]
    if known.models and of_workers == ():
        where = say("doctor.set_for_workers", setting=name("BULLPEN_MODEL"), command=code("bullpen up"))
        return [Check(_NAME, "warn", say("doctor.no_worker_has_one", models=names(known.models)), where)]
    return []


def try_models(known: Settings, database: Callable[[], Database]) -> list[Check]:
    """One small call to each model."""
    with closing(Models(known, database)) as models:
        return [_tried(models, model) for model in known.models]


def _tried(models: Models, model: str) -> Check:
    begun = time.monotonic()
    try:
        answer = models.try_out(model)
    except ModelUnavailable as error:
        return Check(_NAME, "fail", reason_of(error), say("doctor.start_server", setting=name("BULLPEN_MODEL_BASE_URL")))
    except ModelRequestRefused as error:
        is_of_key = "(401)" in str(error) or "(403)" in str(error)
        move = say("doctor.check_setting", setting=name("BULLPEN_MODEL_API_KEY")) if is_of_key else ""  # else the reason ends in one
        return Check(_NAME, "fail", reason_of(error), move)
    took = seconds(round(time.monotonic() - begun, 1))
    try:
        answers = json.loads(answer) == {"ready": True}
    except ValueError:
        answers = False
    if answers:
        return Check(_NAME, "ok", say("doctor.model_answers", model=name(model), time=took))
    return Check(
        _NAME,
        "warn",
        say("doctor.model_answers_freely", model=name(model)),
        say("doctor.set_structured", setting=name("BULLPEN_MODEL_STRUCTURED")),
    )


def check_circuits(known: Settings, db: Database) -> list[Check]:
    """The models of these settings that the fleet does not call at present, since they failed again and again."""
    checks: list[Check] = []
    for circuit in read_open(db):
        if circuit.model in known.models:
            when = say("doctor.next_try", time=seconds(round(circuit.wait_s))) if circuit.wait_s else say("doctor.next_call")
            finding = say(
                "doctor.not_called", model=name(circuit.model), server=name(circuit.server), failures=count(circuit.failures), when=when,
                reason=passage(circuit.reason),
            )  # fmt: skip
            fallback = say("doctor.mend_server_or_fall_back", setting=name("BULLPEN_MODEL_FALLBACK"))
            checks.append(Check(_NAME, "fail", finding, say("doctor.mend_server") if known.model_fallback else fallback))
    return checks


def check_probe(known: Settings, db: Database) -> list[Check]:
    """What the models of these settings failed at when they were measured; nothing of a model that was not."""
    checks: list[Check] = []
    for model in known.models:
        server = (known.model_servers.get(model) or model.partition(":")[0]) if vendor_of(model) else known.server_of(model)[0]
        figures = read_figures(db, redact_url(server), model)
        if not figures:
            continue
        day = name(f"{max(figure.asked_at for figure in figures):%Y-%m-%d}")
        failed = [figure.task for figure in figures if not figure.is_right]
        if failed:
            finding = say("doctor.probe_failed", model=name(model), tasks=names(failed), day=day, auto=code("auto"))
            checks.append(Check(_NAME, "warn", finding, say("doctor.probe_again", command=code("bullpen eval model"))))
        else:
            checks.append(Check(_NAME, "ok", say("doctor.probe_right", model=name(model), of=count(len(figures), exact=True), day=day)))
    return checks


def _check_server(url: str, key: str | None, models: list[str], timeout_s: float) -> Check:
    if url == OPENAI_BASE_URL and not key:
        other = say("doctor.set_model_key", setting=name("BULLPEN_MODEL_API_KEY"), other=name("BULLPEN_MODEL_BASE_URL"))
        return Check(_NAME, "fail", say("doctor.no_key_for", model=name("api.openai.com")), other)
    try:
        offered = list_models(url, key, timeout_s=timeout_s)
    except ModelUnavailable as error:
        return Check(_NAME, "fail", reason_of(error), say("doctor.start_server", setting=name("BULLPEN_MODEL_BASE_URL")))
    except ModelRequestRefused as error:
        refused = "answered 401" in str(error) or "answered 403" in str(error)
        wrong_key = say("doctor.check_setting", setting=name("BULLPEN_MODEL_API_KEY"))
        move = wrong_key if refused else say("doctor.may_not_list", option=code("--engine llm"))
        if "answered 404" in str(error) and lacks_path(url):
            move = say("doctor.add_v1", setting=name(f"BULLPEN_MODEL_BASE_URL={redact_url(url)}/v1"))
        return Check(_NAME, "fail" if refused else "warn", reason_of(error), move)
    where = redact_url(url)
    missing = sorted(set(models) - {other for listed in offered for other in _names_of(listed)})
    if missing:
        listed = names(offered[:_SHOWN_NAMES]) if offered else say("doctor.none")
        lacks = say("doctor.not_listed", address=name(where), models=names(missing))
        return Check(_NAME, "warn", lacks, say("doctor.it_lists", models=listed, setting=name("BULLPEN_MODEL")))
    return Check(_NAME, "ok", say("doctor.models_at", models=names(sorted(models)), address=name(where)))


def _names_of(listed: str) -> tuple[str, ...]:
    """The names that a server takes for a model that it lists: Ollama needs no `:latest`, Gemini no `models/`."""
    return listed, listed.removesuffix(":latest"), listed.removeprefix("models/")


def _check_vendor(known: Settings, model: str, vendor: Vendor) -> Check:
    """Whether the extra of a vendor is installed, and a key is set. The vendor itself is not asked."""
    if not vendor.is_installed:
        needs = say("doctor.needs_package", model=name(model), package=name(vendor.package))
        return Check(_NAME, "fail", needs, install_command(vendor.extra))
    if model not in known.model_keys:
        keys = say("doctor.set_keys", setting=name(f"BULLPEN_MODEL_KEYS={model}=KEY"))
        return Check(_NAME, "fail", say("doctor.no_key_for", model=name(model)), keys)
    return Check(_NAME, "ok", say("doctor.not_asked", model=name(model), package=name(vendor.package)))
