"""Opens the bundle that a request names: an upload, an allowed path or an allowed URL. Files at a path or URL are first copied to the
store, so that every step of a job reads the same bytes on any machine."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from contracts.bundles import Artefact, Catalogue
from contracts.statements import Name, quote, say
from workers.bundles.addresses import allowed_path, allowed_url
from workers.bundles.cache import LocalCache
from workers.bundles.cataloguing import catalogue_of, digest_of_parts
from workers.bundles.fetching import Remote, remote
from workers.bundles.files import link_or_copy
from workers.bundles.history_server import ALL_DAYS, Days
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


class KeptFiles:
    """The files of one manifest, on this machine."""

    def __init__(self, manifest: Manifest, store: Store, cache: LocalCache) -> None:
        self.manifest = manifest
        self._store = store
        self._cache = cache
        self._files = {file.name: file for file in manifest.files}

    def source(self, artefact: Artefact, *, attempt: str | None = None) -> ArtefactSource:
        """An artefact as a file, or a folder of the parts of a log, on this machine. Raises `NotFound` if the manifest has no file with
        this name and content, and `StoreUnavailable`."""
        parts = self.parts_of(artefact)
        if artefact.parts:
            path = self._cache.folder_of(artefact.sha256, lambda folder: self._put_together(parts, folder))
        else:
            path = self._store.path(blob_key(artefact.sha256))
        return ArtefactSource(name=artefact.name, path=path, size_bytes=artefact.size_bytes, attempt=attempt)

    def parts_of(self, artefact: Artefact) -> list[StoredFile]:
        """The files that it consists of; none is opened. Raises `NotFound` if the manifest has no file with this name and content."""
        parts = [self._file(part) for part in artefact.parts or (artefact.name,)]
        if artefact.sha256 != (digest_of_parts(parts) if artefact.parts else parts[0].sha256):
            raise NotFound.of(say("bundles.refused.other_content", file=quote(artefact.name[:200])))
        return parts

    def _file(self, name: str) -> StoredFile:
        file = self._files.get(name)
        if file is None:
            raise NotFound.of(say("bundles.refused.no_artefact", file=quote(name[:200])))
        return file

    def _put_together(self, parts: Sequence[StoredFile], folder: Path) -> None:
        """Store the parts under the last components of their names, which define their order. If these are not unique, each part gets a
        folder."""
        ends = [UNSAFE.sub("_", part.name.rpartition("/")[2])[-NAME_CHARS:].lstrip(".") or "_" for part in parts]
        are_unique = len(set(ends)) == len(ends)
        for number, (part, end) in enumerate(zip(parts, ends, strict=True)):
            target = folder / end if are_unique else folder / f"{number:05d}" / end
            target.parent.mkdir(exist_ok=True)
            link_or_copy(self._store.path(blob_key(part.sha256)), target)


class OpenBundle:
    """The content of a bundle, with its artefacts as files on this machine."""

    def __init__(self, ref: str, manifest: Manifest, store: Store, cache: LocalCache, kinds: Kinds) -> None:
        self._store = store
        self._cache = cache
        self._kept = KeptFiles(manifest, store, cache)
        self.manifest = manifest
        self.kinds = kinds
        self.catalogue = self._catalogue(ref)
        self._artefacts = {artefact.name: artefact for artefact in self.catalogue.artefacts}

    def artefact(self, name: str) -> Artefact:
        """The artefact with this name in the catalogue. Raises `NotFound`."""
        artefact = self._artefacts.get(name)
        if artefact is None:
            raise NotFound.of(say("bundles.refused.no_artefact", file=quote(name[:200])))
        return artefact

    def source(self, name: str, *, attempt: str | None = None) -> ArtefactSource:
        """The artefact as a file, or a folder of the parts of a log, on this machine. Raises `NotFound` and `StoreUnavailable`."""
        return self._kept.source(self.artefact(name), attempt=attempt)

    def _catalogue(self, ref: str) -> Catalogue:
        """The catalogue, from the cache if possible, since reading the beginnings of many files of a remote store is slow."""
        kinds = sorted((kind.name, kind.parser or "", kind.version) for kind in self.kinds.values())
        key = ["catalogue", RELEASE, self.manifest.digest, kinds]
        kept = self._cache.recall(key)
        if kept is not None:
            return Catalogue.model_validate({**kept, "bundle": ref, "kept": self.manifest.ref})
        catalogue = catalogue_of(ref, self.manifest, self._store, self.kinds)
        self._cache.remember(key, catalogue.to_json())
        return catalogue


def open_job_bundle(ref: str, settings: Settings, *, kinds: Kinds | None = None, days: Days = ALL_DAYS) -> OpenBundle:
    """The bundle that a request names by `sha256:...`, by a path below BULLPEN_BUNDLE_ROOTS or by a URL below BULLPEN_BUNDLE_URLS. `days`
    are those of a history server's applications. Raises `InvalidInput` if the name is not allowed, `UnreadableLog` if the files are
    refused, `NotFound` and `StoreUnavailable`."""
    store, cache = open_store(settings), open_cache(settings)
    manifest = _manifest(ref, settings, store, cache, days)
    return OpenBundle(ref, manifest, store, cache, kinds_here() if kinds is None else kinds)


def kept_files(catalogue: Catalogue, ref: str, settings: Settings) -> KeptFiles:
    """The stored files of a catalogue, without reading any of them. `ref` is the name in the request; catalogues of older releases need
    it, since they do not hold the reference of the stored files. Raises the errors of `open_job_bundle`, and `Conflict` if the files have
    changed since the catalogue was made."""
    store, cache = open_store(settings), open_cache(settings)
    manifest = _manifest(catalogue.kept or ref, settings, store, cache)
    if manifest.files_hash != catalogue.content_hash:
        raise Conflict.of(say("bundles.refused.changed", bundle=Name(text=str(ref))))
    return KeptFiles(manifest, store, cache)


def _manifest(ref: str, settings: Settings, store: Store, cache: LocalCache, days: Days = ALL_DAYS) -> Manifest:
    limits = BundleLimits.of(settings)
    if ref.startswith(REF_PREFIX):
        return read_manifest(store, ref)
    if "://" in ref:

        def allow(url: str) -> str:
            return allowed_url(url, settings.bundle_urls)

        ref = f"{ref}/" if not urlsplit(ref).path else ref  # a server's bare address
        source = remote(allow(ref), limits, settings.step_timeout_s, allow, days)
        state = source.state()
        return _kept(None if state is None else ["url", ref, state], store, cache, lambda: _fetch(source, store, limits))
    path = allowed_path(ref, settings.bundle_roots)
    return _kept(["path", str(path), _state(path, limits)], store, cache, lambda: store_bundle([path], store, limits))


def _kept(key: object, store: Store, cache: LocalCache, take_in: Callable[[], Manifest]) -> Manifest:
    """The bundle stored from this source before, if the source has not changed since. If `key` is None, changes cannot be detected."""
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
    """Names, sizes and times of the files at a path. Listing stops beyond twice the allowed number of files, since
    such a bundle is refused anyway."""
    if not path.is_dir():
        stat = path.stat()
        return [["", stat.st_size, stat.st_mtime_ns, stat.st_ino]]
    files: list[list[object]] = []
    for file in path.rglob("*"):
        stat = file.lstat()
        files.append([str(file.relative_to(path)), stat.st_size, stat.st_mtime_ns, stat.st_ino])
        if len(files) > 2 * limits.files:
            break
    return sorted(files, key=str)
