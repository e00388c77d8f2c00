// @ts-check
// The list of jobs: the results of those that are chosen as one archive.

document.addEventListener("click", event => {
  const button = /** @type {HTMLElement} */ (event.target).closest("[data-export]");
  if (!(button instanceof HTMLButtonElement) || !button.form) return;
  const chosen = /** @type {NodeListOf<HTMLInputElement>} */ (button.form.querySelectorAll("input[name=job]:checked"));
  const notice = document.getElementById("notice");
  if (chosen.length) location.assign(`${button.dataset.export}?${[...chosen].map(box => `job=${encodeURIComponent(box.value)}`).join("&")}`);
  else if (notice) {
    const said = document.createElement("p");
    said.className = "notice bad";
    said.textContent = button.dataset.none ?? "";
    notice.replaceChildren(said);
  }
});

export {};
