// @ts-check
// The text of a specification: line numbers beside it, lines with a fault marked, and a click on a fault that leads to its place.

/** @type {HTMLElement | null} */
const editor = document.querySelector("[data-editor]");
const faults = document.getElementById("faults");

/** @returns {HTMLTextAreaElement | null} The field; a filled one takes the place of the one before. */
const field = () => editor?.querySelector("textarea") ?? null;

/** The numbers of the lines; those with a fault are marked. */
const number = () => {
  const text = field(), numbers = editor?.querySelector(".numbers");
  if (!text || !numbers) return;
  const wrong = new Set([...(faults?.querySelectorAll("[data-line]") ?? [])].map(button => Number(/** @type {HTMLElement} */ (button).dataset.line)));
  const lines = text.value.split("\n").length;
  numbers.replaceChildren(...Array.from({ length: lines }, (_, at) => {
    const line = document.createElement("span");
    line.textContent = String(at + 1);
    if (wrong.has(at + 1)) line.className = "wrong";
    return line;
  }));
  numbers.scrollTop = text.scrollTop;
};

/**
 * Put the cursor at a place and show it.
 * @param {number} line From 1.
 * @param {number} column From 1; 0 for the line as a whole.
 */
const go = (line, column) => {
  const text = field();
  if (!text) return;
  const lines = text.value.split("\n"), at = Math.min(line, lines.length);
  const before = lines.slice(0, at - 1).reduce((sum, part) => sum + part.length + 1, 0);
  const here = before + Math.min(Math.max(column - 1, 0), lines[at - 1].length);
  const word = /^[\w.]+/.exec(text.value.slice(here))?.[0].length ?? 0;
  text.focus();
  text.setSelectionRange(here, here + word);
  const height = parseFloat(getComputedStyle(text).lineHeight);
  text.scrollTop = Math.max(0, (at - 1) * height - text.clientHeight / 2);
};

/** @param {HTMLTextAreaElement} text */
const follow = text => {
  text.addEventListener("input", number);
  text.addEventListener("scroll", () => {
    const numbers = editor?.querySelector(".numbers");
    if (numbers) numbers.scrollTop = text.scrollTop;
  });
  number();
};

if (editor && faults) {
  const first = field();
  if (first) follow(first);
  faults.addEventListener("click", event => {
    const place = /** @type {HTMLElement} */ (event.target).closest("[data-line]");
    if (place instanceof HTMLElement) go(Number(place.dataset.line), Number(place.dataset.column));
  });
  new MutationObserver(number).observe(faults, { childList: true, subtree: true });
  // What search filled in takes the place of the text, and is checked.
  new MutationObserver(() => {
    const text = field();
    if (!text || text.dataset.followed) return;
    text.dataset.followed = "true";
    follow(text);
    /** @type {HTMLDetailsElement | null} */ (document.getElementById("fill"))?.removeAttribute("open");
    document.body.dispatchEvent(new CustomEvent("filled"));
  }).observe(editor, { childList: true });
  // A text that somebody typed is not replaced without a question.
  document.addEventListener("submit", event => {
    const sure = /** @type {HTMLElement} */ (event.target).dataset.sure, text = field();
    if (!sure || !text?.value.trim() || window.confirm(sure)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }, true);
}

export {};
