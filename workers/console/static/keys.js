// Keys: `/` for the search or message field, Ctrl+Enter to send, `1 y` to answer an item of a question; and files that are dropped on the box.

/** @param {Element | null} element */
const isWriting = element => element?.matches("input:not([type=radio]):not([type=checkbox]), textarea, select, [contenteditable]");

document.addEventListener("keydown", event => {
  const on = /** @type {HTMLInputElement} */ (event.target);
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && (on.matches("[data-send]") || on.closest("form.question"))) {
    event.preventDefault();
    on.form?.requestSubmit(on.form.querySelector("button:not([name])"));
  }
  if (event.key === "/" && !event.ctrlKey && !event.metaKey && !on.matches("input, textarea, select")) {
    const field = /** @type {HTMLElement | null} */ (document.querySelector("[data-key='/'], form [data-send]"));
    if (field) { event.preventDefault(); field.focus(); }
  }
});

let number = "";
document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey || isWriting(document.activeElement)) return;
  if (/^[0-9]$/.test(event.key)) { number = event.key; return; }
  const box = /** @type {HTMLInputElement | null} */ (number ? document.querySelector(`form.question [data-answer="${CSS.escape(number + event.key)}"]`) : null);
  number = "";
  if (box) { box.checked = true; box.focus(); event.preventDefault(); }
});

const shown = document.querySelector(".pages [aria-current]");
if (shown) shown.scrollIntoView({ inline: "center", block: "nearest" });  // the menu of a narrow screen scrolls

export {};
