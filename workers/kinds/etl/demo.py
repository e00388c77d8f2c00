"""The demo of `etl`: a requirement with an open point, on the sample shop, and a user who settles it."""

from pathlib import Path

from contracts.base import Json
from contracts.statements import Statement, name, say, term
from workers.blackboard.engine import Database
from workers.catalogue import offer_sample
from workers.catalogue.sample import SHOP
from workers.kinds.base import DemoScript
from workers.kinds.etl.playbook import PLAYBOOK
from workers.llm.embedder import Embedder

REQUIREMENT = "Build region_revenue: revenue per region in 2026; partition_by: day; schedule: 0 6 * * *"
"""It has no column day: the analyst asks which one is meant."""


def demo_script(_language: str) -> DemoScript:
    """The sample shop and its catalogue, the requirement, and the column that is meant."""
    return DemoScript(
        request={"kind": PLAYBOOK.kind, "requirement": REQUIREMENT, "source": SHOP},
        title=term("etl.demo.requirement"),
        text=REQUIREMENT,
        prepare=_prepare,
        reply=_reply,
    )


def _prepare(db: Database, _embedder: Embedder | None, data_dir: Path) -> Statement:
    offer_sample(db, data_dir)
    return say("etl.demo.shop", source=name(SHOP))


def _reply(_detail: Json) -> str:
    return "region"
