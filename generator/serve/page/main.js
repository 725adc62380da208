/** The page: the list of runs, the run in the address after `#`, and the catalogue of its protocol. */
import { formatAddress, parseAddress } from "./address.js";
import { createCatalogue } from "./catalogue.js";
import { createElement, findPart } from "./dom.js";
import { startKeys } from "./keys.js";
import { fetchJson } from "./requests.js";
import { drawRuns } from "./run-list.js";
import { showRun } from "./show-run.js";
import { startTheme } from "./theme.js";

/** @typedef {import("./feed.js").Run} Run */
/** @typedef {import("./show-run.js").ShownRun} ShownRun */

/** The milliseconds between two requests for the list of runs while one of them goes on. */
const REFRESH_DELAY_MS = 2000;

/** The run that is shown, and its address. @type {{ hash: string, shown: ShownRun | undefined } | undefined} */
let current;

/** @type {readonly Run[]} */
let runs = [];

/** Draws the catalogue of the protocol of the run. */
let drawCatalogue = () => {};

/** True if the server waits for steps. */
let canStep = false;

/** Reads the list of runs, again and again until all of them have ended. */
async function refreshRuns() {
  const answer = await fetchJson("/runs");
  runs = answer.data;
  canStep = answer.steps;
  drawRuns(findPart("runs"), runs, current?.hash ?? "");
  if (runs.some(({ finished }) => !finished))
    setTimeout(
      () => void refreshRuns().catch(() => setTimeout(refreshRuns, REFRESH_DELAY_MS)),
      REFRESH_DELAY_MS,
    );
}

/** Shows the run and the event in the address; the first run if there is no address. */
async function showAddress() {
  // A link to a part of the page keeps the run.
  if (current && location.hash !== "" && !location.hash.startsWith("#/")) return;
  const address = location.hash === "" ? runs[0] : parseAddress(location.hash);
  const run = runs.find((each) => each.protocol === address?.protocol && each.run === address.run);
  if (!run) return showMissingRun();
  const hash = formatAddress({ protocol: run.protocol, run: run.run });
  const target = parseAddress(location.hash) ?? {};
  if (current?.hash !== hash) {
    current?.shown?.stop();
    const opened = { hash, shown: /** @type {ShownRun | undefined} */ (undefined) };
    current = opened;
    drawRuns(findPart("runs"), runs, hash);
    document.body.removeAttribute("data-runs");
    const shown = await openRun(run, () => current === opened);
    if (!shown) return;
    opened.shown = shown;
  }
  current.shown?.goTo(target);
}

/**
 * Loads the modules of a run and shows it, unless the reader has chosen another one meanwhile.
 * @param {Run} run
 * @param {() => boolean} isCurrent
 */
async function openRun(run, isCurrent) {
  const base = new URL(`../../generated/${run.protocol}/`, import.meta.url);
  const [{ contract, metadata }, { view }, types] = await Promise.all([
    import(`${base}index.js`),
    import(`${base}view.js`),
    fetchJson(`${base.pathname}types.json`),
  ]);
  if (!isCurrent()) return undefined;
  const title = `${contract.id}, version ${contract.version}`;
  // The catalogue is drawn when it is opened.
  drawCatalogue = () => findPart("catalogue").replaceChildren(...createCatalogue(title, types));
  if (document.body.dataset.panel === "catalogue") drawCatalogue();
  return showRun(run, {
    contract: { ...contract, metadata, view },
    types,
    canStep,
    openPanel: openInspector,
  });
}

/** Says that the address names no run of this server. */
function showMissingRun() {
  current?.shown?.stop();
  current = undefined;
  drawRuns(findPart("runs"), runs, "");
  openPanel("");
  const isEmpty = runs.length === 0;
  const sentence = isEmpty ? "This server has no runs." : "This server has no run at this address.";
  const address = createElement("p", { class: "soft" }, decodeHash());
  const hint = isEmpty ? "Start it with recordings." : "Choose one from the list of runs.";
  findPart("run").replaceChildren(createElement("h1", {}, sentence), address, createElement("p", {}, hint));
  document.title = "No run · accrete";
}

function decodeHash() {
  try {
    return decodeURIComponent(location.hash);
  } catch {
    return location.hash;
  }
}

/** @param {boolean} isOpen */
function openInspector(isOpen) {
  const panel = document.body.dataset.panel;
  if (isOpen) openPanel("inspector");
  else if (panel === "inspector") openPanel("");
}

/**
 * Opens the inspector or the catalogue, or closes both.
 * @param {"inspector" | "catalogue" | ""} name
 */
function openPanel(name) {
  if (name === "catalogue") drawCatalogue();
  document.body.dataset.panel = name;
  findPart("show-catalogue").setAttribute("aria-expanded", String(name === "catalogue"));
  findPart("inspector").hidden = name !== "inspector";
  findPart("catalogue-panel").hidden = name !== "catalogue";
}

/** Closes the catalogue. Returns true if it was open. */
function closeCatalogue() {
  if (document.body.dataset.panel !== "catalogue") return false;
  openPanel("");
  findPart("show-catalogue").focus();
  return true;
}

/** @param {unknown} error */
function showError(error) {
  findPart("run").replaceChildren(createElement("p", { role: "alert" }, `The page failed: ${error}`));
}

startTheme(findPart("theme"));
startKeys(() => current?.shown, closeCatalogue);
findPart("close-catalogue").addEventListener("click", closeCatalogue);
findPart("show-catalogue").addEventListener("click", () =>
  openPanel(document.body.dataset.panel === "catalogue" ? "" : "catalogue"),
);
findPart("show-runs").addEventListener("click", () => document.body.toggleAttribute("data-runs"));
openPanel("");
try {
  await refreshRuns();
  await showAddress();
  addEventListener("hashchange", () => void showAddress().catch(showError));
} catch (error) {
  showError(error);
}
