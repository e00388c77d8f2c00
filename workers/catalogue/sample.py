"""The sample shop in the catalogue: the source itself, its documents, and queries that were run on it."""

from pathlib import Path

from contracts.sources import Source, SourceKind
from workers.blackboard.engine import Database
from workers.catalogue.importing import Form, import_path, import_source
from workers.errors import Conflict, NotFound
from workers.llm.embedder import Embedder
from workers.sources.addresses import sample_path
from workers.sources.registry import add_source, get_source
from workers.sources.sample import make_shop

SHOP = "shop"

_HERE = Path(__file__).with_name("samples")


def import_sample(db: Database, embedder: Embedder | None, data_dir: Path, name: str = SHOP) -> int:
    """Import the sample source of this name with its documents and queries; how many entries the catalogue has of it now."""
    reports = [
        import_source(db, embedder, data_dir, name, embed_s=0.0),
        import_path(db, embedder, _HERE / "documents", form=Form.DOCUMENTS, source=name, origin=f"sample documents of {name}", embed_s=0.0),
        import_path(db, embedder, _HERE / "queries.sql", form=Form.QUERIES, source=name, origin=f"sample queries of {name}", embed_s=0.0),
    ]
    return sum(counts.new + counts.changed + counts.unchanged for report in reports for counts in report.kinds.values())


def offer_sample(db: Database, data_dir: Path) -> bool:
    """Add the shop to a fleet that has never had it; whether it was added. Who removed it is not given it again."""
    if db.row("SELECT origin FROM catalogue_origins WHERE origin = %(origin)s", {"origin": f"source:{SHOP}"}) is not None:
        return False
    try:
        source = get_source(db, SHOP)
    except NotFound:
        source = Source(name=SHOP, kind=SourceKind.DUCKDB, sample=True)
        make_shop(sample_path(data_dir))
        try:
            add_source(db, data_dir, source)
        except Conflict:  # another process was quicker
            return False
    if not source.sample:
        return False
    import_sample(db, None, data_dir)
    return True
