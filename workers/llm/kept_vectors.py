"""Vectors of the texts that come with this release (its documents, the experience of its skills, its samples), made when it was built.

A fleet that starts would else spend minutes of a core on texts that are the same everywhere. `make vectors` writes the file. It holds for
one model only, known by its name, the version of its package and what is taken away from its vectors; any other finds nothing in it. A
text is found by its hash, so that the vector of a text that was changed since is made by the model.
"""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from workers.loggers import get_logger

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

log = get_logger(__name__)

FILE = Path(__file__).with_name("kept_vectors.bin")
_HASH_BYTES = 16


class KeptVectors:
    """Read from a file, as they were written there in half precision: the cosine with what the model makes is above 0.999."""

    def __init__(self, places: Mapping[bytes, int], vectors: "NDArray[float32]") -> None:
        self._places = places
        self._vectors = vectors

    def find(self, role: str, text: str) -> "NDArray[float32] | None":
        """The vector of a text in a role; None: it is not among them."""
        place = self._places.get(_key(role, text))
        return None if place is None else self._vectors[place]

    def __len__(self) -> int:
        return len(self._places)


def read_kept(model: str, *, file: Path = FILE) -> KeptVectors | None:
    """The vectors of this model; None: the file is for another one, or damaged, or missing."""
    import numpy as np

    try:
        head, _, body = file.read_bytes().partition(b"\n")
        header = json.loads(head)
        if header["model"] != model:
            return None
        if hashlib.sha256(body).hexdigest() != header["sha256"]:
            log.warning("kept_vectors_damaged", file=str(file))
            return None
        count, dim = int(header["count"]), int(header["dim"])
        keys, numbers = body[: count * _HASH_BYTES], body[count * _HASH_BYTES :]
        vectors = np.frombuffer(numbers, dtype="<f2").reshape(count, dim).astype(np.float32)
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError) as error:
        log.warning("kept_vectors_damaged", file=str(file), error=type(error).__name__)
        return None
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return KeptVectors({keys[n * _HASH_BYTES : (n + 1) * _HASH_BYTES]: n for n in range(count)}, vectors)


def write_kept(model: str, vectors: "Mapping[tuple[str, str], NDArray[float32]]", *, file: Path = FILE) -> None:
    """Write the file: (role, text) → vector. The same vectors make the same bytes."""
    import numpy as np

    rows = sorted(((_key(role, text), vector) for (role, text), vector in vectors.items()), key=lambda row: row[0])
    body = b"".join(key for key, _ in rows) + np.stack([vector for _, vector in rows]).astype("<f2").tobytes()
    head = {"model": model, "count": len(rows), "dim": len(rows[0][1]), "sha256": hashlib.sha256(body).hexdigest()}
    file.write_bytes(json.dumps(head).encode() + b"\n" + body)


def _key(role: str, text: str) -> bytes:
    return hashlib.sha256(f"{role}\0{text}".encode(errors="surrogatepass")).digest()[:_HASH_BYTES]
