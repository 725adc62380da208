/** Lists the runs of the server by protocol. */
import { formatAddress } from "./address.js";
import { createElement } from "./dom.js";
import { formatCount, formatDuration } from "./format.js";

/** @typedef {import("./feed.js").Run} Run */

/** The state of a run that somebody has to decide something about. */
export const WAITS = "Waits for a decision";

/**
 * Draws the list of runs.
 * @param {HTMLElement} element
 * @param {readonly Run[]} runs
 * @param {string} currentHash The address of the run that is shown.
 */
export function drawRuns(element, runs, currentHash) {
  const groups = new Map(runs.map(({ protocol }) => [protocol, /** @type {Run[]} */ ([])]));
  for (const run of runs) groups.get(run.protocol)?.push(run);
  const lists = [...groups].flatMap(([protocol, members]) => [
    createElement("h3", {}, protocol),
    createElement("ul", {}, ...members.map((run) => createElement("li", {}, createLink(run, currentHash)))),
  ]);
  const isShown = element.querySelector("a[aria-current]")?.getAttribute("href") === currentHash;
  element.replaceChildren(...lists);
  // The list stays where the reader has scrolled it until another run is chosen.
  if (!isShown) element.querySelector("a[aria-current]")?.scrollIntoView({ block: "nearest" });
}

/**
 * @param {Run} run
 * @param {string} currentHash
 */
function createLink(run, currentHash) {
  const href = formatAddress(run);
  const tone = run.outcome?.tone ?? "open";
  const name = run.title === undefined ? createElement("code", {}, shortenKey(run.run)) : run.title;
  const facts = [
    ...listStates(run),
    ...(run.started === undefined || run.latest === undefined
      ? []
      : [formatDuration(run.latest - run.started)]),
    run.released < run.events
      ? `${run.released} of ${formatCount(run.events, "event")}`
      : formatCount(run.events, "event"),
  ];
  const link = createElement(
    "a",
    { href, title: run.run, class: tone },
    createElement("span", { class: "title" }, name),
    createElement("span", { class: "facts" }, facts.join(" · ")),
  );
  if (href === currentHash) link.setAttribute("aria-current", "page");
  return link;
}

/**
 * Returns the state of a run in words; none for a recording that is over and need not have an end.
 * @param {Run} run
 */
function listStates({ outcome, finished, expectsEnd, waitsForDecision }) {
  if (waitsForDecision) return [WAITS];
  if (outcome !== undefined) return [outcome.label];
  if (!finished) return ["Running"];
  return expectsEnd ? ["No end recorded"] : [];
}

/**
 * Returns the beginning and the end of a long key. The end distinguishes it from its neighbours.
 * @param {string} key
 */
function shortenKey(key) {
  return key.length > 26 ? `${key.slice(0, 5)}…${key.slice(-18)}` : key;
}
