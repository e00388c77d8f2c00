"""What a parser made of an artefact, as bytes and back: facts come back as the contracts they were."""

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
"""The modules whose contracts may be facts."""

EXPANDED_BYTES = 256 << 20
"""Largest size of a kept value after decompression. A larger one was not written by us."""

LEVEL = 6


class _Said(Contract):
    """What a parser said to readers."""

    summary: Sayable
    problem: Sayable | None


@dataclass(frozen=True, slots=True)
class Outline:
    """What reading an artefact yielded, without the facts: a few hundred bytes, however large the artefact is."""

    shapes: tuple[str, ...]
    """The names of the contracts that its facts are of, base classes included."""
    tells: frozenset[Information]
    summary: Sayable
    problem: Sayable | None

    @classmethod
    def of(cls, parsed: Parsed) -> "Outline":
        """The outline of what a parser made."""
        shapes = {shape.__name__ for fact in parsed.facts for shape in type(fact).__mro__ if issubclass(shape, Contract)}
        return cls(shapes=tuple(sorted(shapes)), tells=parsed.tells, summary=parsed.summary, problem=parsed.problem)

    def to_bytes(self) -> bytes:
        """As it is kept."""
        return packed(
            {"shapes": self.shapes, "tells": sorted(self.tells), "said": _Said(summary=self.summary, problem=self.problem).to_json()}
        )

    @classmethod
    def from_bytes(cls, kept: bytes) -> "Outline | None":
        """The same again; None where this release cannot read it."""
        value = unpacked(kept)
        try:
            tells = frozenset(Information(one) for one in value["tells"])
            said = _Said.model_validate(value["said"])
            return cls(shapes=tuple(value["shapes"]), tells=tells, summary=said.summary, problem=said.problem)
        except (ValueError, KeyError, TypeError):
            return None


def to_bytes(parsed: Parsed) -> bytes:
    """zlib-compressed canonical JSON."""
    facts = [{"contract": type(fact).__name__, "value": fact.to_json()} for fact in parsed.facts]
    said = _Said(summary=parsed.summary, problem=parsed.problem).to_json()
    return packed({"facts": facts, "tells": sorted(parsed.tells), "said": said})


def from_bytes(kept: bytes) -> Parsed | None:
    """The same again; None where this release no longer has its contracts, or has others by their names."""
    with collection_paused():
        value = unpacked(kept)
        try:
            said = _Said.model_validate(value["said"])
            return Parsed(
                facts=tuple(fact_contracts()[fact["contract"]].model_validate(fact["value"]) for fact in value["facts"]),
                tells=frozenset(Information(one) for one in value["tells"]),
                summary=said.summary,
                problem=said.problem,
            )
        except (ValueError, KeyError, TypeError):
            return None


def can_be_kept(parsed: Parsed) -> bool:
    """All its facts are of contracts that come back."""
    return all(fact_contracts().get(type(fact).__name__) is type(fact) for fact in parsed.facts)


def packed(value: Any) -> bytes:
    """A JSON value as it is kept."""
    return zlib.compress(canonical_json(value).encode("utf-8", "surrogatepass"), LEVEL)


def unpacked(kept: bytes) -> Any:
    """The JSON value that was kept; None where it is not one."""
    try:
        return json.loads(zlib.decompressobj().decompress(kept, EXPANDED_BYTES))
    except (zlib.error, ValueError):
        return None


@cache
def fact_contracts() -> dict[str, type[Contract]]:
    """The contracts that facts may be of, by name."""
    return {
        name: shape
        for module in FACTS
        for name, shape in getmembers(module, isclass)
        if issubclass(shape, Contract) and shape.__module__ == module.__name__
    }


@contextmanager
def collection_paused() -> Generator[None]:
    """No garbage collection meanwhile. Making the facts of a large run allocates a million objects of which none is garbage; walking
    them again and again took 80 % of the time (1.1 s of 1.3 s at 3,000 stages)."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
