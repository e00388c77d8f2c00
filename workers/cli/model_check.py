"""The checks of `bullpen doctor` for the models: configured, reachable, known by their names, and not set aside after failures."""

from workers.blackboard.engine import Database
from workers.cli.check import Check
from workers.cli.display import duration
from workers.errors import ModelRequestRefused, ModelUnavailable
from workers.llm.circuits import read_open
from workers.llm.server_models import list_models
from workers.llm.vendors import Vendor, vendor_of
from workers.settings import OPENAI_BASE_URL, Settings
from workers.telemetry import redact_url

_NAME = "model"
_SHOWN_NAMES = 8


def check_model(known: Settings) -> list[Check]:
    """What a step that asks a model would meet, server by server."""
    if not known.models:
        return [Check(_NAME, "ok", "none: every role works by its rules")]
    servers: dict[tuple[str, str | None], list[str]] = {}
    vendors: list[Check] = []
    for model in known.models:
        if vendor := vendor_of(model):
            vendors.append(_check_vendor(known, model, vendor))
        else:
            servers.setdefault(known.server_of(model), []).append(model)
    return [*(_check_server(url, key, models, known.model_timeout_s) for (url, key), models in servers.items()), *vendors]


def check_circuits(known: Settings, db: Database) -> list[Check]:
    """The models of these settings that the fleet does not call at present, since they failed again and again."""
    checks: list[Check] = []
    for circuit in read_open(db):
        if circuit.model in known.models:
            when = f"the next try is in {duration(circuit.wait_s)}" if circuit.wait_s else "the next call tries it again"
            where = f"{circuit.model} at {circuit.server}"
            finding = f"{where} is not called, since it failed ({circuit.failures} in a row); {when}. {circuit.reason}"
            other = "" if known.model_fallback else " A fallback (BULLPEN_MODEL_FALLBACK) would answer in the meantime."
            checks.append(Check(_NAME, "fail", finding, f"Mend or replace that server.{other}"))
    return checks


def _check_server(url: str, key: str | None, models: list[str], timeout_s: float) -> Check:
    if url == OPENAI_BASE_URL and not key:
        return Check(_NAME, "fail", "no key for api.openai.com", "Set BULLPEN_MODEL_API_KEY, or BULLPEN_MODEL_BASE_URL to another server.")
    try:
        offered = list_models(url, key, timeout_s=timeout_s)
    except ModelUnavailable as error:
        return Check(_NAME, "fail", str(error), "Start the server, or mend BULLPEN_MODEL_BASE_URL.")
    except ModelRequestRefused as error:
        refused = "answered 401" in str(error) or "answered 403" in str(error)
        move = "Check BULLPEN_MODEL_API_KEY." if refused else "Not every server lists its models; a job with `--engine llm` tells more."
        return Check(_NAME, "fail" if refused else "warn", str(error), move)
    where = redact_url(url)
    missing = sorted(set(models) - set(offered))
    if missing:
        names = ", ".join(offered[:_SHOWN_NAMES]) or "none"
        return Check(_NAME, "warn", f"{where} does not list {', '.join(missing)}", f"It lists: {names}. Check BULLPEN_MODEL.")
    return Check(_NAME, "ok", f"{', '.join(sorted(models))} at {where}")


def _check_vendor(known: Settings, model: str, vendor: Vendor) -> Check:
    """Whether the extra of a vendor is installed, and a key is set. The vendor itself is not asked."""
    if not vendor.is_installed:
        return Check(_NAME, "fail", f"{model} needs the package {vendor.package}", f"pip install 'bullpen-fleet[{vendor.extra}]'")
    if model not in known.model_keys:
        return Check(_NAME, "fail", f"no key for {model}", f"Set BULLPEN_MODEL_KEYS={model}=KEY.")
    return Check(_NAME, "ok", f"{model} through {vendor.package}; the vendor was not asked")
