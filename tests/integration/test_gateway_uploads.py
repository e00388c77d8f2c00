"""Uploads to the artefact store and downloads: flat memory, hostile names and archives, nothing left of what broke off."""

import contextlib
import errno
import http.client
import io
import json
import socket
import tarfile
import time
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from contracts.access import Scope
from contracts.events import SubmissionRefused
from tests.support.gateway import EVERY_SCOPE_BUT_ADMIN, gateway_process, key_for, served
from workers.app.entries import Entry
from workers.app.in_process import run_all
from workers.app.queues import JOBS_STREAM
from workers.app.services import ProcessServices
from workers.app.submissions import take_submission
from workers.app.taking import take_many
from workers.bundles.files import files_below
from workers.errors import InvalidInput
from workers.gateway import uploads
from workers.gateway.uploads import safe_path
from workers.settings import Settings

MIB = 1 << 20
BOUNDARY = "a-boundary-of-a-form"
Sent = tuple[str, dict[str, str], dict[str, Any]]
"""An address, its query, and what is sent there."""
HOSTILE = ("../x", "a/../../x", "/etc/passwd", "C:\\x", "..\\x", "", "a\x00b", "a\nb", "x" * 300, "/".join("a" * 30))


@pytest.fixture
def services(database_url: str, broker_url: str, tmp_path: Path) -> Iterator[ProcessServices]:
    settings = Settings(database_url=database_url, broker_url=broker_url, embeddings="none", home=tmp_path, bundle_bytes=300 * MIB)
    made = ProcessServices(settings, slots=4)
    yield made
    made.close()


@pytest.fixture
def client(services: ProcessServices) -> Iterator[httpx.Client]:
    with (
        served(ProcessServices(services.settings, slots=4)) as base,
        httpx.Client(base_url=base, headers=key_for(services.database, "shop"), timeout=60) as found,
    ):
        yield found


def staged(services: ProcessServices) -> list[Path]:
    return [path for path, _ in files_below(services.settings.data_dir / "artefacts" / "staging")]


def test_a_file_is_kept_named_by_a_job_and_downloaded(client: httpx.Client, services: ProcessServices) -> None:
    text = b"SELECT 1;\n"
    made = client.post("/v1/bundles", params={"name": "my job.sql"}, content=text)
    assert made.status_code == 201, made.text
    ref = made.json()["ref"]
    assert [(file["name"], file["bytes"]) for file in made.json()["files"]] == [("my job.sql", len(text))]
    assert client.post("/v1/bundles", params={"name": "my job.sql"}, content=text).json()["ref"] == ref  # nothing twice
    job = client.post("/v1/jobs", json={"job": {"kind": "tune", "bundle": ref}}).json()["job_id"]
    assert client.get(f"/v1/jobs/{job}/files").json()["files"][0]["name"] == "my job.sql"
    got = client.get(f"/v1/jobs/{job}/files/my%20job.sql")
    assert got.content == text
    assert got.headers["content-disposition"] == "attachment; filename*=UTF-8''my%20job.sql"
    assert got.headers["content-type"] == "application/octet-stream"
    for name in ("..%2f..%2fetc%2fpasswd", "%2fetc%2fpasswd", "nothing", "../../../healthz%00"):
        assert client.get(f"/v1/jobs/{job}/files/{name}").status_code in (404, 422), name
    foreign = key_for(services.database, "bank")
    assert client.get(f"/v1/jobs/{job}/files/my%20job.sql", headers=foreign).status_code == 404


def test_an_upload_is_its_owner_s_and_who_only_knows_its_hash_has_nothing_of_it(client: httpx.Client, services: ProcessServices) -> None:
    bank, text = key_for(services.database, "bank", *EVERY_SCOPE_BUT_ADMIN), b"SELECT secret FROM salaries;\n"
    ref = client.post("/v1/bundles", params={"name": "job.sql"}, content=text).json()["ref"]

    taken = client.post("/v1/jobs", json={"job": {"kind": "tune", "bundle": ref}}, headers=bank)
    unknown = client.post("/v1/jobs", json={"job": {"kind": "tune", "bundle": f"sha256:{'0' * 64}"}}, headers=bank)
    streamed = take_submission(
        services, json.dumps({"owner": "bank", "job": {"kind": "tune", "bundle": ref}}).encode(), source=JOBS_STREAM
    )  # fmt: skip
    many = take_many(
        services, [Entry("1-0", json.dumps({"owner": "bank", "job": {"kind": "tune", "bundle": ref}}).encode(), JOBS_STREAM)]
    )  # fmt: skip

    assert (taken.status_code, unknown.status_code) == (404, 404)
    assert taken.json()["detail"].replace(ref, "REF") == unknown.json()["detail"].replace(f"sha256:{'0' * 64}", "REF")
    assert isinstance(streamed, SubmissionRefused)
    assert many == set()
    assert services.database.statement("SELECT 1 FROM jobs") == []
    assert client.post("/v1/bundles", params={"name": "job.sql"}, content=text, headers=bank).json()["ref"] == ref
    assert client.post("/v1/jobs", json={"job": {"kind": "tune", "bundle": ref}}, headers=bank).status_code == 201


def test_uploads_take_no_more_of_the_disk_than_is_theirs_all_together(services: ProcessServices) -> None:
    known = services.settings.model_copy(update={"upload_room_bytes": 5 * MIB})
    held = known.data_dir / "artefacts" / "staging" / "another"
    held.mkdir(parents=True)
    (held / "file").write_bytes(bytes(3 * MIB))
    with (
        served(ProcessServices(known)) as base,
        httpx.Client(base_url=base, headers=key_for(services.database, "shop"), timeout=60) as client,
    ):
        small = client.post("/v1/bundles", params={"name": "a.sql"}, content=b"SELECT 1;" * 1000)
        full = client.post("/v1/bundles", params={"name": "b.sql"}, content=bytes(4 * MIB))

    assert small.status_code == 201
    assert (full.status_code, full.json()["type"]) == (503, "urn:bullpen:StoreUnavailable")
    assert "BULLPEN_UPLOAD_ROOM_BYTES" in full.json()["detail"]
    assert int(full.headers["retry-after"]) > 0
    assert staged(services) == [held / "file"]


def test_a_form_beyond_the_room_is_refused_before_it_is_on_the_disk(services: ProcessServices) -> None:
    """Not in the temporary folder either, which is small in containers."""
    known = services.settings.model_copy(update={"upload_room_bytes": 2 * MIB})
    head = b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.log"\r\n\r\n'
    headers = {**key_for(services.database, "shop"), "Content-Type": "multipart/form-data; boundary=b", "Content-Length": str(64 * MIB)}
    with served(ProcessServices(known)) as base:
        address = urlsplit(base)
        with contextlib.closing(http.client.HTTPConnection(address.hostname or "", address.port, timeout=60)) as connection:
            connection.putrequest("POST", "/v1/bundles")
            for name, value in headers.items():
                connection.putheader(name, value)
            connection.endheaders(head + bytes(3 * MIB))  # 61 MiB never come
            with connection.getresponse() as refused:
                status, said = refused.status, refused.read()

    assert (status, b"BULLPEN_UPLOAD_ROOM_BYTES" in said) == (503, True), said
    assert staged(services) == []


def test_a_full_disk_is_no_fault_of_the_gateway_whatever_form_an_upload_has(client: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(uploads, "_write", full)
    plain = client.post("/v1/bundles", content=b"SELECT 1")
    form = client.post("/v1/bundles", files={"file": ("a.sql", b"SELECT 1")})

    assert (plain.status_code, form.status_code) == (503, 503)


def test_a_form_that_is_none_is_refused(client: httpx.Client) -> None:
    broken = client.post("/v1/bundles", content=b"nonsense", headers={"Content-Type": "multipart/form-data; boundary=b"})
    twice = client.post("/v1/bundles", files=[("file", ("a.sql", text)) for text in (b"", b"SELECT 1")])
    empty = client.post("/v1/bundles", files={"file": ("a.sql", b"")})

    assert (broken.status_code, twice.status_code) == (400, 400)
    assert "a.sql" in twice.json()["detail"]
    assert empty.status_code == 201


def test_an_edit_that_names_another_owner_s_files_shows_nothing_of_them(client: httpx.Client, services: ProcessServices) -> None:
    bank = key_for(services.database, "bank", *EVERY_SCOPE_BUT_ADMIN)
    secret = client.post("/v1/bundles", params={"name": "job.sql"}, content=b"SELECT secret FROM salaries;\n").json()
    own = client.post("/v1/bundles", params={"name": "own.sql"}, content=b"SELECT 1;\n", headers=bank).json()["ref"]
    job = client.post("/v1/jobs", json={"job": {"kind": "tune", "bundle": own}}, headers=bank).json()["job_id"]
    run_all(services)
    edit = {"stage": "input", "content": {"kind": "tune", "bundle": secret["ref"]}}

    assert client.post(f"/v1/jobs/{job}/revise", json=edit, headers=bank).status_code == 200
    run_all(services)

    assert client.get(f"/v1/jobs/{job}/files", headers=bank).status_code == 404
    assert "salaries" not in client.get(f"/v1/jobs/{job}", headers=bank).text
    assert services.database.statement("SELECT 1 FROM deliverables WHERE content::text LIKE '%%job.sql%%'") == []


def test_several_files_of_a_form_keep_their_folders(client: httpx.Client) -> None:
    files: list[Any] = [("file", ("src/a.sql", b"select 1")), ("file", ("b.sql", b"select 2"))]
    made = client.post("/v1/bundles", files=files).json()
    assert [file["name"] for file in made["files"]] == ["b.sql", "src/a.sql"]


@pytest.mark.parametrize("name", HOSTILE)
def test_a_name_that_leads_out_is_refused(name: str) -> None:
    if name == "a\x00b":
        assert safe_path(name).name == "a\ufffdb"  # as everywhere: what Postgres cannot hold is replaced
        return
    with pytest.raises(InvalidInput):
        safe_path(name)


def test_hostile_archives_are_refused_and_leave_nothing(client: httpx.Client, services: ProcessServices) -> None:
    bomb, climbing, link = io.BytesIO(), io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("zeros.log", b"\0" * (400 * MIB))
    with zipfile.ZipFile(climbing, "w") as archive:
        archive.writestr("../../outside.txt", "x")
    with tarfile.open(fileobj=link, mode="w") as archive:
        member = tarfile.TarInfo("link")
        member.type, member.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(member)
    for name, made in (("bomb.zip", bomb), ("climbing.zip", climbing), ("link.tar", link)):
        refused = client.post("/v1/bundles", params={"name": name}, content=made.getvalue())
        assert refused.status_code == 400, (name, refused.text)
        assert refused.headers["content-type"] == "application/problem+json"
    assert staged(services) == []
    assert not (services.settings.data_dir.parent / "outside.txt").exists()


def test_what_is_too_large_or_resumed_is_refused_with_the_next_move(client: httpx.Client) -> None:
    resumed = client.post("/v1/bundles", content=b"x", headers={"Content-Range": "bytes 5-5/10"})
    assert resumed.status_code == 400
    assert "Send the whole file" in resumed.json()["detail"]
    assert client.post("/v1/bundles", content=b"").status_code == 400

    def endless() -> Iterator[bytes]:
        for _ in range(301):
            yield b"\0" * MIB

    assert client.post("/v1/bundles", content=endless()).status_code == 413


def test_an_upload_that_breaks_off_leaves_nothing(client: httpx.Client, services: ProcessServices) -> None:
    address = urlsplit(str(client.base_url))
    head = f"POST /v1/bundles HTTP/1.1\r\nHost: x\r\nAuthorization: {client.headers['Authorization']}\r\nContent-Length: 1000000\r\n\r\n"
    with socket.create_connection((address.hostname or "", address.port or 0)) as connection:
        connection.sendall(head.encode() + b"x" * 500_000)
    end = time.monotonic() + 60
    while staged(services) and time.monotonic() < end:
        time.sleep(0.05)
    assert staged(services) == []
    assert client.get("/readyz").status_code == 200


def test_a_body_is_streamed_to_the_disk(services: ProcessServices, tmp_path: Path) -> None:
    """Three uploads of 64 MiB, the body itself and a form, through a gateway in a process of its own, and its memory as the kernel has it:
    independent of speed."""
    headers = key_for(services.database, "shop")

    with gateway_process(services.settings) as gateway, httpx.Client(base_url=gateway.url, headers=headers, timeout=120) as client:
        assert client.post("/v1/bundles", params={"name": "small.log"}, content=b"x" * MIB).status_code == 201  # loads what uploads need
        assert client.post("/v1/bundles", **form_of(1)).status_code == 201
        before = gateway.peak_mib()
        assert client.post("/v1/bundles", params={"name": "large.log"}, content=numbered(64)).status_code == 201
        assert client.post("/v1/bundles", **form_of(64)).status_code == 201
        grown = gateway.peak_mib() - before

    assert grown < 24, f"{grown:.0f} MiB more for uploads of 64 MiB"


def numbered(mib: int) -> Iterator[bytes]:
    """Pieces of 1 MiB, each different."""
    for n in range(mib):
        yield n.to_bytes(4, "big") * (MIB // 4)


def form_of(mib: int) -> dict[str, Any]:
    """A form with a file of this size, sent without saying how large it is."""
    return {"content": form_pieces(numbered(mib)), "headers": {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}}


def form_pieces(pieces: Iterable[bytes]) -> Iterator[bytes]:
    yield f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="large.bin"\r\n\r\n'.encode()
    yield from pieces
    yield f"\r\n--{BOUNDARY}--\r\n".encode()


def test_a_form_that_does_not_say_its_size_is_bounded_like_a_body(services: ProcessServices, tmp_path: Path) -> None:
    small = services.settings.model_copy(update={"bundle_bytes": 3 * MIB})
    headers = key_for(services.database, "shop", Scope.ADMIN)

    with served(ProcessServices(small, slots=4)) as base, httpx.Client(base_url=base, headers=headers, timeout=60) as client:
        refused = client.post("/v1/bundles", **form_of(4))
        catalogue = client.post("/v1/catalogue/files", params={"form": "tables", "origin": "x"}, **form_of(4))
        fits = client.post("/v1/bundles", **form_of(2))

    assert (refused.status_code, catalogue.status_code, fits.status_code) == (413, 413, 201)
    assert "BULLPEN_BUNDLE_BYTES" in refused.json()["detail"]


def test_a_file_where_another_needs_a_folder_is_refused(client: httpx.Client) -> None:
    for names in (("a", "a/b"), ("a/b", "a"), ("a", "a")):
        files: list[Any] = [("file", (name, name.encode())) for name in names]
        refused = client.post("/v1/bundles", files=files)
        assert refused.status_code == 400, names
        assert "its own name" in refused.json()["detail"]


def test_no_door_says_where_the_server_keeps_a_file_that_it_refuses(services: ProcessServices, tmp_path: Path) -> None:
    """The sender reads the name that they gave; a path of the server tells strangers about the machine, and helps nobody."""
    either = "čas dotazu\n".encode("cp1250")
    headers = key_for(services.database, "shop", Scope.ADMIN)

    def tables(name: str, body: bytes, form: str = "tables", **more: str) -> Sent:
        return "/v1/catalogue/files", {"form": form, "origin": "our tables", **more}, {"files": [("file", (name, body))]}

    doors: dict[str, Sent] = {
        "night.csv": ("/v1/history/import", {"name": "night.csv"}, {"content": b""}),
        "either.csv": ("/v1/history/import", {"name": "either.csv"}, {"content": either}),
        "tables.json": tables("tables.json", b"{"),
        "either.yaml": tables("either.yaml", either),
        "manifest.json": tables("else.json", b"{}", "dbt", folder="true", source="shop"),
        "no files": ("/v1/bundles", {"name": "job.zip"}, {"content": b"PK\x05\x06" + b"\0" * 18}),
    }
    with served(ProcessServices(services.settings, slots=4)) as base, httpx.Client(base_url=base, headers=headers, timeout=60) as client:
        refused = {name: client.post(path, params=params, **body) for name, (path, params, body) in doors.items()}
        path, params, body = tables("either.md", either, "documents")
        reported = client.post(path, params=params, **body)

    assert "either.md" in reported.json()["problems"][0]["reason"]
    assert str(tmp_path) not in reported.text, "what is left out is told in a report"
    for name, answer in refused.items():
        assert 400 <= answer.status_code < 500, (name, answer.text)
        assert name in answer.json()["detail"]
        assert str(tmp_path) not in answer.text, name
        assert "staging" not in answer.text, name
