// What HTML and htmx do not do. Each module is one thing; what a page got later, by htmx or by its stream, is looked at as what it came with.

import { drawCharts } from "./charts.js";
import "./job.js";
import "./keys.js";
import "./sending.js";
import { enhanceTables } from "./tables.js";

const enhance = () => {
  enhanceTables();
  void drawCharts();
};
enhance();
document.addEventListener("htmx:after:swap", enhance);
document.addEventListener("htmx:sse:after:message", enhance);
