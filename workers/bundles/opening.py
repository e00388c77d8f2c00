"""A job's bundle, opened by what the request names: an upload, an allowed path or an allowed URL. The latter two are kept in the store
first, so that every step of a job, on any machine, reads the same bytes."""

import functools
import re
from collections.abc import Callable
from pathlib import Path

from contracts.bundles import Artefact, Catalogue
from workers.bundles.addresses import allowed_path, allowed_url
from workers.bundles.cache import LocalCache
from workers.bundles.cataloguing import catalogue_of
from workers.bundles.fetching import Remote, remote
from workers.bundles.files import link_or_copy
from workers.bundles.keys import DIGEST, blob_key, manifest_key
from workers.bundles.limits import BundleLimits
from workers.bundles.manifest import REF_PREFIX, Manifest
from workers.bundles.registry import Kinds, load_kinds
from workers.bundles.store import Store, open_cache, open_store, read_manifest, staging_folder
from workers.bundles.upload import store_bundle
from workers.engines.artefacts.kinds import ArtefactSource
from workers.errors import NotFound
from workers.release import RELEASE
from workers.settings import Settings

UNSAFE = re.compile(r"[^A-Za-z0-9._\-]")
NAME_CHARS = 150


class OpenBundle:
    """What a bundle holds, and where on this machine its artefacts lie."""

    def __init__(self, ref: str, manifest: Manifest, store: Store, cache: LocalCache, kinds: Kinds) -> None:
        self._store = store
        self._cache = cache
        self._files = {file.name: file for file in manifest.files}
        self.manifest = manifest
        self.kinds = kinds
        self.catalogue = self._catalogue(ref)
        self._artefacts = {artefact.name: artefact for artefact in self.catalogue.artefacts}

    def artefact(self, name: str) -> Artefact:
        """By its name in the catalogue. Raises `NotFound`."""
        found = self._artefacts.get(name)
        if found is None:
            raise NotFound(f"The bundle has no artefact {name[:200]!r}. Its catalogue names those that there are.")
        return found

    def source(self, name: str, *, attempt: str | None = None) -> ArtefactSource:
        """The artefact as a file, or a folder of the parts of a log, of this machine. Raises `NotFound` and `StoreUnavailable`."""
        artefact = self.artefact(name)
        if artefact.parts:
            path = self._cache.folder_of(artefact.sha256, lambda folder: self._put_together(artefact, folder))
        else:
            path = self._store.path(blob_key(artefact.sha256))
        return ArtefactSource(name=name, path=path, size_bytes=artefact.size_bytes, attempt=attempt)

    def _put_together(self, artefact: Artefact, folder: Path) -> None:
        """Parts under the ends of their names, by which their order is told; a folder each where these are not their own."""
        ends = [UNSAFE.sub("_", part.rpartition("/")[2])[-NAME_CHARS:].lstrip(".") or "_" for part in artefact.parts]
        are_unique = len(set(ends)) == len(ends)
        for number, (part, end) in enumerate(zip(artefact.parts, ends, strict=True)):
            target = folder / end if are_unique else folder / f"{number:05d}" / end
            target.parent.mkdir(exist_ok=True)
            link_or_copy(self._store.path(blob_key(self._files[part].sha256)), target)

    def _catalogue(self, ref: str) -> Catalogue:
        """Kept beside the cache, since looking at many files of a far store takes its time."""
        kinds = sorted((kind.name, kind.parser or "", kind.version) for kind in self.kinds.values())
        key = ["catalogue", RELEASE, self.manifest.digest, kinds]
        kept = self._cache.recall(key)
        if kept is not None:
            return Catalogue.model_validate({**kept, "bundle": ref, "kept": self.manifest.ref})
        catalogue = catalogue_of(ref, self.manifest, self._store, self.kinds)
        self._cache.remember(key, catalogue.to_json())
        return catalogue


def open_job_bundle(ref: str, settings: Settings, *, kinds: Kinds | None = None) -> OpenBundle:
    """The bundle that a request names by `sha256:...`, a path below BULLPEN_BUNDLE_ROOTS or a URL below BULLPEN_BUNDLE_URLS. Raises
    `InvalidInput` for what is not allowed, `UnreadableLog` for what is refused, `NotFound` and `StoreUnavailable`."""
    store, cache = open_store(settings), open_cache(settings)
    manifest = _manifest(ref, settings, store, cache)
    return OpenBundle(ref, manifest, store, cache, _kinds_here() if kinds is None else kinds)


@functools.cache
def _kinds_here() -> Kinds:
    """Those of this process, looked up once: what is installed does not change while it runs, and every step opens a bundle."""
    return load_kinds()


def _manifest(ref: str, settings: Settings, store: Store, cache: LocalCache) -> Manifest:
    limits = BundleLimits.of(settings)
    if ref.startswith(REF_PREFIX):
        return read_manifest(store, ref)
    if "://" in ref:
        source = remote(allowed_url(ref, settings.bundle_urls), limits, settings.step_timeout_s)
        state = source.state()
        return _kept(None if state is None else ["url", ref, state], store, cache, lambda: _fetch(source, store, limits))
    path = allowed_path(ref, settings.bundle_roots)
    return _kept(["path", str(path), _state(path, limits)], store, cache, lambda: store_bundle([path], store, limits))


def _kept(key: object, store: Store, cache: LocalCache, take_in: Callable[[], Manifest]) -> Manifest:
    """What was taken in from there before, if nothing changed there since; None for a key: that cannot be told."""
    known = None if key is None else cache.recall(key)
    if isinstance(known, str) and DIGEST.fullmatch(known) and store.has(manifest_key(known)):
        return read_manifest(store, REF_PREFIX + known)
    manifest = take_in()
    if key is not None:
        cache.remember(key, manifest.digest)
    return manifest


def _fetch(source: Remote, store: Store, limits: BundleLimits) -> Manifest:
    with staging_folder(store) as folder:
        return store_bundle([source.copy_to(folder)], store, limits)


def _state(path: Path, limits: BundleLimits) -> list[list[object]]:
    """Names, sizes and times of the files at a path. Beyond the number that is taken no more are looked at: it is refused anyway."""
    if not path.is_dir():
        stat = path.stat()
        return [["", stat.st_size, stat.st_mtime_ns, stat.st_ino]]
    found: list[list[object]] = []
    for file in path.rglob("*"):
        stat = file.lstat()
        found.append([str(file.relative_to(path)), stat.st_size, stat.st_mtime_ns, stat.st_ino])
        if len(found) > 2 * limits.files:
            break
    return sorted(found, key=str)
