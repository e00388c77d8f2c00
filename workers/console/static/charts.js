// Loads Vega, once, and only on a page that has a chart.

import { drawAll } from "./plots.js";

const RUNTIME = ["vega.min.js", "vega-lite.min.js", "vega-interpreter.min.js"];

/** @param {string} name @returns {Promise<void>} */
const script = name => new Promise((resolve, reject) => {
  const element = document.createElement("script");
  element.src = new URL(name, import.meta.url).href;
  element.async = false;  // in this order, though they are fetched at once
  element.addEventListener("load", () => resolve());
  element.addEventListener("error", () => reject(new Error(`${name} was not loaded`)));
  document.head.append(element);
});

/** @type {Promise<unknown> | undefined} */
let loaded;

/** Draw the charts that have not been drawn. */
export const drawCharts = async () => {
  if (!document.querySelector("figure.plotted")) return;
  loaded ??= Promise.all(RUNTIME.map(script));
  await loaded;
  drawAll(document);
};
