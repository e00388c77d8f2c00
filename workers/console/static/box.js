// @ts-check
// The box of the first page: what is typed or dropped is looked at by the server, which says what it can be; the person chooses.

/** @type {HTMLFormElement | null} */
const form = document.querySelector("form.box");
const field = /** @type {HTMLTextAreaElement | null} */ (form?.querySelector("textarea"));
const MOST_BYTES = 200_000;
const HEAD_BYTES = 65_536;

/** @param {string} kind */
const pick = kind => {
  const radio = /** @type {HTMLInputElement | null} */ (form?.querySelector(`input[name=kind][value="${CSS.escape(kind)}"]`));
  if (radio) radio.checked = true;
};

/**
 * A file that was dropped: recognised from its beginning; a text that fits the box is put into it.
 * @param {File} file
 */
const take = async file => {
  const suggestion = document.getElementById("suggestion");
  if (!form || !field || !suggestion) return;
  const head = file.slice(0, HEAD_BYTES), body = new FormData();
  body.append("file", new File([head], file.name));
  const headers = JSON.parse(document.body.getAttribute("hx-headers:inherited") ?? "{}");
  const answer = await fetch("/console/home/suggest", { method: "POST", body, headers: { ...headers, "HX-Request": "true" } });
  if (!answer.ok) return;
  suggestion.innerHTML = await answer.text();
  const goesOn = suggestion.querySelector("a[href]");
  if (!goesOn && file.size <= MOST_BYTES) field.value = await file.text();
  only();
};

/** Where there is one kind only, it is chosen; it can still be changed. */
const only = () => {
  const button = /** @type {HTMLElement | null} */ (document.querySelector("#suggestion [data-only]"));
  if (button) pick(button.dataset.pick ?? "");
};

if (form && field) {
  form.addEventListener("dragover", event => event.preventDefault());
  form.addEventListener("drop", event => {
    const file = event.dataTransfer?.files[0];
    if (!file) return;
    event.preventDefault();
    void take(file);
  });
  document.addEventListener("click", event => {
    const button = /** @type {HTMLElement} */ (event.target).closest("[data-pick]");
    if (!(button instanceof HTMLElement)) return;
    pick(button.dataset.pick ?? "");
    if (button.dataset.example) { field.value = button.dataset.example; field.focus(); }
  });
  document.addEventListener("htmx:after:swap", only);
}

export {};
