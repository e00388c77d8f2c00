// @ts-check
// Times as their reader has them: ages stay true while a page is open, clocks and days are those of the reader's own zone.

const said = document.getElementById("ages")?.dataset ?? {};
const language = document.documentElement.lang || "en";
const plural = new Intl.PluralRules(language);
const clock = new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });
const day = new Intl.DateTimeFormat(language, { dateStyle: "medium" });
const zoned = new Intl.DateTimeFormat(language, { timeZoneName: "short" });
const whole = new Intl.DateTimeFormat(language, { dateStyle: "full", timeStyle: "medium" });
/** Seconds of each unit, the greatest first: the same that the server has. @type {[string, number][]} */
const UNITS = [["days", 86400], ["hours", 3600], ["minutes", 60]];
const RECENT_S = 3;
const EVERY_MS = 15_000;

/**
 * How long ago a moment was, in the reader's language.
 * @param {Date} at
 * @returns {string}
 */
const age = at => {
  const seconds = Math.round((Date.now() - at.getTime()) / 1000);
  const [unit, length] = UNITS.find(([, size]) => seconds >= size) ?? ["", 0];
  if (!unit) return seconds < RECENT_S ? said.now ?? "" : (said.seconds ?? "").replace("#", String(seconds));
  const number = Math.floor(seconds / length);
  const form = `${unit}${plural.select(number) === "one" ? "One" : "Other"}`;
  return (said[form] ?? "").replace("#", String(number));
};

/**
 * Say it only where it changed: what did not is left alone, so that nothing is read out again.
 * @param {HTMLElement} element
 * @param {string} text
 */
const put = (element, text) => { if (text && element.textContent !== text) element.textContent = text; };

const refresh = () => {
  for (const element of /** @type {NodeListOf<HTMLTimeElement>} */ (document.querySelectorAll("time[datetime]"))) {
    const at = new Date(element.dateTime);
    if (Number.isNaN(at.getTime())) continue;
    if ("age" in element.dataset) put(element, age(at));
    if ("clock" in element.dataset) put(element, clock.format(at));
    if ("day" in element.dataset) put(element, day.format(at));
    if (!element.title) element.title = whole.format(at);
  }
  const zone = zoned.formatToParts(new Date()).find(part => part.type === "timeZoneName")?.value ?? "";
  for (const element of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-zone]"))) put(element, zone);
};

refresh();
setInterval(refresh, EVERY_MS);
document.addEventListener("htmx:after:swap", refresh);
document.addEventListener("htmx:sse:after:message", refresh);
document.addEventListener("visibilitychange", () => { if (!document.hidden) refresh(); });

export {};
