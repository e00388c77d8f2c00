// Tables of results: sort, find, pages, copy. The page holds all rows; those of other pages of a table are hidden, yet found, copied and printed.

import { csv } from "./plots.js";

const words = document.getElementById("words")?.dataset ?? {};
const FINDABLE = 9;  // rows from which a field to find some is worth its place
const SIZES = [25, 50, 100];
const number = new Intl.NumberFormat(document.documentElement.lang || "en");

/** @param {HTMLTableCellElement} cell */
const valueOf = cell => cell.dataset.value === undefined ? cell.textContent?.trim() ?? "" : Number(cell.dataset.value);

/** @param {HTMLTableRowElement[]} rows @param {number} column @param {number} turned */
const sorted = (rows, column, turned) => [...rows].sort((a, b) => {
  const [one, two] = [valueOf(a.cells[column]), valueOf(b.cells[column])];
  return turned * (typeof one === "number" && typeof two === "number" ? one - two : String(one).localeCompare(String(two), undefined, { numeric: true }));
});

/** @param {string} name @param {string | undefined} text @param {() => void} onClick */
const buttonWith = (name, text, onClick) => {
  const button = document.createElement("button");
  button.type = "button";
  button.className = name;
  button.textContent = text ?? "";
  button.addEventListener("click", onClick);
  return button;
};

/**
 * The pages of a table: what shows the one that holds a row, and the element to turn them with, which is hidden where one page is enough.
 * @param {() => HTMLTableRowElement[]} found the rows that are not filtered out, in their order
 */
const pager = found => {
  const element = document.createElement("div"), range = document.createElement("span"), label = document.createElement("label"), sizes = document.createElement("select");
  let size = SIZES[0], page = 0;
  /** @param {number} to */
  const show = to => {
    const rows = found(), last = Math.max(0, Math.ceil(rows.length / size) - 1);
    page = Math.min(Math.max(to, 0), last);
    rows.forEach((row, place) => row.classList.toggle("off", Math.floor(place / size) !== page));
    const places = [Math.min(page * size + 1, rows.length), Math.min((page + 1) * size, rows.length), rows.length];
    range.textContent = places.reduce((text, place, at) => text.replace(`#${at + 1}`, number.format(place)), words.range ?? "");
    previous.setAttribute("aria-disabled", String(page === 0));  // not `disabled`: a button that was pressed keeps the focus
    next.setAttribute("aria-disabled", String(page === last));
  };
  const previous = buttonWith("secondary small", words.previous, () => show(page - 1)), next = buttonWith("secondary small", words.next, () => show(page + 1));
  element.className = "table-tools pager";
  element.hidden = found().length <= SIZES[0];
  range.setAttribute("role", "status");
  for (const each of SIZES) sizes.add(new Option(number.format(each), String(each)));
  sizes.addEventListener("change", () => { const first = page * size; size = Number(sizes.value); show(Math.floor(first / size)); });
  label.append(words.rows ?? "", sizes);
  element.append(range, previous, next, label);
  return { element, show };
};

/** @param {HTMLTableElement} table */
const sortable = table => {
  const body = table.tBodies[0], first = [...body.rows], head = /** @type {HTMLTableSectionElement} */ (table.tHead);
  const found = () => [...body.rows].filter(row => !row.hidden), pages = pager(found);
  head.querySelectorAll("th").forEach((title, column) => {
    const button = buttonWith("sort", "", () => {
      const order = { "": "ascending", ascending: "descending", descending: "" }[title.getAttribute("aria-sort") ?? ""];
      for (const other of head.rows[0].cells) other.removeAttribute("aria-sort");
      if (order) title.setAttribute("aria-sort", order);
      body.append(...(order ? sorted(first, column, order === "descending" ? -1 : 1) : first));
      pages.show(0);
    });
    button.append(...title.childNodes);
    title.append(button);
  });
  const tools = document.createElement("div");
  tools.className = "table-tools";
  if (first.length >= FINDABLE) {
    const find = document.createElement("input");
    find.type = "search";
    find.placeholder = words.find ?? "";
    find.setAttribute("aria-label", words.find ?? "");
    find.addEventListener("input", () => {
      for (const row of first) row.hidden = !row.textContent?.toLowerCase().includes(find.value.toLowerCase());
      pages.show(0);
    });
    tools.append(find);
  }
  const around = /** @type {HTMLElement} */ (table.parentElement), { more, moreText } = around.dataset;
  if (more) tools.append(buttonWith("secondary small", moreText, () => htmx.ajax("GET", more, { target: table.closest(".document"), swap: "innerHTML" })));
  const copy = buttonWith("plain small", words.copy, async () => {
    await navigator.clipboard.writeText(csv([head.rows[0], ...found()].map(row => [...row.cells].map(cell => cell.textContent?.trim()))));
    copy.textContent = words.copied ?? "";
  });
  tools.append(copy);
  for (const old of [around.previousElementSibling, around.nextElementSibling]) if (old?.matches(".table-tools")) old.remove();
  around.before(tools);
  around.after(pages.element);
  pages.show(0);
};

/** Give each table of a report what it can do. */
export const enhanceTables = () => {
  for (const table of /** @type {NodeListOf<HTMLTableElement>} */ (document.querySelectorAll(".document .table > table"))) {
    if (table.tBodies[0]?.rows.length > 1 && !table.querySelector("button.sort")) sortable(table);
  }
};
