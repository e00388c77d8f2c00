"""What a parser made of an artefact, as bytes and back: facts come back as the contracts they were."""

import json
import pkgutil
import zlib
from functools import cache
from importlib import import_module
from inspect import getmembers, isclass

import contracts
from contracts.base import Contract, canonical_json
from contracts.bundles import Information
from workers.engines.artefacts.kinds import Parsed

CONTRACTS = "tuning"
"""How the modules begin whose contracts may be facts."""

EXPANDED_BYTES = 256 << 20
"""Of what was kept; a row that grows beyond was not written by us."""

LEVEL = 6


def to_bytes(parsed: Parsed) -> bytes:
    """zlib-compressed canonical JSON."""
    told = {
        "facts": [{"contract": type(fact).__name__, "value": fact.to_json()} for fact in parsed.facts],
        "tells": sorted(parsed.tells),
        "summary": parsed.summary,
        "problem": parsed.problem,
    }
    return zlib.compress(canonical_json(told).encode("utf-8", "surrogatepass"), LEVEL)


def from_bytes(kept: bytes) -> Parsed | None:
    """The same again; None where this release no longer has its contracts, or has others by their names."""
    try:
        told = json.loads(zlib.decompressobj().decompress(kept, EXPANDED_BYTES))
        return Parsed(
            facts=tuple(_contracts()[fact["contract"]].model_validate(fact["value"]) for fact in told["facts"]),
            tells=frozenset(Information(one) for one in told["tells"]),
            summary=told["summary"],
            problem=told["problem"],
        )
    except (zlib.error, ValueError, KeyError, TypeError):
        return None


def can_be_kept(parsed: Parsed) -> bool:
    """All its facts are of contracts that come back."""
    return all(_contracts().get(type(fact).__name__) is type(fact) for fact in parsed.facts)


@cache
def _contracts() -> dict[str, type[Contract]]:
    found: dict[str, type[Contract]] = {}
    for module in pkgutil.iter_modules(contracts.__path__):
        if module.name.startswith(CONTRACTS):
            name = f"contracts.{module.name}"
            members = getmembers(import_module(name), isclass)
            found |= {one.__name__: one for _, one in members if issubclass(one, Contract) and one.__module__ == name}
    return found
