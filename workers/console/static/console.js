// What HTML and htmx do not do: the progress of an upload, keys, a form that empties itself, the panes of a job, and tables that sort.
/* global htmx */

const NEW_TOKEN = "X-New-CSRF-Token";

// The page goes on with another login: every later change carries its token, and uploads that were refused begin again.
const renew = token => {
  if (!token) return;
  const headers = JSON.stringify({ "X-CSRF-Token": token });
  document.body.setAttribute("hx-headers:inherited", headers);
  for (const box of document.querySelectorAll("[data-headers]")) box.dataset.headers = headers;
  for (const element of document.querySelectorAll("[hx-sse\\:connect]")) element._htmx?.sse?.delayCanceller?.();  // does not wait until it would try again
  for (const box of document.querySelectorAll("[data-upload][data-refused]")) upload(box, box.querySelector("input[type=file]").files);
};

const notify = html => {
  const notice = document.getElementById("notice");
  notice.innerHTML = html;
  htmx.process(notice);
};

const send = (method, address, headers, body, onProgress) => new Promise((resolve, reject) => {
  const request = new XMLHttpRequest();
  request.open(method, address);
  for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
  request.setRequestHeader("HX-Request", "true");
  if (onProgress) request.upload.addEventListener("progress", event => onProgress(event.loaded));
  request.addEventListener("load", () => {
    if (request.status < 300) { resolve(request.responseText ? JSON.parse(request.responseText) : {}); return; }
    const token = request.getResponseHeader(NEW_TOKEN), page = new DOMParser().parseFromString(request.responseText, "text/html");
    const refused = new Error(request.status === 401 ? "" : page.body.textContent.trim() || String(request.status));
    refused.isLogin = request.status === 401 || Boolean(token);
    if (request.status === 401) notify(request.responseText);
    reject(refused);
    if (token) setTimeout(() => renew(token));
  });
  request.addEventListener("error", () => reject(new Error("")));
  request.send(body);
});

const upload = async (box, files) => {
  const headers = JSON.parse(box.dataset.headers);
  const bar = box.querySelector("progress"), state = box.querySelector(".upload-state"), field = box.querySelector("input[type=text]");
  const all = Array.from(files), total = all.reduce((sum, file) => sum + file.size, 0) || 1;
  const button = box.closest("form").querySelector("button:not([type=button])");
  delete box.dataset.refused;
  bar.hidden = false; button.disabled = true; field.value = ""; state.textContent = "";
  let before = 0;
  try {
    const { upload: id } = await send("POST", "/console/uploads", headers);
    for (const file of all) {
      const name = (file.webkitRelativePath || file.name).split("/").map(encodeURIComponent).join("/");
      const done = loaded => { bar.value = 100 * (before + loaded) / total; state.textContent = `${Math.floor(bar.value)} %`; };
      await send("PUT", `/console/uploads/${id}/${name}`, headers, file, done);
      before += file.size;
      done(0);
    }
    const { ref, files: kept } = await send("POST", `/console/uploads/${id}/done`, headers);
    field.value = ref;
    state.textContent = box.dataset.kept.replace("#", kept);
  } catch (error) {
    state.textContent = `${box.dataset.failed} ${error.message}`;
    if (error.isLogin) box.dataset.refused = "true";
  } finally {
    bar.hidden = true; button.disabled = false;
  }
};

const shown = document.querySelector(".pages [aria-current]");
if (shown) shown.scrollIntoView({ inline: "center", block: "nearest" });  // the menu of a narrow screen scrolls

document.addEventListener("change", event => {
  const box = event.target.closest("[data-upload]");
  if (box && event.target.type === "file" && event.target.files.length) upload(box, event.target.files);
});

document.addEventListener("change", event => {
  const name = event.target.dataset && event.target.dataset.all;
  if (name) for (const box of event.target.form.querySelectorAll(`input[name="${name}"]`)) box.checked = event.target.checked;
});

document.addEventListener("keydown", event => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && (event.target.matches("[data-send]") || event.target.closest("form.question"))) {
    event.preventDefault();
    event.target.form.requestSubmit(event.target.form.querySelector("button:not([name])"));
  }
  if (event.key === "/" && !event.ctrlKey && !event.metaKey && !event.target.matches("input, textarea, select")) {
    const field = document.querySelector("[data-key='/'], form [data-send]");
    if (field) { event.preventDefault(); field.focus(); }
  }
});

// The banner of a page whose server does not answer.
const unreached = document.getElementById("unreached");
const reach = isReached => { unreached.hidden = isReached; };
let away = 0;
document.addEventListener("htmx:sse:after:connection", () => { clearTimeout(away); reach(true); });

document.addEventListener("htmx:sse:error", event => {
  clearTimeout(away);
  away = setTimeout(() => reach(false), 4000);  // a server that is started again is back before that
  if (event.detail && event.detail.status === 401 && !document.getElementById("login-again")) htmx.ajax("GET", "/console/login/again", { target: "#notice", swap: "innerMorph" });
});

// A form that was sent shows it until the answer is there; what never arrived is said.
const isChange = ctx => ctx && ctx.request && ctx.request.method !== "GET";
const buttonOf = element => element.matches("button") ? element : element.querySelector(":scope > button:not([type=button]), .deeds button:not([type=button])");

// A second click, or a second Ctrl+Enter, does not send the same thing twice.
const SOON_MS = 700, sent = new WeakMap();
const once = (event, element) => {
  const button = buttonOf(element), isBusy = button && button.getAttribute("aria-busy") === "true";
  if (isBusy || performance.now() - (sent.get(element) ?? -SOON_MS) < SOON_MS) {
    event.preventDefault();
    event.stopImmediatePropagation();
  } else sent.set(element, performance.now());
};
document.addEventListener("submit", event => { if (event.target.matches("[hx-post]")) once(event, event.target); }, true);
document.addEventListener("click", event => {
  const button = event.target.closest("button[hx-post]");
  if (button) once(event, button);
}, true);

document.addEventListener("htmx:before:request", event => {
  const { ctx } = event.detail || {}, button = isChange(ctx) && ((ctx.sourceEvent && ctx.sourceEvent.submitter) || buttonOf(event.target));
  if (button) { ctx.busyButton = button; button.setAttribute("aria-busy", "true"); }
});

document.addEventListener("htmx:finally:request", event => {
  const { ctx } = event.detail || {};
  if (ctx && ctx.busyButton) ctx.busyButton.removeAttribute("aria-busy");
  if (!ctx || !ctx.response || ctx.response.status >= 400) sent.delete(event.target);  // nothing was taken: it may be sent again at once
});

document.addEventListener("htmx:error", event => {
  const { ctx } = event.detail || {};
  if (ctx && !ctx.response && !isChange(ctx)) reach(false);
  if (!isChange(ctx) || ctx.response) return;
  const said = document.createElement("p"), notice = document.getElementById("notice");
  said.className = "notice bad";
  said.textContent = notice.dataset.away;
  notice.replaceChildren(said);
});

document.addEventListener("htmx:after:request", event => {
  const { ctx } = event.detail || {};
  if (ctx && ctx.response) reach(true);
  if (ctx && ctx.response && ctx.response.headers) renew(ctx.response.headers.get(NEW_TOKEN));
  const form = event.target;
  if (form.matches && form.matches("form[data-reset]") && ctx && ctx.response && ctx.response.status < 300) form.reset();
});

// ---- a job: panes, the inspector, keys of a question ----
const bench = document.querySelector(".bench"), inspector = document.getElementById("inspector");
const isWriting = element => element && element.matches("input:not([type=radio]):not([type=checkbox]), textarea, select, [contenteditable]");

const pane = name => {
  bench.dataset.pane = name;
  for (const button of document.querySelectorAll(".panes [data-pane]")) button.setAttribute("aria-pressed", String(button.dataset.pane === name));
};

/** The stage in the inspector; "" without one. */
const selected = () => inspector?.querySelector("[data-stage]")?.dataset.stage ?? "";

/** Mark the selected stage in the timeline; what happened in the whole job is shown while none is selected. */
const mark = () => {
  const stage = selected();
  for (const link of document.querySelectorAll(".stages a[data-stage]")) {
    if (link.dataset.stage === stage) link.setAttribute("aria-current", "true"); else link.removeAttribute("aria-current");
  }
  const activity = document.getElementById("job-activity");
  if (activity) activity.hidden = stage !== "";
};

if (bench && inspector) {
  mark();
  document.querySelector(".panes").addEventListener("click", event => {
    const button = event.target.closest("[data-pane]");
    if (button) pane(button.dataset.pane);
  });

  bench.addEventListener("click", event => {
    if (!event.target.closest("[data-close]")) return;
    event.preventDefault();
    inspector.replaceChildren();
    history.replaceState(null, "", location.pathname);
    mark();
    pane("centre");
  });

  document.addEventListener("htmx:after:swap", event => {
    const { ctx } = event.detail || {};
    if (!ctx || ctx.target !== inspector) return;
    const stage = selected();
    history.replaceState(null, "", stage ? `${location.pathname}?stage=${encodeURIComponent(stage)}` : location.pathname);
    mark();
    if (getComputedStyle(document.querySelector(".panes")).display !== "none") pane("inspect");
  });

  // The inspector follows its stage, unless somebody works in it.
  let state = "";
  const stages = document.getElementById("job-stages");
  new MutationObserver(() => {
    mark();
    const line = stages.querySelector(".stages a[aria-current]")?.closest("li");
    const now = line ? `${line.className} ${line.textContent}` : "";
    const isBusy = inspector.contains(document.activeElement) || inspector.querySelector("details[open] form");
    if (line && state && now !== state && !isBusy) htmx.ajax("GET", line.querySelector("a").getAttribute("hx-get"), { target: "#inspector" });
    state = now;
  }).observe(stages, { childList: true, subtree: true, characterData: true, attributes: true, attributeFilter: ["class"] });

  // What a stage needs directly is marked while the pointer, or the focus, is on it.
  const show = event => {
    const line = event.target.closest(".stages > li");
    const needs = line ? line.dataset.needs.split(" ").filter(Boolean) : [];
    for (const other of stages.querySelectorAll(".stages > li")) other.classList.toggle("needed", needs.includes(other.id.replace("stage-", "")));
  };
  for (const kind of ["pointerover", "focusin"]) stages.addEventListener(kind, show);
  stages.addEventListener("pointerleave", () => { for (const other of stages.querySelectorAll(".needed")) other.classList.remove("needed"); });
}

// An item of a question is answered by its number and y, n or ?: `1 y`.
let number = "";
document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey || isWriting(document.activeElement)) return;
  if (/^[0-9]$/.test(event.key)) { number = event.key; return; }
  const box = number && document.querySelector(`form.question [data-answer="${CSS.escape(number + event.key)}"]`);
  number = "";
  if (box) { box.checked = true; box.focus(); event.preventDefault(); }
});

// ---- tables of results: sort, find, copy as CSV ----
const WORDS = document.getElementById("words")?.dataset ?? {};
const FINDABLE = 9;  // rows from which a field to find some is worth its place
const valueOf = cell => cell.dataset.value === undefined ? cell.textContent.trim() : Number(cell.dataset.value);
const quoted = text => /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

/** @param {HTMLTableElement} table */
const sortable = table => {
  const body = table.tBodies[0], first = [...body.rows];
  table.tHead.querySelectorAll("th").forEach((title, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "sort";
    button.append(...title.childNodes);
    title.append(button);
    button.addEventListener("click", () => {
      const order = { "": "ascending", ascending: "descending", descending: "" }[title.getAttribute("aria-sort") ?? ""];
      for (const other of title.parentElement.children) other.removeAttribute("aria-sort");
      if (order) title.setAttribute("aria-sort", order);
      const turned = order === "descending" ? -1 : 1;
      const rows = order ? [...first].sort((a, b) => {
        const [one, two] = [valueOf(a.cells[column]), valueOf(b.cells[column])];
        return turned * (typeof one === "number" && typeof two === "number" ? one - two : String(one).localeCompare(String(two), undefined, { numeric: true }));
      }) : first;
      body.append(...rows);
    });
  });
  const tools = document.createElement("div"), copy = document.createElement("button");
  tools.className = "table-tools";
  if (first.length >= FINDABLE) {
    const find = document.createElement("input");
    find.type = "search";
    find.placeholder = WORDS.find;
    find.setAttribute("aria-label", WORDS.find);
    find.addEventListener("input", () => { for (const row of first) row.hidden = !row.textContent.toLowerCase().includes(find.value.toLowerCase()); });
    tools.append(find);
  }
  copy.type = "button";
  copy.className = "plain small";
  copy.textContent = WORDS.copy;
  copy.addEventListener("click", async () => {
    const rows = [table.tHead.rows[0], ...body.rows].map(row => [...row.cells].map(cell => quoted(cell.textContent.trim())).join(","));
    await navigator.clipboard.writeText(rows.join("\r\n"));
    copy.textContent = WORDS.copied;
  });
  tools.append(copy);
  if (table.parentElement.previousElementSibling?.matches(".table-tools")) table.parentElement.previousElementSibling.remove();
  table.parentElement.before(tools);
};

const enhance = () => {
  for (const table of document.querySelectorAll(".document .table > table")) {
    if (table.tBodies[0]?.rows.length > 1 && !table.querySelector("button.sort")) sortable(table);
  }
};
enhance();
document.addEventListener("htmx:after:swap", enhance);
document.addEventListener("htmx:sse:after:message", enhance);
