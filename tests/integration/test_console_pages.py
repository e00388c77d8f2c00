"""The console's pages: each in both languages, with what nobody should say in every field; owners apart; changes only with their token."""

import hashlib
import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from fastapi.testclient import TestClient

import tests.support.noop  # noqa: F401  registers the kind
from contracts.access import Scope
from contracts.base import stands_alone
from contracts.tickets import Ticket
from tests.support.console import HOSTILE, Browser, browser, console_on, job_of
from tests.support.texts import foreign_words
from workers.app.services import ProcessServices
from workers.blackboard.engine import Database
from workers.blackboard.quarantine import put
from workers.catalogue import forget_source, offer_sample
from workers.console.offered import login_address
from workers.console.routes import all_routers
from workers.gateway.access.keys import create_key
from workers.gateway.access.logins import COOKIE
from workers.kinds.registry import all_kinds, load_kinds
from workers.saying import INSTALLED
from workers.saying.plots import BROWSER
from workers.sources import list_sources
from workers.tickets import import_tickets

PAGES = (
    "/console/jobs", "/console/jobs?text=nothing", "/console/new", "/console/new/diagnose", "/console/new/tune",
    "/console/chat", "/console/tickets", "/console/tickets?text=script", "/console/tickets/import", "/console/catalogue",
    "/console/catalogue?text=orders", "/console/sources", "/console/skills", "/console/fleet", "/console/quarantine",
    "/console/quarantine?state=given_up", "/console/usage", "/console/usage?days=30", "/console/keys",
)  # fmt: skip
OWN_HEADERS = ("content-security-policy", "x-content-type-options", "x-frame-options", "referrer-policy")


class Found(HTMLParser):
    """The elements of a page, and whether anything in it could run."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.runs: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attrs:
            if name.startswith("on") or name == "style" or (value or "").lstrip().lower().startswith(("javascript:", "data:text")):
                self.runs.append(f"<{tag} {name}={value}>")
        if tag == "script" and not dict(attrs).get("src", "").startswith("/console/static/"):  # type: ignore[union-attr]
            self.runs.append("<script>")
        if tag in ("iframe", "object", "embed", "style"):
            self.runs.append(f"<{tag}>")


@pytest.fixture
def served(database_url: str, broker_url: str, tmp_path: Path) -> Iterator[tuple[TestClient, ProcessServices]]:
    with console_on(database_url, broker_url, home=tmp_path) as made:
        yield made


@pytest.fixture
def client(served: tuple[TestClient, ProcessServices]) -> TestClient:
    return served[0]


@pytest.fixture
def services(served: tuple[TestClient, ProcessServices]) -> ProcessServices:
    return served[1]


@pytest.fixture
def admin(client: TestClient, database: Database) -> Browser:
    return browser(client, database, "default")


def harmless(page: Any) -> str:
    """The text of a page in which nothing runs."""
    assert page.status_code == 200, page.text[:300]
    assert Found(page.text).runs == []
    assert "\u202e" not in page.text
    assert "\x1b" not in page.text
    assert "49" not in re.findall(r"onerror=alert\(2\)&gt;(..)", page.text)
    return page.text


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_page_opens_in_both_languages_and_nothing_in_it_runs(
    language: str, admin: Browser, services: ProcessServices, database: Database
) -> None:
    job_id = job_of(services, "default", {"kind": "noop", "text": HOSTILE, "plan": {"s3": {"ask": 1}}})
    import_tickets(database, None, [(1, Ticket(ticket_id="T/1 <b>", description=HOSTILE, root_cause=HOSTILE))])
    entry = put(database, source="x", cause="Strange<b>", message=HOSTILE, body=HOSTILE.encode())
    more = (
        f"/console/jobs/{job_id}", f"/console/jobs/{job_id}/stages/input", f"/console/jobs/{job_id}/stages/s1",
        f"/console/quarantine/{entry}",
        "/console/tickets/show/T%2F1%20%3Cb%3E",
    )  # fmt: skip
    for path in (*PAGES, *more):
        page = admin.get(path, language)
        text = harmless(page)
        assert f'lang="{"zh-Hans" if language == "zh" else "en"}"' in text, path
        assert "console." not in re.sub(r'"[^"]*"', "", re.sub(r"<(script|link)[^>]*>", "", text)), path
        assert all(name in page.headers for name in OWN_HEADERS)
        assert "unsafe" not in page.headers["content-security-policy"]


def test_every_word_of_the_console_is_in_both_languages_and_used() -> None:
    folder = Path(str(all_routers.__code__.co_filename)).parents[1]
    said: set[str] = set()
    built: set[str] = set()
    for path in (*folder.rglob("*.html"), *folder.rglob("*.py")):
        said |= set(re.findall(r"""['"](console\.[a-z_]+(?:\.[a-z_]+)*)['"]""", path.read_text("utf-8")))
        built |= set(re.findall(r"""['"](console\.[a-z_.]+\.)(?:['"] ~|\{)""", path.read_text("utf-8")))
    from workers.saying.po import read_po

    codes = {language: read_po(folder / "locale" / language / "LC_MESSAGES" / "console.po") for language in ("en", "zh")}
    assert set(codes["en"]) == set(codes["zh"])
    assert {code for code in said if not code.endswith((".css", ".js"))} - set(codes["en"]) == set()
    assert [code for code in codes["en"] if code not in said and not code.startswith(tuple(built))] == []
    chinese = {code: " ".join(message.forms).split("`")[0] for code, message in codes["zh"].items() if not code.startswith("console.help")}
    assert [code for code, text in chinese.items() if re.search(r"[A-Za-z]{4,} [a-z]{3,} [a-z]{3,}", text)] == []


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_field_of_the_shipped_forms_is_named_in_both_languages(language: str) -> None:
    """A form is made of a contract: without words of its own, a field would show its name and the help of the command line."""
    load_kinds()
    known = INSTALLED.messages(language)
    nameless: list[str] = []
    for kind in all_kinds():
        if not kind.request.__module__.startswith(("contracts.", "workers.")):
            continue  # a kind of a test
        forms = [kind.request, *([] if kind.feedback is None else [kind.feedback.form.load()])]
        fields = {
            name: field
            for form in forms
            for name, field in form.model_fields.items()
            if name not in ("kind", kind.files) and not stands_alone(field)
        }
        for name, field in fields.items():
            wanted = [f"console.field.{name}", *([f"console.help.{name}"] if field.description else [])]
            if field.description or field.is_required():
                nameless += [f"{kind.name}: {code}" for code in wanted if code not in known]

    assert nameless == []


def test_a_job_is_answered_in_its_page_and_the_first_answer_counts(
    client: TestClient, admin: Browser, services: ProcessServices, database: Database
) -> None:
    job_id = job_of(services, "default", {"kind": "noop", "plan": {"s3": {"ask": 1}}})
    page = admin.get(f"/console/jobs/{job_id}").text
    question = re.search(rf"/console/jobs/{job_id}/questions/([0-9a-f-]+)", page)
    assert question is not None
    taken = admin.post(question[0], data={"text": "yes, do"})
    assert taken.status_code == 200
    assert "Your answer was taken." in taken.text
    second = browser(client, database, "default").post(question[0], data={"text": "no, don't"})
    assert second.status_code == 409
    assert second.headers["HX-Retarget"] == "#notice"
    assert Found(second.text).runs == []
    assert "yes, do" in admin.get(f"/console/jobs/{job_id}").text
    assert "先填写" in admin.post(question[0], "zh", data={"text": "  "}).text


def test_items_fields_and_choices_become_the_text_that_would_be_typed(admin: Browser) -> None:
    from workers.console.pages import Look
    from workers.console.routes.deeds import answer_text
    from workers.reading.questions import as_question

    row = dict.fromkeys(("request_id", "asker", "step_id", "about", "response", "created_at", "answered_at"))
    question = as_question({**row, "also": (), "void": False, "payload": {"text": "?", "kind": "question"}})
    look = Look("zh", "auto", "/")
    filled = {"item-1": "yes", "item-2": "no", "item-x": "yes", "item-3": "<b>", "text": " 还有 ", "field-city": "北京"}
    assert answer_text(question, filled, look) == "1 确认, 2 否定\ncity=北京\n另外：\n还有"
    boss = as_question({**row, "also": (), "void": False, "payload": {"text": "?", "kind": "cap", "choices": ["continue", "stop"]}})
    assert answer_text(boss, {"choice": "stop", "text": "enough"}, look) == "stop enough"


def test_a_replay_with_an_edit_a_fork_and_a_revision_go_through_their_page(admin: Browser, services: ProcessServices) -> None:
    job_id = job_of(services, "default", {"kind": "noop", "plan": {"s1": {"break": True}}})
    stage = f"/console/jobs/{job_id}/stages"
    seen = admin.post(f"{stage}/s1/preview", data={"edit": '{"mended": "<b>"}'})
    assert "mended" in seen.text
    assert "<b>" not in seen.text
    assert admin.post(f"{stage}/s1/replay", data={"edit": "{"}).status_code == 400
    done = admin.post(f"{stage}/s1/replay", data={"edit": '{"mended": true}'})
    assert done.headers["HX-Redirect"] == f"/console/jobs/{job_id}"
    from workers.app.in_process import run_all

    run_all(services)
    assert "succeeded" in admin.get(f"/console/jobs/{job_id}").text
    copy = admin.post(f"{stage}/s2/fork", data={"edit": ""}).headers["HX-Redirect"]
    assert copy != f"/console/jobs/{job_id}"
    revised = admin.post(f"{stage}/s2/revise", data={"edit": '{"stage": "s2", "given": {"mine": "yes"}}'})
    assert revised.status_code == 200
    assert "What this version changed" in admin.get(f"{stage}/s2").text
    assert admin.post(f"{stage}/s2/unpin").status_code == 200
    assert admin.post(f"/console/jobs/{job_id}/cancel").status_code == 200


UNREADABLE = {
    "NaN": '{"stage": "s2", "given": {"mine": NaN}}',
    "1e999": '{"stage": "s2", "given": {"mine": 1e999}}',
    "deep": '{"stage": "s2", "given": ' + '{"a": ' * 900 + "1" + "}" * 901,
    "very deep": "[" * 100_000,
    "digits": '{"stage": "s2", "given": {"mine": ' + "9" * 5_000 + "}}",
    "no object": "[1]",
    "no JSON": "{",
}


@pytest.mark.parametrize("text", UNREADABLE.values(), ids=UNREADABLE)
def test_an_edit_that_is_no_json_of_ours_is_refused_with_the_reason(admin: Browser, services: ProcessServices, text: str) -> None:
    job_id = job_of(services, "default", {"kind": "noop"})
    for deed in ("revise", "fork", "replay", "preview"):
        found = admin.post(f"/console/jobs/{job_id}/stages/s2/{deed}", data={"edit": text})
        assert found.status_code == 400, (deed, found.status_code, found.text[:300])


def test_a_choice_of_the_quarantine_that_is_no_id_is_refused(admin: Browser) -> None:
    assert admin.post("/console/quarantine", data={"entry": "x", "deed": "replay"}).status_code == 400


def test_a_login_from_a_page_that_hides_its_origin_is_refused(client: TestClient, database: Database) -> None:
    _, text = create_key(database, "shop")

    hidden = client.post("/console/login", data={"key": text}, headers={"Origin": "null"}, follow_redirects=False)
    own = client.post(
        "/console/login", data={"key": text}, headers={"Origin": "null", "Sec-Fetch-Site": "same-origin"}, follow_redirects=False
    )

    assert (hidden.status_code, own.status_code) == (403, 303)
    assert client.get("/console/login").headers["referrer-policy"] == "same-origin"


def test_another_owner_s_jobs_are_not_there(client: TestClient, services: ProcessServices, database: Database) -> None:
    job_id = job_of(services, "shop", {"kind": "noop", "text": "the shop's own words", "plan": {"s3": {"ask": 1}}})
    bank = browser(client, database, "bank", Scope.READ, Scope.ANSWER, Scope.SUBMIT, Scope.OPERATE)
    assert "the shop's own words" not in bank.get("/console/jobs").text
    assert "the shop's own words" not in bank.get("/console/jobs?owner=shop").text
    routes = [route for router in all_routers() for route in router.routes if "{job_id}" in route.path]  # type: ignore[attr-defined]
    assert len(routes) > 12
    for route in routes:
        path = route.path.replace("{job_id}", str(job_id)).replace("{stage:path}", "s1").replace("{number}", "0").replace("{item}", "1")  # type: ignore[attr-defined]
        path = re.sub(r"{(request|step)_id}", str(uuid4()), path)
        found = bank.get(path) if "GET" in route.methods else bank.post(path, data={"text": "x", "edit": "{}"})  # type: ignore[attr-defined]
        assert found.status_code == 404, path
        assert "the shop" not in found.text
    short = f"/console/jobs/{str(job_id)[-12:]}"  # as a terminal shows it
    moved = browser(client, database, "shop", Scope.READ).get(short)
    assert (moved.status_code, moved.headers["location"]) == (303, f"/console/jobs/{job_id}")
    assert (bank.get(short).status_code, bank.get("/console/jobs/nothing").status_code) == (404, 404)
    session = database.row("SELECT session_id FROM jobs WHERE id = %(id)s", {"id": job_id})
    assert session is not None
    assert bank.get(f"/console/chat/{session['session_id']}").status_code == 404


def test_nothing_but_the_login_opens_without_one_and_each_page_needs_its_right(client: TestClient, database: Database) -> None:
    reader = browser(client, database, "shop", Scope.READ)
    open_to_all = {"/", "/console/login", "/console/login/again", "/console/enter", "/console/look", "/console/static/{version}/{file}"}
    for router in all_routers():
        for route in router.routes:
            path, methods = route.path, route.methods  # type: ignore[attr-defined]
            filled = re.sub(r"\{(job_id|request_id|step_id|session|entry)\}", str(UUID(int=7)), path)
            filled = re.sub(r"\{[a-z_]+(:path)?\}", "x", filled)
            if "GET" in methods and path not in open_to_all:
                found = client.get(filled, follow_redirects=False)
                assert (found.status_code, found.headers["location"][:14]) == (303, "/console/login"), path
            elif "GET" not in methods and path not in open_to_all:
                method = next(iter(methods))
                assert client.request(method, filled, headers={"HX-Request": "true"}).status_code in (401, 422), path
                cookie = {"Cookie": f"{COOKIE}={reader.cookie}", "HX-Request": "true"}
                assert client.request(method, filled, headers=cookie).status_code in (403, 422), path
    for path in ("/console/fleet", "/console/quarantine", "/console/keys", "/console/new"):
        assert reader.get(path).status_code == 403
        assert f'href="{path}"' not in reader.get("/console/jobs").text


def test_a_change_needs_the_token_of_its_login(admin: Browser, services: ProcessServices) -> None:
    job_id = job_of(services, "default", {"kind": "noop", "plan": {"s3": {"ask": 1}}})
    assert admin.post(f"/console/jobs/{job_id}/cancel", csrf=False).status_code == 403
    assert admin.post(f"/console/jobs/{job_id}/cancel").status_code == 200


def test_an_address_logs_in_once_and_other_sites_cannot_log_anybody_in(client: TestClient, database: Database) -> None:
    address = login_address(database, "http://testserver")
    asked = client.get(address, headers={"Sec-Fetch-Site": "cross-site"}, follow_redirects=False)
    assert asked.status_code == 200
    assert COOKIE not in asked.cookies
    entered = client.get(address, follow_redirects=False)
    assert entered.status_code == 303
    assert "HttpOnly" in entered.headers["set-cookie"]
    assert "SameSite=lax" in entered.headers["set-cookie"]
    client.cookies.clear()
    assert client.get(address, follow_redirects=False).status_code == 401
    _, text = create_key(database, "shop")
    assert client.post("/console/login", data={"key": text}, headers={"Origin": "https://evil.example"}).status_code == 403
    assert client.post("/console/login", data={"key": "bp_x_y"}, follow_redirects=False).status_code == 401
    client.cookies.clear()


@pytest.mark.parametrize(
    "target",
    ["https://evil.example", "//evil.example", "/\\evil.example", "/console/../x", "/consolex", "javascript:alert(1)", "/console/\r\nX: y"],
)
def test_a_login_leads_to_no_other_place(target: str, client: TestClient, database: Database) -> None:
    _, text = create_key(database, "shop")
    for answer in (
        client.post("/console/login", data={"key": text, "next": target}, follow_redirects=False),
        client.get("/console/look", params={"theme": "dark", "next": target}, follow_redirects=False),
    ):
        assert answer.status_code == 303
        assert answer.headers["location"] == "/console"
    client.cookies.clear()


def test_logging_out_ends_the_login(admin: Browser) -> None:
    assert admin.get("/console/jobs").status_code == 200
    assert admin.post("/console/logout").headers["HX-Redirect"] == "/console/login"
    assert admin.get("/console/jobs").status_code == 303


def test_a_browser_whose_key_may_not_read_can_log_out(client: TestClient, database: Database) -> None:
    submitting = browser(client, database, "shop", Scope.SUBMIT)

    assert submitting.get("/console/jobs").status_code == 403
    assert submitting.post("/console/logout").headers["HX-Redirect"] == "/console/login"


def test_who_else_may_query_a_source_is_on_no_page_of_an_owner(client: TestClient, admin: Browser, database: Database) -> None:
    database.statement(
        "INSERT INTO sources (name, kind, limits, insisted, sample, owners) "
        "VALUES ('shared', 'postgres', '{}', false, false, ARRAY['shop', 'rival']) RETURNING 1"
    )
    own = browser(client, database, "shop", Scope.READ)

    pages = [own.get(path).text for path in ("/console/sources", "/console/sources/shared")]
    assert ["shared" in page for page in pages] == [True, True]
    assert [page for page in pages if "rival" in page] == []
    assert "rival" in admin.get("/console/sources").text


def test_a_key_is_made_and_revoked_on_its_page(admin: Browser, client: TestClient) -> None:
    assert admin.post("/console/keys", data={"owner": "shop\u200b", "scope": ["read"]}).status_code == 400, "looks like another"
    printable = "".join(filter(str.isprintable, HOSTILE))
    made = admin.post("/console/keys", data={"owner": printable[:100], "scope": ["read"], "label": "<b>"})
    assert Found(made.text).runs == []
    text = re.search(r"bp_([0-9a-f]+)_[\w-]+", made.text)
    assert text is not None
    assert client.get("/v1/jobs", headers={"Authorization": f"Bearer {text[0]}"}).status_code == 200
    assert admin.post(f"/console/keys/{text[1]}/revoke").status_code == 200
    assert client.get("/v1/jobs", headers={"Authorization": f"Bearer {text[0]}"}).status_code == 401
    assert admin.post("/console/keys", data={"owner": "", "scope": ["read"]}).status_code == 400


def test_files_are_uploaded_and_cannot_leave_their_folder(admin: Browser, services: ProcessServices) -> None:
    upload = admin.post("/console/uploads").json()["upload"]
    headers = {"Cookie": f"{COOKIE}={admin.cookie}", "X-CSRF-Token": admin.login.csrf, "HX-Request": "true"}
    for name in ("../../evil", "..%2f..%2fevil", "a/%2e%2e/%2e%2e/evil", "%01"):
        assert admin.client.put(f"/console/uploads/{upload}/{name}", content=b"x", headers=headers).status_code in (400, 404, 405), name
    assert admin.client.put(f"/console/uploads/{upload}/driver.log", content=b"INFO", headers=headers).status_code == 204
    for name in ("driver.log/inner", "a/b", "a"):  # a file where another needs a folder, and the other way round
        status = admin.client.put(f"/console/uploads/{upload}/{name}", content=b"x", headers=headers).status_code
        assert status == (204 if name == "a/b" else 400), name
    assert admin.client.put(f"/console/uploads/{upload}/driver.log", content=b"INFO x\n" * 100, headers=headers).status_code == 204  # again
    done = admin.post(f"/console/uploads/{upload}/done").json()
    assert done["ref"].startswith("sha256:")
    assert admin.post(f"/console/uploads/{upload}/done").status_code == 400
    home = services.settings.data_dir
    assert not (home / "evil").exists()
    assert not (home.parent / "evil").exists()


def test_a_form_is_bounded_before_anything_reads_it(admin: Browser) -> None:
    """A stranger's form holds a key or a code; nobody fills memory or disk with fields or files of a form that no page has."""
    headers = {"Cookie": f"{COOKIE}={admin.cookie}", "X-CSRF-Token": admin.login.csrf, "Accept-Language": "zh"}

    def endless(mib: int) -> Iterator[bytes]:
        yield b'--b\r\nContent-Disposition: form-data; name="x"; filename="x"\r\n\r\n'
        for _ in range(mib):
            yield b"x" * (1 << 20)
        yield b"\r\n--b--\r\n"

    form = {"Content-Type": "multipart/form-data; boundary=b"}
    stranger = admin.client.post("/console/login", content=endless(1), headers=form)
    known = admin.client.post("/console/tickets/import/preview", content=endless(40), headers={**headers, **form})
    assert (stranger.status_code, known.status_code) == (413, 413)
    assert "64 KiB" in stranger.text
    assert "32 MiB" in known.text
    assert "超过" in known.text


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_refused_file_is_named_as_its_sender_named_it(admin: Browser, language: str) -> None:
    """Never where the server keeps it while it is read."""
    either = "id,description,root_cause\nT-1,čas dotazu,x\n".encode("cp1250")
    for name, body in (("night shift.csv", b""), ("sheet.csv", b"\x01\x02\x03" * 400), ("either.csv", either)):
        for address in ("/console/tickets/import/preview", "/console/tickets/import"):
            refused = admin.post(address, language, files={"file": (name, body, "text/csv")})
            assert refused.status_code == 400, (name, refused.text)
            assert name in refused.text
            assert "bullpen-tickets" not in refused.text
            assert "/tmp" not in refused.text  # noqa: S108  what is looked for
            assert "--" not in refused.text, "an option of the command has no place on a page"


def test_a_postmortem_that_is_brought_keeps_its_name(admin: Browser) -> None:
    """Its ticket is named after the file, so that two of them are two tickets."""
    text = b"# Disk full\n\n## Summary\nWrites failed.\n\n## Root cause\nThe log filled the disk.\n"
    for name in ("disk-full.md", "disk-full-again.md"):
        assert "1 imported" in admin.post("/console/tickets/import", files={"file": (name, text, "text/markdown")}).text

    assert "The log filled the disk." in admin.get("/console/tickets/show/disk-full").text
    assert "The log filled the disk." in admin.get("/console/tickets/show/disk-full-again").text


def test_tickets_in_a_form_that_is_not_known_are_imported_with_their_fields_chosen(admin: Browser) -> None:
    """The fields of nested records are chosen as the columns of a table are; what is not chosen is not kept."""
    cases = [
        {"ref": f"C-{n}", "told": f"{n} hangs", "who": "A. Person", "extra": [{"k": "Why", "v": f"cause {n}"}, {"k": "How", "v": "x"}]}
        for n in (1, 2)
    ]
    sent = {"file": ("desk.json", json.dumps({"cases": cases}).encode(), "application/json")}
    seen = admin.post("/console/tickets/import/preview", files=sent)
    assert "extra[k=Why].v" in seen.text
    assert "No column holds" in seen.text
    mark = re.search(r'name="columns-of" value="([0-9a-f]+)"', seen.text)
    where = re.search(r'name="records" value="([^"]+)"', seen.text)
    assert mark is not None
    assert where is not None
    held = {"column-0": "ticket_id", "column-1": "description", "column-2": "ignore", "column-3": "root_cause", "column-4": "solution"}
    chosen = {"columns-of": mark[1], "records": where[1], **held}
    assert "2 tickets can be imported." in admin.post("/console/tickets/import/preview", files=sent, data=chosen).text
    assert "2 imported" in admin.post("/console/tickets/import", files=sent, data=chosen).text

    page = admin.get("/console/tickets/show/C-2").text
    assert "cause 2" in page
    assert "A. Person" not in page


def test_tickets_are_imported_with_their_columns_chosen(admin: Browser, database: Database) -> None:
    body = "号;发生了什么;为什么;team\nT-1;查询变慢;统计信息过期;dba\n;无编号;x;y\n".encode("gb18030")
    sent = {"file": ("my <b>.csv", body, "text/csv")}
    seen = admin.post("/console/tickets/import/preview", files=sent)
    assert Found(seen.text).runs == []
    assert "No column holds “Description”" in seen.text
    assert "was read as" in seen.text, "its encoding was told from its text"
    assert 'hx-post="/console/tickets/import"' not in seen.text, "nothing can be imported yet"
    mark = re.search(r'name="columns-of" value="([0-9a-f]+)"', seen.text)
    assert mark is not None
    chosen = {
        "columns-of": mark[1], "column-0": "ticket_id", "column-1": "description", "column-2": "root_cause", "column-3": "metadata",
    }  # fmt: skip
    seen = admin.post("/console/tickets/import/preview", files=sent, data=chosen)
    assert '<option value="root_cause" selected>' in seen.text
    assert "1 ticket can be imported." in seen.text
    assert "Line 3" in seen.text
    other = admin.post("/console/tickets/import/preview", files={"file": ("other.csv", b"id,problem\n1,x\n", "text/csv")}, data=chosen)
    assert "“Root cause”" in other.text, "what was chosen for other columns does not count"

    taken = admin.post("/console/tickets/import", files=sent, data=chosen)
    assert "1 imported" in taken.text
    page = admin.get("/console/tickets/show/T-1").text
    assert "统计信息过期" in page
    assert "dba" in page
    changed = admin.post("/console/tickets/show/T-1", data={"description": "变慢", "root_cause": "锁", "solution": ""})
    assert changed.status_code == 200
    assert "锁" in admin.get("/console/tickets/show/T-1").text
    assert admin.post("/console/tickets/delete/T-1").headers["HX-Redirect"] == "/console/tickets"


def test_an_export_of_jira_is_imported_as_it_is_and_taken_back(admin: Browser) -> None:
    body = (
        b"Issue key,Summary,Status,Resolution,Comment,Comment,Root Cause\n"
        b"OPS-1,Orders are slow,Closed,Fixed,CPU was at 98 %,We restarted it,A missing index\n"
        b"OPS-2,Still open,In Progress,,,,\n"
    )
    sent = {"file": ("jira.csv", body, "text/csv")}
    seen = admin.post("/console/tickets/import/preview", files=sent, language="zh").text
    assert "按 Jira 的导出文件读取" in seen
    assert seen.count('<option value="comments" selected>') == 1, "columns of one name are chosen once"
    assert "1 imported" in admin.post("/console/tickets/import", files=sent).text
    assert "Taken back: 1 removed" in admin.post("/console/tickets/undo").text
    assert admin.get("/console/tickets/show/OPS-1").status_code == 404


def test_the_tickets_that_ship_are_imported_by_a_click(admin: Browser) -> None:
    assert "/console/tickets/import/sample" in admin.get("/console/tickets/import").text
    assert "116 imported" in admin.post("/console/tickets/import/sample").text


def test_a_role_is_paused_and_many_entries_of_the_quarantine_are_let_go(admin: Browser, database: Database) -> None:
    assert "paused" in admin.post("/console/fleet/analyst/pause").text
    assert admin.post("/console/fleet/nobody/pause").status_code == 400
    entries = [str(put(database, source="x", cause="Strange", message="m", body=b"{}")) for _ in range(3)]
    assert admin.post("/console/quarantine", data={"deed": "give_up"}).status_code == 400
    assert "3 entries are settled" in admin.post("/console/quarantine", data={"deed": "give_up", "entry": entries}).text


def test_a_job_is_submitted_by_a_form_made_of_its_contract(admin: Browser, services: ProcessServices) -> None:
    page = admin.get("/console/new/diagnose").text
    assert 'name="f-max_turns"' in page
    assert 'max="20.0"' in page or 'max="20"' in page
    assert admin.post("/console/new/diagnose", data={"f-max_turns": "3"}).status_code == 400
    made = admin.post("/console/new/diagnose", data={"f-description": HOSTILE, "f-max_turns": "3"})
    assert made.status_code == 201
    harmless(admin.get(made.headers["HX-Redirect"]))
    assert admin.post("/console/new/diagnose", data={"f-description": "slow", "_priority": "abc"}).status_code == 400
    assert admin.post("/console/new/nothing", data={}).status_code == 400
    assert admin.post("/console/new/tune", data={}).status_code == 400


def test_a_conversation_goes_on_in_its_page(admin: Browser, services: ProcessServices) -> None:
    begun = admin.post("/console/chat", data={"kind": "ask", "text": HOSTILE})
    address = begun.headers["HX-Redirect"]
    harmless(admin.get("/console/chat"))
    harmless(admin.get(address))
    assert admin.post("/console/chat", data={"kind": "noop", "text": "x"}).status_code == 400
    assert admin.post(address, data={"text": "and per month?"}).status_code == 201


def test_pages_say_where_they_belong_and_where_to_begin(admin: Browser) -> None:
    """Without a source, pages that need one lead to where it is added; the menu shows that a specification and a plan make a job."""
    for path in ("spec", "plan", "catalogue"):
        page = admin.get(f"/console/{path}").text
        assert "There is no source yet" in page
        assert '<a href="/console/sources">Sources</a></p>' in page
    for path in ("spec", "plan"):
        assert '<a href="/console/new" aria-current="page">' in admin.get(f"/console/{path}").text


def test_chinese_pages_have_no_english_sentences(admin: Browser, services: ProcessServices) -> None:
    job_id = job_of(services, "default", {"kind": "noop", "text": "查", "plan": {"s3": {"ask": 1}}})
    text = re.sub(r"<[^>]+>", " ", admin.get(f"/console/jobs/{job_id}", "zh").text)
    assert foreign_words is not None
    assert re.findall(r"\b(?:the|waits|asked|Dialogue|Answer|Stages)\b", text) == []


def test_ten_thousand_jobs_are_found_by_words_and_turned_over_page_by_page(
    admin: Browser, services: ProcessServices, database: Database
) -> None:
    job_id = job_of(services, "default", {"kind": "noop", "text": "a needle in ten thousand jobs"})
    row = database.row("SELECT * FROM jobs WHERE id = %(id)s", {"id": job_id})
    assert row is not None
    columns = ", ".join(column for column in row if column not in ("id", "idempotency_key"))
    copied = f"INSERT INTO jobs (id, {columns}) SELECT uuidv7(), {columns} FROM jobs, generate_series(1, 10000) WHERE id = %(id)s"  # noqa: S608  names of columns
    database.statement(copied, {"id": job_id})
    seen: set[str] = set()
    address = "/console/jobs"
    for _ in range(3):
        page = admin.get(address).text
        found = set(re.findall(r'href="/console/jobs/([0-9a-f-]{36})"', page))
        assert len(found) == 25
        assert not found & seen
        seen |= found
        following = re.search(r'href="(/console/jobs\?before=[^"]+)"', page)
        assert following is not None
        address = following[1]
    assert len(re.findall(r'href="/console/jobs/[0-9a-f-]{36}"', admin.get("/console/jobs?text=needle").text)) == 1
    assert [admin.get(f"/console/{page}").status_code for page in ("fleet", "usage", "chat")] == [200, 200, 200]


def test_vendored_files_are_those_that_their_list_names() -> None:
    for folder in (Path(str(all_routers.__code__.co_filename)).parents[1] / "static", BROWSER):
        rows = re.findall(r"^\| `([^`]+)` .*`([0-9a-f]{64})` \|$", (folder / "VENDORED.md").read_text("utf-8"), re.MULTILINE)
        assert {name for name, _ in rows} == {path.name for path in folder.iterdir() if ".min." in path.name}
        assert all(hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest for name, digest in rows)
        licences = set(re.findall(r"`(LICENSE-[a-z-]+\.txt)`", (folder / "VENDORED.md").read_text("utf-8")))
        assert licences == {path.name for path in folder.glob("LICENSE-*")}


def test_sources_that_the_caller_may_query_are_offered_and_shown(
    client: TestClient, admin: Browser, services: ProcessServices, database: Database
) -> None:
    assert offer_sample(database, services.settings.data_dir)
    shop = list_sources(database)[0].name
    assert f'<option value="{shop}">' in admin.get("/console/new/ask").text
    assert "orders" in harmless(admin.get(f"/console/catalogue/show/{shop}.main.orders"))
    found = admin.get("/console/catalogue?text=orders", "zh").text
    assert {"表", "列"} <= set(re.findall(r'<td class="whole">([^<]+)</td>', found)) <= {"表", "列", "取值", "查询", "指标", "文档"}
    assert "answers" in admin.post(f"/console/sources/{shop}/check").text
    database.statement("UPDATE sources SET owners = ARRAY['bank']")
    other = browser(client, database, "shop", Scope.READ, Scope.SUBMIT)
    assert shop not in re.findall(r'<option value="([^"]+)">', other.get("/console/new/ask").text)
    assert other.get(f"/console/sources/{shop}").status_code == 404


def test_a_source_that_the_catalogue_does_not_know_says_so_and_is_read_in_by_a_click(
    client: TestClient, admin: Browser, services: ProcessServices, database: Database
) -> None:
    assert offer_sample(database, services.settings.data_dir)
    shop = list_sources(database)[0].name
    assert f"/console/sources/{shop}/catalogue" not in admin.get(f"/console/sources/{shop}").text
    forget_source(database, shop)
    reader = browser(client, database, "shop", Scope.READ, Scope.OPERATE)
    assert f"bullpen catalogue import {shop}" in reader.get(f"/console/sources/{shop}", "zh").text
    assert reader.post(f"/console/sources/{shop}/catalogue").status_code == 403
    assert f"/console/sources/{shop}/catalogue" in admin.get(f"/console/sources/{shop}").text

    read_in = admin.post(f"/console/sources/{shop}/catalogue")
    assert read_in.headers["HX-Redirect"] == f"/console/catalogue?text={shop}"
    assert f"{shop}.main." in admin.get(read_in.headers["HX-Redirect"]).text
    assert f"/console/sources/{shop}/catalogue" not in admin.get(f"/console/sources/{shop}").text
