/** The page: the list of runs, the run in the address after `#`, and the catalogue of its protocol. */
import { catalogue } from "./catalogue.js";
import { element } from "./dom.js";
import { openFeed } from "./feed.js";
import { createTimeline } from "./timeline.js";

/** @typedef {import("./feed.js").Run} Run */

/** Stops the run that is shown. */
let leave = () => {};

/** @param {string} id */
function part(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}

/** @param {Run} run */
function addressOf({ protocol, run }) {
  return `#/${encodeURIComponent(protocol)}/${encodeURIComponent(run)}`;
}

/** @param {readonly Run[]} runs */
function showRuns(runs) {
  const groups = new Map(runs.map(({ protocol }) => [protocol, /** @type {Run[]} */ ([])]));
  for (const run of runs) groups.get(run.protocol)?.push(run);
  const lists = [...groups].flatMap(([protocol, members]) => [
    element("h3", {}, protocol),
    element(
      "ul",
      {},
      ...members.map((run) =>
        element(
          "li",
          {},
          element(
            "a",
            { href: addressOf(run), title: run.run },
            element("code", {}, shortKey(run.run)),
            element("span", {}, String(run.events)),
          ),
        ),
      ),
    ),
  ]);
  part("runs").replaceChildren(...lists);
}

/**
 * Returns the end of a long key, which distinguishes it from its neighbours.
 * @param {string} key
 */
function shortKey(key) {
  return key.length > 26 ? `${key.slice(0, 5)}…${key.slice(-18)}` : key;
}

const STATES = { connecting: "connecting", live: "live", waiting: "reconnecting", ended: "ended" };

/** @param {Run} run */
async function showRun(run) {
  leave();
  let left = false;
  leave = () => {
    left = true;
  };
  const [module, { view }] = await Promise.all([
    import(`../../generated/${run.protocol}/index.js`),
    import(`../../generated/${run.protocol}/view.js`),
  ]);
  const protocol = { ...module.protocol, view };
  if (left) return;
  const state = element("span", { class: "chip state", role: "status" }, STATES.connecting);
  const count = element("span", { class: "count" });
  const timeline = element("ol", { class: "timeline", "aria-label": "Timeline" });
  const events = element("ol", { class: "events", "aria-label": "Events as they came", hidden: "" });
  const fields = [run.protocol, ...Object.entries(run.fields).map(([name, value]) => `${name} ${value}`)];
  part("run").replaceChildren(
    element(
      "div",
      { class: "title" },
      element("h1", {}, run.run),
      element("p", { class: "notes" }, fields.filter((field) => !field.endsWith(` ${run.run}`)).join(" · ")),
      element(
        "p",
        { class: "status" },
        state,
        count,
        createReasoningToggle(timeline),
        views(timeline, events),
      ),
    ),
    timeline,
    events,
  );
  part("catalogue").replaceChildren(
    ...catalogue(`${protocol.id}, version ${protocol.version}`, protocol.metadata),
  );
  const shown = createTimeline(protocol, timeline, events, (counts) => {
    count.textContent = countText(counts);
  });
  leave = openFeed(run, protocol, {
    deliver: shown.take,
    state: (now, reconnects) => {
      state.textContent = STATES[now] + (reconnects > 0 ? `, ${reconnects} reconnects` : "");
      state.dataset.state = now;
      state.dataset.reconnects = String(reconnects);
      if (now === "ended") shown.end();
    },
  });
}

/** @param {{ events: number, unknown: number, repeated: number, gaps: number }} counts */
function countText({ events, unknown, repeated, gaps }) {
  const parts = [`${events} events`];
  if (unknown > 0) parts.push(`${unknown} of unknown types`);
  if (gaps > 0) parts.push(`${gaps} gaps`);
  if (repeated > 0) parts.push(`${repeated} repeated, dropped`);
  return parts.join(" · ");
}

/**
 * Returns the switch that shows and hides the reasoning of models, which is hidden at first.
 * @param {HTMLElement} timeline
 */
function createReasoningToggle(timeline) {
  const button = element("button", { type: "button", "aria-pressed": "false" }, "Reasoning");
  button.addEventListener("click", () => {
    const shown = timeline.classList.toggle("with-reasoning");
    button.setAttribute("aria-pressed", String(shown));
  });
  return button;
}

/**
 * Returns the switch between the two lists.
 * @param {HTMLElement} timeline
 * @param {HTMLElement} events
 */
function views(timeline, events) {
  const button = element("button", { type: "button", "aria-pressed": "false" }, "Raw events");
  button.addEventListener("click", () => {
    const raw = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(raw));
    timeline.hidden = raw;
    events.hidden = !raw;
  });
  return button;
}

/** @param {readonly Run[]} runs */
function showAddressed(runs) {
  if (location.hash !== "" && !location.hash.startsWith("#/")) return;
  const run = runs.find((one) => addressOf(one) === location.hash) ?? runs[0];
  for (const link of document.querySelectorAll("#runs a"))
    link.toggleAttribute("aria-current", run !== undefined && link.getAttribute("href") === addressOf(run));
  if (run) showRun(run).catch(fail);
  else part("run").replaceChildren(element("p", {}, "There is no run."));
}

/** @param {unknown} error */
function fail(error) {
  part("run").replaceChildren(element("p", { role: "alert" }, `This did not work: ${error}`));
}

try {
  const { data } = await (await fetch("/runs")).json();
  showRuns(data);
  showAddressed(data);
  addEventListener("hashchange", () => showAddressed(data));
} catch (error) {
  fail(error);
}
