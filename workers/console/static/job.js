// A job's page: its panes, the inspector that follows its stage, what a stage needs.

const bench = /** @type {HTMLElement | null} */ (document.querySelector(".bench")), inspector = document.getElementById("inspector");
const stages = document.getElementById("job-stages");

/** @param {string} name */
const pane = name => {
  if (bench) bench.dataset.pane = name;
  for (const button of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".panes [data-pane]"))) button.setAttribute("aria-pressed", String(button.dataset.pane === name));
};

/** The stage in the inspector; "" without one. */
const selected = () => /** @type {HTMLElement | null | undefined} */ (inspector?.querySelector("[data-stage]"))?.dataset.stage ?? "";

/** Mark the selected stage in the timeline; what happened in the whole job is shown while none is selected. */
const mark = () => {
  const stage = selected();
  for (const link of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".stages a[data-stage]"))) {
    if (link.dataset.stage === stage) link.setAttribute("aria-current", "true"); else link.removeAttribute("aria-current");
  }
  const activity = document.getElementById("job-activity");
  if (activity) activity.hidden = stage !== "";
};

if (bench && inspector && stages) {
  const panes = /** @type {HTMLElement} */ (document.querySelector(".panes"));
  mark();
  panes.addEventListener("click", event => {
    const button = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest("[data-pane]"));
    if (button?.dataset.pane) pane(button.dataset.pane);
  });

  bench.addEventListener("click", event => {
    if (!(/** @type {Element} */ (event.target).closest("[data-close]"))) return;
    event.preventDefault();
    inspector.replaceChildren();
    history.replaceState(null, "", location.pathname);
    mark();
    pane("centre");
  });

  document.addEventListener("htmx:after:swap", event => {
    const { ctx } = /** @type {CustomEvent} */ (event).detail || {};
    if (!ctx || ctx.target !== inspector) return;
    const stage = selected();
    history.replaceState(null, "", stage ? `${location.pathname}?stage=${encodeURIComponent(stage)}` : location.pathname);
    mark();
    if (getComputedStyle(panes).display !== "none") pane("inspect");
  });

  // The inspector follows its stage, unless somebody works in it, or has begun to until the answer came.
  let state = "";
  const isBusy = () => inspector.contains(document.activeElement) || inspector.querySelector("details[open] form") !== null;
  document.addEventListener("htmx:before:swap", event => {
    const { ctx } = /** @type {CustomEvent} */ (event).detail || {};
    if (ctx?.target === inspector && ctx.sourceElement === document.body && isBusy()) event.preventDefault();
  });
  new MutationObserver(() => {
    mark();
    const line = stages.querySelector(".stages a[aria-current]")?.closest("li");
    const now = line ? `${line.className} ${line.textContent}` : "";
    if (line && state && now !== state && !isBusy()) htmx.ajax("GET", line.querySelector("a")?.getAttribute("hx-get") ?? "", { target: "#inspector" });
    state = now;
  }).observe(stages, { childList: true, subtree: true, characterData: true, attributes: true, attributeFilter: ["class"] });

  // What a stage needs directly is marked while the pointer, or the focus, is on it.
  const show = /** @param {Event} event */ event => {
    const line = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest(".stages > li"));
    const needs = line?.dataset.needs?.split(" ").filter(Boolean) ?? [];
    for (const other of stages.querySelectorAll(".stages > li")) other.classList.toggle("needed", needs.includes(other.id.replace("stage-", "")));
  };
  for (const kind of ["pointerover", "focusin"]) stages.addEventListener(kind, show);
  stages.addEventListener("pointerleave", () => { for (const other of stages.querySelectorAll(".needed")) other.classList.remove("needed"); });
}
