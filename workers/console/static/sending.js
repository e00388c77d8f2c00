// What is sent: tokens of a login, uploads with their progress, forms that are sent once, and the banner of a server that does not answer.

/** @typedef {CustomEvent<{ ctx?: any, status?: number } | null>} HtmxEvent */

const NEW_TOKEN = "X-New-CSRF-Token";

/** The element that an event is about. @param {Event} event */
const at = event => /** @type {HTMLElement} */ (event.target);

// The page goes on with another login: every later change carries its token, and uploads that were refused begin again.
/** @param {string | null | undefined} token */
const renew = token => {
  if (!token) return;
  const headers = JSON.stringify({ "X-CSRF-Token": token });
  document.body.setAttribute("hx-headers:inherited", headers);
  for (const box of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-headers]"))) box.dataset.headers = headers;
  for (const element of document.querySelectorAll("[hx-sse\\:connect]")) element._htmx?.sse?.delayCanceller?.();  // does not wait until it would try again
  for (const box of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-upload][data-refused]"))) {
    const { files } = /** @type {HTMLInputElement} */ (box.querySelector("input[type=file]"));
    if (files) void upload(box, files);
  }
};

/** @param {string} html */
const notify = html => {
  const notice = /** @type {HTMLElement} */ (document.getElementById("notice"));
  notice.innerHTML = html;
  htmx.process(notice);
};

class Refused extends Error {
  isLogin = false;
}

/**
 * @param {string} method @param {string} address @param {Record<string, string>} headers @param {Blob} [body] @param {(loaded: number) => void} [onProgress]
 * @returns {Promise<any>}
 */
const send = (method, address, headers, body, onProgress) => new Promise((resolve, reject) => {
  const request = new XMLHttpRequest();
  request.open(method, address);
  for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
  request.setRequestHeader("HX-Request", "true");
  if (onProgress) request.upload.addEventListener("progress", event => onProgress(event.loaded));
  request.addEventListener("load", () => {
    if (request.status < 300) { resolve(request.responseText ? JSON.parse(request.responseText) : {}); return; }
    const token = request.getResponseHeader(NEW_TOKEN), page = new DOMParser().parseFromString(request.responseText, "text/html");
    const refused = new Refused(request.status === 401 ? "" : page.body.textContent?.trim() || String(request.status));
    refused.isLogin = request.status === 401 || Boolean(token);
    if (request.status === 401) notify(request.responseText);
    reject(refused);
    if (token) setTimeout(() => renew(token));
  });
  request.addEventListener("error", () => reject(new Refused("")));
  request.send(body);
});

/** @param {HTMLElement} box @param {FileList} files */
const upload = async (box, files) => {
  const headers = JSON.parse(box.dataset.headers ?? "{}");
  const bar = /** @type {HTMLProgressElement} */ (box.querySelector("progress")), state = /** @type {HTMLElement} */ (box.querySelector(".upload-state"));
  const field = /** @type {HTMLInputElement} */ (box.querySelector("input[type=text]"));
  const all = Array.from(files), total = all.reduce((sum, file) => sum + file.size, 0) || 1;
  const button = /** @type {HTMLButtonElement} */ (box.closest("form")?.querySelector("button:not([type=button])"));
  delete box.dataset.refused;
  bar.hidden = false; button.disabled = true; field.value = ""; state.textContent = "";
  let before = 0;
  try {
    const { upload: id } = await send("POST", "/console/uploads", headers);
    for (const file of all) {
      const name = (file.webkitRelativePath || file.name).split("/").map(encodeURIComponent).join("/");
      const done = /** @param {number} loaded */ loaded => { bar.value = 100 * (before + loaded) / total; state.textContent = `${Math.floor(bar.value)} %`; };
      await send("PUT", `/console/uploads/${id}/${name}`, headers, file, done);
      before += file.size;
      done(0);
    }
    const { ref, files: kept } = await send("POST", `/console/uploads/${id}/done`, headers);
    field.value = ref;
    state.textContent = (box.dataset.kept ?? "").replace("#", kept);
  } catch (error) {
    state.textContent = `${box.dataset.failed} ${error instanceof Error ? error.message : ""}`;
    if (error instanceof Refused && error.isLogin) box.dataset.refused = "true";
  } finally {
    bar.hidden = true; button.disabled = false;
  }
};

document.addEventListener("change", event => {
  const field = /** @type {HTMLInputElement} */ (event.target), box = /** @type {HTMLElement | null} */ (field.closest("[data-upload]"));
  if (box && field.type === "file" && field.files?.length) void upload(box, field.files);
  const name = field.dataset?.all;
  if (name) for (const each of /** @type {NodeListOf<HTMLInputElement>} */ (field.form?.querySelectorAll(`input[name="${name}"]`))) each.checked = field.checked;
});

// The banner of a page whose server does not answer.
const unreached = /** @type {HTMLElement} */ (document.getElementById("unreached"));
const reach = /** @param {boolean} isReached */ isReached => { unreached.hidden = isReached; };
let away = 0;
document.addEventListener("htmx:sse:after:connection", () => { clearTimeout(away); reach(true); });

document.addEventListener("htmx:sse:error", event => {
  const { detail } = /** @type {HtmxEvent} */ (event);
  clearTimeout(away);
  away = setTimeout(() => reach(false), 4000);  // a server that is started again is back before that
  if (detail?.status === 401 && !document.getElementById("login-again")) htmx.ajax("GET", "/console/login/again", { target: "#notice", swap: "innerMorph" });
});

// A form that was sent shows it until the answer is there; what never arrived is said.
/** @param {any} ctx */
const isChange = ctx => ctx && ctx.request && ctx.request.method !== "GET";
/** @param {HTMLElement} element @returns {Element | null} */
const buttonOf = element => element.matches("button") ? element : element.querySelector(":scope > button:not([type=button]), .deeds button:not([type=button])");

// A second click, or a second Ctrl+Enter, does not send the same thing twice.
const SOON_MS = 700, sent = /** @type {WeakMap<EventTarget, number>} */ (new WeakMap());
/** @param {Event} event @param {HTMLElement} element */
const once = (event, element) => {
  const button = buttonOf(element), isBusy = button && button.getAttribute("aria-busy") === "true";
  if (isBusy || performance.now() - (sent.get(element) ?? -SOON_MS) < SOON_MS) {
    event.preventDefault();
    event.stopImmediatePropagation();
  } else sent.set(element, performance.now());
};
document.addEventListener("submit", event => { if (at(event).matches("[hx-post]")) once(event, at(event)); }, true);
document.addEventListener("click", event => {
  const button = /** @type {HTMLElement | null} */ (at(event).closest("button[hx-post]"));
  if (button) once(event, button);
}, true);

document.addEventListener("htmx:before:request", event => {
  const { ctx } = /** @type {HtmxEvent} */ (event).detail ?? {}, button = isChange(ctx) && (ctx.sourceEvent?.submitter || buttonOf(at(event)));
  if (button) { ctx.busyButton = button; button.setAttribute("aria-busy", "true"); }
});

document.addEventListener("htmx:finally:request", event => {
  const { ctx } = /** @type {HtmxEvent} */ (event).detail ?? {};
  if (ctx?.busyButton) ctx.busyButton.removeAttribute("aria-busy");
  if (!ctx || !ctx.response || ctx.response.status >= 400) sent.delete(at(event));  // nothing was taken: it may be sent again at once
});

document.addEventListener("htmx:error", event => {
  const { ctx } = /** @type {HtmxEvent} */ (event).detail ?? {};
  if (ctx && !ctx.response && !isChange(ctx)) reach(false);
  if (!isChange(ctx) || ctx.response) return;
  const said = document.createElement("p"), notice = /** @type {HTMLElement} */ (document.getElementById("notice"));
  said.className = "notice bad";
  said.textContent = notice.dataset.away ?? "";
  notice.replaceChildren(said);
});

document.addEventListener("htmx:after:request", event => {
  const { ctx } = /** @type {HtmxEvent} */ (event).detail ?? {}, form = at(event);
  if (ctx?.response) reach(true);
  if (ctx?.response?.headers) renew(ctx.response.headers.get(NEW_TOKEN));
  if (form instanceof HTMLFormElement && form.matches("form[data-reset]") && ctx?.response?.status < 300) form.reset();
});
