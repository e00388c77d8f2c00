// The few things that HTML and htmx do not do: the progress of an upload, sending by Ctrl+Enter, keys, and a form that empties itself.
(() => {
  "use strict";

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

  const shown = document.querySelector(".menu [aria-current]");
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
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && event.target.matches("[data-send]")) {
      event.preventDefault();
      event.target.form.requestSubmit(event.target.form.querySelector("button:not([name])"));
    }
    if (event.key === "/" && !event.ctrlKey && !event.metaKey && !event.target.matches("input, textarea, select")) {
      const field = document.querySelector("[data-key='/'], form [data-send]");
      if (field) { event.preventDefault(); field.focus(); }
    }
  });

  document.addEventListener("htmx:sse:error", event => {
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
    if (!isChange(ctx) || ctx.response) return;
    const said = document.createElement("p"), notice = document.getElementById("notice");
    said.className = "notice bad";
    said.textContent = notice.dataset.away;
    notice.replaceChildren(said);
  });

  document.addEventListener("htmx:after:request", event => {
    const { ctx } = event.detail || {};
    if (ctx && ctx.response && ctx.response.headers) renew(ctx.response.headers.get(NEW_TOKEN));
    const form = event.target;
    if (form.matches && form.matches("form[data-reset]") && ctx && ctx.response && ctx.response.status < 300) form.reset();
  });
})();
