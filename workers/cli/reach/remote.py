"""The gateway of `BULLPEN_URL`, as the commands see it: answers as values of the read side, errors as ours."""

import inspect
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from contracts.base import Json
from contracts.statements import Statement, passage, say, seconds
from contracts.statements import name as identifier
from workers import errors
from workers.cli.languages import asked_language
from workers.errors import BullpenError, ConfigurationError, Conflict, EngineError, InvalidInput, NotFound, Unavailable
from workers.operations.base import at_a_gateway
from workers.reading.values import Value, adapter, as_json
from workers.saying.reasons import statement_of
from workers.settings import load_settings

if TYPE_CHECKING:
    from bullpen_client import Call, Client
    from bullpen_client.call import Answer
    from bullpen_client.models import Bundle

T = TypeVar("T")

LOOK_S = 0.3
"""Seconds between two looks at an operation."""


class Remote:
    """A gateway."""

    def __init__(self, client: "Client") -> None:
        self.client = client

    def send(self, call: "Call[T]") -> T:
        """Send a request, and read its answer. Raises errors of ours."""
        with ours():
            return self.client.send(call)

    def answer(self, call: "Call[Any]") -> "Answer":
        """All that came back."""
        from bullpen_client.call import whole

        return self.send(replace(call, read=whole))

    def value(self, call: "Call[Any]") -> Any:
        """The JSON of an answer."""
        from bullpen_client.call import raw

        return self.send(replace(call, read=raw))

    def read(self, form: type[T], call: "Call[Any]") -> T:
        """The JSON of an answer as one of our types."""
        value = self.value(call)
        if inspect.isclass(form) and issubclass(form, Value):
            return form.from_json(value)
        return adapter(form).validate_python(value)

    def do(self, made: Callable[..., T], args: Sequence[Any], named: Mapping[str, Any]) -> T:
        """Send a declared operation with the arguments that it takes itself."""
        how = at_a_gateway(made)
        module, _, name = how.call.partition(".")
        call: Call[Any] = getattr(import_module(f"bullpen_client.calls.{module}"), name)(
            *map(as_json, args), **{key: as_json(value) for key, value in named.items() if key != "tell"}
        )
        form = made.__annotations__["return"]
        if how.in_background:
            return adapter(form).validate_python(self.operation(call, named.get("tell")))
        if form is None:
            return cast("T", self.value(call))
        return self.stored(form, call) if how.as_stored else self.read(form, call)

    def operation(self, call: "Call[Any]", tell: Callable[[str, int, int], None] | None = None) -> Json:
        """The result of long work, which this waits for. Raises `EngineError` where it failed."""
        from bullpen_client.calls import knowledge

        found = self.value(call)
        while found["state"] == "running":
            if found["doing"] is not None and tell is not None:
                tell(found["doing"], found["done"], found["total"] or 0)
            time.sleep(LOOK_S)
            found = self.value(knowledge.operation(found["id"]))
        if found["state"] != "done":
            raise EngineError.of(say("refused.part.other", fault=passage(str(found["error"]))))
        return found["result"]

    def stored(self, form: type[T], call: "Call[Any]") -> T:
        """As `read`, of an answer whose statements are not texts yet: the command says them."""
        return self.read(form, replace(call, params={**call.params, "in_text": False}))

    def upload(self, paths: list[Path]) -> "Bundle":
        """Keep files as a bundle."""
        with ours():
            return self.client.upload(*paths)

    def import_tickets(self, file: Path, mapping: list[str], *, encoding: str, strict: bool) -> Json:
        """Import a file of tickets."""
        with ours():
            return self.client.import_ticket_file(file, mapping=mapping, encoding=encoding, strict=strict)

    def import_catalogue(self, path: Path, *, form: str, source: str, dialect: str, origin: str, encoding: str) -> Json:
        """Import a file or folder into the catalogue."""
        with ours():
            return self.client.import_catalogue(path, form=form, source=source, dialect=dialect, origin=origin, encoding=encoding)

    def save(self, call: "Call[T]", to: Path) -> T:
        """Write the content of an answer to a file."""
        with ours():
            return self.client.save(call, to)

    def check_owner(self, owner: str | None) -> None:
        """Raises `InvalidInput` for an owner other than the key's: a gateway takes the owner from the key."""
        from bullpen_client.calls.fleet import me

        if owner is not None and owner != (own := self.send(me()).owner):
            raise InvalidInput.of(say("refused.cli.other_owner", own=identifier(own), owner=identifier(owner)))


@cache
def gateway() -> Remote | None:
    """The gateway of `BULLPEN_URL`; None: commands use the servers of this machine."""
    known = load_settings()
    if not known.url:
        return None
    from bullpen_client import Client  # loads httpx2, which other commands do without

    return Remote(Client(known.url, known.key, language=asked_language()))


def forget() -> None:
    """Drop the connection: for tests, which change the environment."""
    if gateway.cache_info().currsize and (kept := gateway()) is not None:
        kept.client.close()
    gateway.cache_clear()


_KINDS: dict[str, type[BullpenError]] = {
    "InvalidRequest": InvalidInput,
    "NotFound": NotFound,
    "Conflict": Conflict,
    "NotSignedIn": ConfigurationError,
    "NotAllowed": ConfigurationError,
    "TooManyRequests": Unavailable,
    "Unavailable": Unavailable,
    "Unreachable": Unavailable,
}


@contextmanager
def ours() -> Generator[None]:
    """In this block an error of the client becomes an error of ours, of the class that it had at the gateway where that is ours too."""
    from bullpen_client import GatewayError

    try:
        yield
    except GatewayError as error:
        named = getattr(errors, error.name, None) if error.name in _SIMPLE else None
        raise (named or _KINDS.get(type(error).__name__, BullpenError)).of(_with_move(error)) from None
    except (FileNotFoundError, ValueError) as error:
        raise InvalidInput.of(statement_of(error)) from None


_SIMPLE = frozenset({"IdempotencyConflict", "AlreadyAnswered", "InvalidSubmission", "SourceUnavailable", "StoreUnavailable"})
"""Classes of ours that take only a message, and that commands distinguish."""


def _with_move(error: Any) -> Statement:
    """What the gateway says, with the next move for someone at a terminal."""
    reason = passage(str(error))
    match type(error).__name__:
        case "NotSignedIn":
            return say("refused.gateway.key", setting=identifier("BULLPEN_KEY"), command=identifier("bullpen keys create"), reason=reason)
        case "TooManyRequests" if error.retry_after_s is not None:
            return say("refused.gateway.wait", reason=reason, time=seconds(round(error.retry_after_s)))
        case _:
            return say("refused.part.other", fault=reason)
