/** The page: the list of runs, the run in the address after `#`, and the catalogue of its protocol. */
import { createCatalogue } from "./catalogue.js";
import { createElement } from "./dom.js";
import { fetchJson, followRun } from "./feed.js";
import { createTimeline } from "./timeline.js";

/** @typedef {import("./feed.js").Run} Run */

/** Stops the run that is shown. */
let stopRun = () => {};

/** @param {string} id */
function findPart(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}

/** @param {Run} run */
function formatAddress({ protocol, run }) {
  return `#/${encodeURIComponent(protocol)}/${encodeURIComponent(run)}`;
}

/** @param {readonly Run[]} runs */
function showRuns(runs) {
  const groups = new Map(runs.map(({ protocol }) => [protocol, /** @type {Run[]} */ ([])]));
  for (const run of runs) groups.get(run.protocol)?.push(run);
  const lists = [...groups].flatMap(([protocol, members]) => [
    createElement("h3", {}, protocol),
    createElement("ul", {}, ...members.map((run) => createElement("li", {}, createLink(run)))),
  ]);
  findPart("runs").replaceChildren(...lists);
}

/** @param {Run} run */
function createLink(run) {
  const key = createElement("code", {}, shortenKey(run.run));
  const attributes = { href: formatAddress(run), title: run.run };
  return createElement("a", attributes, key, createElement("span", {}, String(run.events)));
}

/**
 * Returns the beginning and the end of a long key. The end distinguishes it from its neighbours.
 * @param {string} key
 */
function shortenKey(key) {
  return key.length > 26 ? `${key.slice(0, 5)}…${key.slice(-18)}` : key;
}

const STATES = { connecting: "connecting", live: "live", waiting: "reconnecting", ended: "ended" };

/** @param {Run} run */
async function showRun(run) {
  stopRun();
  let isStopped = false;
  stopRun = () => {
    isStopped = true;
  };
  const [module, { view }] = await Promise.all([
    import(`../../generated/${run.protocol}/index.js`),
    import(`../../generated/${run.protocol}/view.js`),
  ]);
  const protocol = { ...module.protocol, view };
  if (isStopped) return;
  const state = createElement("span", { class: "chip state", role: "status" }, STATES.connecting);
  const count = createElement("span", { class: "count" });
  const timeline = createElement("ol", { class: "timeline", "aria-label": "Timeline" });
  const events = createElement("ol", {
    class: "events",
    "aria-label": "Events in the order of arrival",
    hidden: "",
  });
  const fields = [run.protocol, ...Object.entries(run.fields).map(([name, value]) => `${name} ${value}`)];
  findPart("run").replaceChildren(
    createElement(
      "div",
      { class: "title" },
      createElement("h1", {}, run.run),
      createElement(
        "p",
        { class: "notes" },
        fields.filter((field) => !field.endsWith(` ${run.run}`)).join(" · "),
      ),
      createElement(
        "p",
        { class: "status" },
        state,
        count,
        createReasoningSwitch(timeline),
        createViewSwitch(timeline, events),
      ),
    ),
    timeline,
    events,
  );
  const title = `${protocol.id}, version ${protocol.version}`;
  findPart("catalogue").replaceChildren(...createCatalogue(title, protocol.metadata));
  const { take, end } = createTimeline(protocol, timeline, events, (counts) => {
    count.textContent = describeCounts(counts);
  });
  stopRun = followRun(run, protocol, {
    deliver: take,
    changeState: (name, reconnects) => {
      state.textContent = STATES[name] + (reconnects > 0 ? `, ${reconnects} reconnects` : "");
      state.dataset.state = name;
      state.dataset.reconnects = String(reconnects);
      if (name === "ended") end();
    },
  });
}

/** @param {{ events: number, unknown: number, repeated: number, gaps: number }} counts */
function describeCounts({ events, unknown, repeated, gaps }) {
  const parts = [`${events} events`];
  if (unknown > 0) parts.push(`${unknown} of unknown types`);
  if (gaps > 0) parts.push(`${gaps} gaps`);
  if (repeated > 0) parts.push(`${repeated} redeliveries dropped`);
  return parts.join(" · ");
}

/**
 * Returns the button that shows and hides the reasoning of models, which is hidden at first.
 * @param {HTMLElement} timeline
 */
function createReasoningSwitch(timeline) {
  const button = createElement("button", { type: "button", "aria-pressed": "false" }, "Reasoning");
  button.addEventListener("click", () => {
    const isShown = timeline.classList.toggle("with-reasoning");
    button.setAttribute("aria-pressed", String(isShown));
  });
  return button;
}

/**
 * Returns the button that switches between the two lists.
 * @param {HTMLElement} timeline
 * @param {HTMLElement} events
 */
function createViewSwitch(timeline, events) {
  const button = createElement("button", { type: "button", "aria-pressed": "false" }, "Raw events");
  button.addEventListener("click", () => {
    const isRaw = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(isRaw));
    timeline.hidden = isRaw;
    events.hidden = !isRaw;
  });
  return button;
}

/** @param {readonly Run[]} runs */
function showSelectedRun(runs) {
  if (location.hash !== "" && !location.hash.startsWith("#/")) return;
  const run = runs.find((candidate) => formatAddress(candidate) === location.hash) ?? runs[0];
  for (const link of document.querySelectorAll("#runs a"))
    link.toggleAttribute(
      "aria-current",
      run !== undefined && link.getAttribute("href") === formatAddress(run),
    );
  if (run) showRun(run).catch(showError);
  else findPart("run").replaceChildren(createElement("p", {}, "There is no run."));
}

/** @param {unknown} error */
function showError(error) {
  findPart("run").replaceChildren(createElement("p", { role: "alert" }, `The page failed: ${error}`));
}

try {
  const { data } = await fetchJson("/runs");
  showRuns(data);
  showSelectedRun(data);
  addEventListener("hashchange", () => showSelectedRun(data));
} catch (error) {
  showError(error);
}
