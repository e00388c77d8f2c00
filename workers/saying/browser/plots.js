// Charts, ranges and maps, drawn by Vega-Lite from the specifications in the page. In the console this is a module; a report that is a file has
// it inside, so it imports nothing. Expressions are interpreted: no policy of ours allows `eval`.

/** @typedef {{ title: string, drawings: Record<string, Spec>, datasets: Record<string, Packed>, shown: [string, string][], columns: [string, string][] }} Content */
/** @typedef {{ fields: string[], rows: unknown[][] }} Packed */
/** @typedef {Record<string, unknown>} Row */
/** @typedef {Record<string, any>} Spec */
/** @typedef {{ figure: HTMLElement, plot: HTMLElement, content: Content, datasets: Record<string, Row[]>, drawing: string, place: number, width: number, view?: any }} Drawn */

const MANY = 1500;  // rows from which a canvas is drawn faster than as many elements
const PICTURE = 760;  // width of a saved picture
const NARROW = 480;
const VIRIDIS = ["#440154", "#482878", "#3e4989", "#31688e", "#26828e", "#1f9e89", "#35b779", "#6ece58", "#b5de2b", "#fde725"];

/** @type {WeakMap<Element, Drawn>} */
const drawn = new WeakMap();

/** Any colour of the page's style sheet as `rgb(...)`, which Vega can mix. @param {HTMLElement} inside @param {string} colour */
const resolved = (inside, colour) => {
  const probe = document.createElement("i");
  probe.style.color = colour;
  inside.append(probe);
  const pen = /** @type {CanvasRenderingContext2D} */ (Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d", { willReadFrequently: true }));
  pen.fillStyle = getComputedStyle(probe).color;
  probe.remove();
  pen.fillRect(0, 0, 1, 1);
  return `rgb(${[...pen.getImageData(0, 0, 1, 1).data].slice(0, 3).join(", ")})`;
};

/** The look of a drawing: the colours of its page, and what fits into its width. @param {HTMLElement} inside @param {number} width */
const themed = (inside, width) => {
  const of = /** @param {string} colour */ colour => resolved(inside, colour);
  const ink = of("var(--ink)"), dim = of("var(--dim)"), rule = of("var(--rule)");
  const background = of("var(--surface)"), isDark = background.match(/\d+/g)?.every(part => Number(part) < 128);
  const columns = width < NARROW ? 2 : 4;
  return {
    background,
    config: {
      background: "transparent",
      font: getComputedStyle(inside).fontFamily,
      aria: false,
      view: { stroke: null },
      mark: { color: of("var(--c0)") },
      tick: { color: ink },
      text: { color: ink, fontSize: 12, limit: Math.max(60, 0.3 * width) },
      title: { color: ink, subtitleColor: dim, fontSize: 14 },
      axis: { labelColor: dim, titleColor: dim, gridColor: rule, domainColor: rule, tickColor: rule, labelFontSize: 12, titleFontSize: 12, titleFontWeight: 500 },
      axisLeft: { titleAngle: 0, titleAlign: "left", titleAnchor: "start", titleX: 0, titleY: -8, titleBaseline: "bottom" },
      axisY: { labelLimit: Math.max(70, 0.33 * width) },
      axisQuantitative: { tickCount: Math.max(3, Math.min(6, Math.round(width / 110))) },
      legend: { orient: "top", offset: 24, direction: "horizontal", columns, labelLimit: width / columns - 40, labelColor: ink, titleColor: dim, labelFontSize: 12, titleFontSize: 12, titleFontWeight: 500, gradientLength: Math.min(220, width / 2) },
      range: {
        category: [0, 1, 2, 3, 4, 5, 6, 7].map(number => of(`var(--c${number})`)),
        ramp: isDark ? VIRIDIS.slice(3) : VIRIDIS.slice(0, -1),  // without the end that is near to the background
        heatmap: [of("color-mix(in srgb, var(--c0) 8%, var(--surface))"), of("color-mix(in srgb, var(--c0) 55%, var(--surface))")],
      },
    },
  };
};

const REFUSING = { load: () => Promise.reject(new Error("nothing is fetched")), sanitize: () => Promise.reject(new Error("nothing is fetched")) };

/** A view that draws one specification. @param {Drawn} of @param {number} width @param {Spec} more @param {Spec} options */
const viewed = (of, width, more, options) => {
  const { drawings } = of.content, spec = drawings[of.drawing], { shape, lowest, highest } = spec.usermeta ?? {};
  const isTight = spec.padding && spec.padding.right > 0.2 * width;  // what is written beside the bars is in the table as well
  const sized = {
    ...spec,
    width,
    datasets: structuredClone(of.datasets),
    autosize: { type: "fit-x", contains: "padding" },
    ...(shape ? { height: Math.round(Math.min(Math.max(width * shape, lowest), highest)) } : {}),
    ...(isTight ? { padding: 5, layer: spec.layer.filter(/** @param {Spec} layer */ layer => layer.mark.type !== "text") } : {}),
    ...more,
  };
  const { vega, vegaLite, vegaInterpreter } = globalThis;
  const { spec: compiled } = vegaLite.compile(sized, { config: themed(of.figure, width).config, logger: vega.logger(vega.Error) });
  return new vega.View(vega.parse(compiled, null, { ast: true }), { expr: vegaInterpreter.expressionInterpreter, loader: REFUSING, logLevel: vega.Error, ...options });
};

/** The values of a row as its reader writes them. @param {Content} content @param {Row} row */
const lines = (content, row) => content.shown.map(([field, title]) => /** @type {[string, string]} */ ([title, String(row[field] ?? "")])).filter(([, text]) => text);

const tip = document.createElement("dl");
tip.className = "plot-tip";
tip.hidden = true;

/** @param {unknown} _ @param {MouseEvent} event @param {unknown} _item @param {Record<string, string> | null} value */
const pointed = (_, event, _item, value) => {
  tip.hidden = !value || typeof value !== "object";
  if (!value || tip.hidden) return;
  tip.replaceChildren(...Object.entries(value).flatMap(([title, text]) => [
    Object.assign(document.createElement("dt"), { textContent: title }), Object.assign(document.createElement("dd"), { textContent: text }),
  ]));
  if (!tip.isConnected) document.body.append(tip);
  const { offsetWidth: width, offsetHeight: height } = tip, gap = 14;
  tip.style.left = `${Math.max(4, event.clientX + gap + width > innerWidth ? event.clientX - gap - width : event.clientX + gap)}px`;
  tip.style.top = `${Math.max(4, event.clientY + gap + height > innerHeight ? event.clientY - gap - height : event.clientY + gap)}px`;
};

/** @param {Drawn} of */
const show = async of => {
  const width = of.plot.clientWidth;
  if (of.drawing === "table" || !width) return;
  of.width = width;
  of.view?.finalize();
  const renderer = of.datasets.rows.length > MANY ? "canvas" : "svg";
  of.view = viewed(of, width, {}, { renderer, container: of.plot, hover: true, tooltip: pointed });
  await of.view.runAsync();
  of.plot.firstElementChild?.setAttribute("aria-hidden", "true");
};

/** @param {Drawn} of @param {string} drawing */
const choose = (of, drawing) => {
  of.drawing = drawing;
  const isTable = drawing === "table";
  for (const button of of.figure.querySelectorAll("[data-drawing]")) button.setAttribute("aria-pressed", String(button.getAttribute("data-drawing") === drawing));
  of.plot.hidden = isTable;
  const details = of.figure.querySelector("details");
  if (details) details.open = isTable;
  return show(of);
};

/** @param {string} text */
const quoted = text => {
  const safe = /^[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text;  // no spreadsheet takes it for a formula
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

/** Comma-separated values. @param {unknown[][]} rows */
export const csv = rows => rows.map(row => row.map(cell => quoted(String(cell ?? ""))).join(",")).join("\r\n");

/** @param {Blob} content @param {string} title @param {string} ending */
const download = (content, title, ending) => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = `${title.replace(/[\\/:*?"<>|\s]+/g, "-").slice(0, 60)}.${ending}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
};

/** @param {Drawn} of @param {string} form */
const save = async (of, form) => {
  const { content } = of;
  if (form === "csv") {
    const rows = of.datasets.rows.map(row => content.columns.map(([field]) => row[field]));
    download(new Blob(["\ufeff", csv([content.columns.map(([, title]) => title), ...rows])], { type: "text/csv" }), content.title, form);
    return;
  }
  const drawing = of.drawing === "table" ? Object.keys(content.drawings)[0] : of.drawing;
  const more = { title: { text: content.title, anchor: "start" }, background: themed(of.figure, PICTURE).background };
  const view = viewed({ ...of, drawing }, PICTURE, more, { renderer: "none" });
  if (form === "svg") download(new Blob([await view.toSVG()], { type: "image/svg+xml" }), content.title, form);
  else {
    const canvas = /** @type {HTMLCanvasElement} */ (await view.toCanvas(2));
    canvas.toBlob(blob => { if (blob) download(blob, content.title, form); });
  }
  view.finalize();
};

/** The arrow keys tell the values one by one. @param {Drawn} of @param {KeyboardEvent} event */
const moved = (of, event) => {
  const rows = of.datasets.rows, last = rows.length - 1;
  const place = { ArrowRight: of.place + 1, ArrowDown: of.place + 1, ArrowLeft: of.place - 1, ArrowUp: of.place - 1, Home: 0, End: last }[event.key];
  if (place === undefined) return;
  event.preventDefault();
  of.place = Math.min(Math.max(place, 0), last);
  const said = of.figure.querySelector(".plot-said");
  if (said) said.textContent = `${of.place + 1}/${last + 1} · ${lines(of.content, rows[of.place]).map(pair => pair.join(": ")).join(" · ")}`;
};

const resizing = new ResizeObserver(entries => {
  for (const { target } of entries) {
    const of = drawn.get(target);
    if (of && target.clientWidth && Math.abs(target.clientWidth - of.width) > 2) void show(of);
  }
});

/** @param {HTMLElement} figure */
const draw = figure => {
  const plot = /** @type {HTMLElement | null} */ (figure.querySelector(".plot")), data = figure.querySelector(".plot-data");
  if (!plot || !data || drawn.has(plot)) return;
  const content = /** @type {Content} */ (JSON.parse(data.textContent ?? ""));
  const datasets = Object.fromEntries(Object.entries(content.datasets).map(([name, { fields, rows }]) => (
    [name, rows.map(row => Object.fromEntries(fields.map((field, place) => [field, row[place]])))]
  )));
  /** @type {Drawn} */
  const of = { figure, plot, content, datasets, drawing: Object.keys(content.drawings)[0], place: -1, width: 0 };
  drawn.set(plot, of);
  void choose(of, of.drawing);
  resizing.observe(plot);
  const tools = /** @type {HTMLElement | null} */ (figure.querySelector(".plot-tools"));
  if (tools) tools.hidden = false;
  tools?.addEventListener("click", event => {
    const button = /** @type {Element} */ (event.target).closest("button");
    if (button?.dataset.drawing) void choose(of, button.dataset.drawing);
    if (button?.dataset.save) void save(of, button.dataset.save);
  });
  plot.addEventListener("keydown", event => moved(of, event));
  plot.addEventListener("pointerleave", () => { tip.hidden = true; });
};

/** Draw each figure that has not been drawn. @param {ParentNode} root */
export const drawAll = root => { for (const figure of root.querySelectorAll("figure.plotted")) draw(/** @type {HTMLElement} */ (figure)); };

/** Draw all figures anew, in the colours of now. */
const redraw = () => { for (const plot of document.querySelectorAll("figure.plotted .plot")) { const of = drawn.get(plot); if (of) void show(of); } };
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
