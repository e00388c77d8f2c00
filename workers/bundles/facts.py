"""Serialises the result of a parser to bytes and back. Facts are restored as instances of their contracts."""

import gc
import json
import zlib
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from inspect import getmembers, isclass
from typing import Any

from contracts import artefacts, code, scope, spark
from contracts.base import Contract, canonical_json
from contracts.bundles import Information
from contracts.statements import Sayable
from workers.engines.artefacts.kinds import Parsed

FACTS = (artefacts, code, scope, spark)
"""Modules whose contracts may be facts."""

EXPANDED_BYTES = 256 << 20
"""Largest size of a cached value after decompression. Bullpen never writes a larger value."""

LEVEL = 6


class _Said(Contract):
    """What a parser said to readers."""

    summary: Sayable
    problem: Sayable | None


@dataclass(frozen=True, slots=True)
class Outline:
    """The result of reading an artefact without its facts: a few hundred bytes, independent of the artefact's size."""

    shapes: tuple[str, ...]
    """Names of the contracts of its facts, base classes included."""
    tells: frozenset[Information]
    summary: Sayable
    problem: Sayable | None

    @classmethod
    def of(cls, parsed: Parsed) -> "Outline":
        """The outline of a parser's result."""
        shapes = {shape.__name__ for fact in parsed.facts for shape in type(fact).__mro__ if issubclass(shape, Contract)}
        return cls(shapes=tuple(sorted(shapes)), tells=parsed.tells, summary=parsed.summary, problem=parsed.problem)

    def to_bytes(self) -> bytes:
        """As it is kept."""
        return packed(
            {"shapes": self.shapes, "tells": sorted(self.tells), "said": _Said(summary=self.summary, problem=self.problem).to_json()}
        )

    @classmethod
    def from_bytes(cls, kept: bytes) -> "Outline | None":
        """The deserialised outline. None if this release cannot read it."""
        value = unpacked(kept)
        try:
            tells = frozenset(Information(name) for name in value["tells"])
            summary = _Said.model_validate(value["said"])
            return cls(shapes=tuple(value["shapes"]), tells=tells, summary=summary.summary, problem=summary.problem)
        except (ValueError, KeyError, TypeError):
            return None


def to_bytes(parsed: Parsed) -> bytes:
    """zlib-compressed canonical JSON."""
    facts = [{"contract": type(fact).__name__, "value": fact.to_json()} for fact in parsed.facts]
    summary = _Said(summary=parsed.summary, problem=parsed.problem).to_json()
    return packed({"facts": facts, "tells": sorted(parsed.tells), "said": summary})


def from_bytes(kept: bytes) -> Parsed | None:
    """The deserialised result. None if this release no longer has its contracts, or they have changed."""
    with collection_paused():
        value = unpacked(kept)
        try:
            summary = _Said.model_validate(value["said"])
            return Parsed(
                facts=tuple(fact_contracts()[fact["contract"]].model_validate(fact["value"]) for fact in value["facts"]),
                tells=frozenset(Information(name) for name in value["tells"]),
                summary=summary.summary,
                problem=summary.problem,
            )
        except (ValueError, KeyError, TypeError):
            return None


def can_be_kept(parsed: Parsed) -> bool:
    """Whether all facts are instances of contracts that can be restored."""
    return all(fact_contracts().get(type(fact).__name__) is type(fact) for fact in parsed.facts)


def packed(value: Any) -> bytes:
    """The serialised form of a JSON value."""
    return zlib.compress(canonical_json(value).encode("utf-8", "surrogatepass"), LEVEL)


def unpacked(kept: bytes) -> Any:
    """The deserialised JSON value. None if the bytes are not valid."""
    try:
        return json.loads(zlib.decompressobj().decompress(kept, EXPANDED_BYTES))
    except (zlib.error, ValueError):
        return None


@cache
def fact_contracts() -> dict[str, type[Contract]]:
    """Contracts that facts may be instances of, by name."""
    return {
        name: shape
        for module in FACTS
        for name, shape in getmembers(module, isclass)
        if issubclass(shape, Contract) and shape.__module__ == module.__name__
    }


@contextmanager
def collection_paused() -> Generator[None]:
    """Suspend garbage collection. Building the facts of a large run allocates a million objects that are all in use, and repeated
    collections took 80 % of the time (1.1 s of 1.3 s at 3,000 stages)."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
