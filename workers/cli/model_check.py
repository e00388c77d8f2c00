"""The check of `bullpen doctor` for the models: configured, reachable, known by their names."""

from contracts.roles import RoleName
from workers.cli.checks import Check
from workers.errors import ModelRequestRefused, ModelUnavailable
from workers.llm.server_models import list_models
from workers.settings import OPENAI_BASE_URL, Settings
from workers.telemetry import redact_url

_NAME = "model"
_SHOWN_NAMES = 8


def check_model(known: Settings) -> list[Check]:
    """What a step that asks a model would meet."""
    wanted = {name for role in RoleName if (name := known.model_of(role))}
    if not wanted:
        return [Check(_NAME, "ok", "none: every role works by its rules")]
    wanted |= {known.model_fallback} if known.model_fallback else set()
    if known.model_base_url == OPENAI_BASE_URL and not known.model_api_key:
        return [
            Check(_NAME, "fail", "no key for api.openai.com", "Set BULLPEN_MODEL_API_KEY, or BULLPEN_MODEL_BASE_URL to another server.")
        ]
    try:
        offered = list_models(known.model_base_url, known.model_api_key, timeout_s=known.model_timeout_s)
    except ModelUnavailable as error:
        return [Check(_NAME, "fail", str(error), "Start the server, or mend BULLPEN_MODEL_BASE_URL.")]
    except ModelRequestRefused as error:
        refused = "answered 401" in str(error) or "answered 403" in str(error)
        move = "Check BULLPEN_MODEL_API_KEY." if refused else "Not every server lists its models; a job with `--engine llm` tells more."
        return [Check(_NAME, "fail" if refused else "warn", str(error), move)]
    where = redact_url(known.model_base_url)
    missing = sorted(wanted - set(offered))
    if missing:
        names = ", ".join(offered[:_SHOWN_NAMES]) or "none"
        return [Check(_NAME, "warn", f"{where} does not list {', '.join(missing)}", f"It lists: {names}. Check BULLPEN_MODEL.")]
    return [Check(_NAME, "ok", f"{', '.join(sorted(wanted))} at {where}")]
