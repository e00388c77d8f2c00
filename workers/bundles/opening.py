"""A job's bundle, opened by what the request names: an upload, an allowed path or an allowed URL. The latter two are kept in the store
first, so that every step of a job, on any machine, reads the same bytes."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from contracts.bundles import Artefact, Catalogue
from workers.bundles.addresses import allowed_path, allowed_url
from workers.bundles.cache import LocalCache
from workers.bundles.cataloguing import catalogue_of, digest_of_parts
from workers.bundles.fetching import Remote, remote
from workers.bundles.files import link_or_copy
from workers.bundles.keys import DIGEST, blob_key, manifest_key
from workers.bundles.limits import BundleLimits
from workers.bundles.manifest import REF_PREFIX, Manifest, StoredFile
from workers.bundles.registry import Kinds, kinds_here
from workers.bundles.store import Store, open_cache, open_store, read_manifest, staging_folder
from workers.bundles.upload import store_bundle
from workers.engines.artefacts.kinds import ArtefactSource
from workers.errors import Conflict, NotFound
from workers.release import RELEASE
from workers.settings import Settings

UNSAFE = re.compile(r"[^A-Za-z0-9._\-]")
NAME_CHARS = 150

NO_ARTEFACT = "The bundle has no artefact {name!r}. Its catalogue names those that there are."


class KeptFiles:
    """The files of one manifest, on this machine."""

    def __init__(self, manifest: Manifest, store: Store, cache: LocalCache) -> None:
        self.manifest = manifest
        self._store = store
        self._cache = cache
        self._files = {file.name: file for file in manifest.files}

    def source(self, artefact: Artefact, *, attempt: str | None = None) -> ArtefactSource:
        """An artefact as a file, or a folder of the parts of a log, of this machine. Raises `NotFound` where the manifest has no such
        content by this name, and `StoreUnavailable`."""
        parts = [self._file(part) for part in artefact.parts or (artefact.name,)]
        if artefact.sha256 != (digest_of_parts(parts) if artefact.parts else parts[0].sha256):
            raise NotFound(f"The bundle has {artefact.name[:200]!r} with other content. Take the name and hash that its catalogue has.")
        if artefact.parts:
            path = self._cache.folder_of(artefact.sha256, lambda folder: self._put_together(parts, folder))
        else:
            path = self._store.path(blob_key(artefact.sha256))
        return ArtefactSource(name=artefact.name, path=path, size_bytes=artefact.size_bytes, attempt=attempt)

    def _file(self, name: str) -> StoredFile:
        found = self._files.get(name)
        if found is None:
            raise NotFound(NO_ARTEFACT.format(name=name[:200]))
        return found

    def _put_together(self, parts: Sequence[StoredFile], folder: Path) -> None:
        """Parts under the ends of their names, by which their order is told; a folder each where these are not their own."""
        ends = [UNSAFE.sub("_", part.name.rpartition("/")[2])[-NAME_CHARS:].lstrip(".") or "_" for part in parts]
        are_unique = len(set(ends)) == len(ends)
        for number, (part, end) in enumerate(zip(parts, ends, strict=True)):
            target = folder / end if are_unique else folder / f"{number:05d}" / end
            target.parent.mkdir(exist_ok=True)
            link_or_copy(self._store.path(blob_key(part.sha256)), target)


class OpenBundle:
    """What a bundle holds, and where on this machine its artefacts lie."""

    def __init__(self, ref: str, manifest: Manifest, store: Store, cache: LocalCache, kinds: Kinds) -> None:
        self._store = store
        self._cache = cache
        self._kept = KeptFiles(manifest, store, cache)
        self.manifest = manifest
        self.kinds = kinds
        self.catalogue = self._catalogue(ref)
        self._artefacts = {artefact.name: artefact for artefact in self.catalogue.artefacts}

    def artefact(self, name: str) -> Artefact:
        """By its name in the catalogue. Raises `NotFound`."""
        found = self._artefacts.get(name)
        if found is None:
            raise NotFound(NO_ARTEFACT.format(name=name[:200]))
        return found

    def source(self, name: str, *, attempt: str | None = None) -> ArtefactSource:
        """The artefact as a file, or a folder of the parts of a log, of this machine. Raises `NotFound` and `StoreUnavailable`."""
        return self._kept.source(self.artefact(name), attempt=attempt)

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
    return OpenBundle(ref, manifest, store, cache, kinds_here() if kinds is None else kinds)


def kept_files(catalogue: Catalogue, ref: str, settings: Settings) -> KeptFiles:
    """The files that a catalogue is about, without looking at any of them. `ref`: what the request names, for older catalogues, which do
    not say where their files are kept. Raises what `open_job_bundle` raises, and `Conflict` when the files are not those of the
    catalogue."""
    store, cache = open_store(settings), open_cache(settings)
    manifest = _manifest(catalogue.kept or ref, settings, store, cache)
    if manifest.files_hash != catalogue.content_hash:
        raise Conflict(
            f"The files of {ref} have changed since the job began, so that its steps would read different ones. Submit it again."
        )
    return KeptFiles(manifest, store, cache)


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
