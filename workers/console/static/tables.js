// Tables of results: sort, find, copy and save what is shown.

import { csv } from "./plots.js";

const words = document.getElementById("words")?.dataset ?? {};
const FINDABLE = 9;  // rows from which a field to find some is worth its place

/** @param {HTMLTableCellElement} cell */
const valueOf = cell => cell.dataset.value === undefined ? cell.textContent?.trim() ?? "" : Number(cell.dataset.value);

/** @param {HTMLTableRowElement[]} rows @param {number} column @param {number} turned */
const sorted = (rows, column, turned) => [...rows].sort((a, b) => {
  const [one, two] = [valueOf(a.cells[column]), valueOf(b.cells[column])];
  return turned * (typeof one === "number" && typeof two === "number" ? one - two : String(one).localeCompare(String(two), undefined, { numeric: true }));
});

/** @param {HTMLTableElement} table */
const sortable = table => {
  const body = table.tBodies[0], first = [...body.rows], head = /** @type {HTMLTableSectionElement} */ (table.tHead);
  head.querySelectorAll("th").forEach((title, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "sort";
    button.append(...title.childNodes);
    title.append(button);
    button.addEventListener("click", () => {
      const order = { "": "ascending", ascending: "descending", descending: "" }[title.getAttribute("aria-sort") ?? ""];
      for (const other of head.rows[0].cells) other.removeAttribute("aria-sort");
      if (order) title.setAttribute("aria-sort", order);
      body.append(...(order ? sorted(first, column, order === "descending" ? -1 : 1) : first));
    });
  });
  const tools = document.createElement("div"), copy = document.createElement("button");
  tools.className = "table-tools";
  if (first.length >= FINDABLE) {
    const find = document.createElement("input");
    find.type = "search";
    find.placeholder = words.find ?? "";
    find.setAttribute("aria-label", words.find ?? "");
    find.addEventListener("input", () => { for (const row of first) row.hidden = !row.textContent?.toLowerCase().includes(find.value.toLowerCase()); });
    tools.append(find);
  }
  const { more, moreText } = table.parentElement?.dataset ?? {};
  if (more) {
    const all = document.createElement("button");
    all.type = "button";
    all.className = "secondary small";
    all.textContent = moreText ?? "";
    all.addEventListener("click", () => htmx.ajax("GET", more, { target: table.closest(".document"), swap: "innerHTML" }));
    tools.append(all);
  }
  copy.type = "button";
  copy.className = "plain small";
  copy.textContent = words.copy ?? "";
  copy.addEventListener("click", async () => {
    await navigator.clipboard.writeText(csv([head.rows[0], ...body.rows].map(row => [...row.cells].map(cell => cell.textContent?.trim()))));
    copy.textContent = words.copied ?? "";
  });
  tools.append(copy);
  const before = table.parentElement?.previousElementSibling;
  if (before?.matches(".table-tools")) before.remove();
  table.parentElement?.before(tools);
};

/** Give each table of a report what it can do. */
export const enhanceTables = () => {
  for (const table of /** @type {NodeListOf<HTMLTableElement>} */ (document.querySelectorAll(".document .table > table"))) {
    if (table.tBodies[0]?.rows.length > 1 && !table.querySelector("button.sort")) sortable(table);
  }
};
