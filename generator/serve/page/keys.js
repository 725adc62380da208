/** The keys of the page, and the dialog that lists them. */
import { createElement, findPart } from "./dom.js";

/** @typedef {{ move(distance: number): void, close(): boolean, step(): void, copy(): void }} KeyTarget */

const KEYS = /** @type {const} */ ([
  ["j", "select the next event"],
  ["k", "select the previous event"],
  ["/", "search"],
  ["c", "copy the selected event"],
  ["s", "release the next event, if the server waits for steps"],
  ["Esc", "leave the search, or close the panel"],
  ["?", "show these keys"],
]);

/**
 * Handles the keys.
 * @param {() => KeyTarget | undefined} findTarget Returns the run that is shown.
 * @param {() => boolean} closeCatalogue Closes the catalogue. Returns true if it was open.
 */
export function startKeys(findTarget, closeCatalogue) {
  const dialog = /** @type {HTMLDialogElement} */ (findPart("keys"));
  const rows = KEYS.map(([key, effect]) =>
    createElement(
      "div",
      {},
      createElement("dt", {}, createElement("kbd", {}, key)),
      createElement("dd", {}, effect),
    ),
  );
  dialog.querySelector("dl")?.replaceChildren(...rows);
  findPart("show-keys").addEventListener("click", () => dialog.showModal());
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || dialog.open) return;
    if (event.key === "Escape") return handleEscape(event, () => closeCatalogue() || findTarget()?.close());
    if (isEditable(event.target)) return;
    const action = ACTIONS.get(event.key);
    const target = findTarget();
    if (event.key === "?") dialog.showModal();
    else if (event.key === "/") document.getElementById("search")?.focus();
    else if (action && target) action(target);
    else return;
    event.preventDefault();
  });
}

/** @type {ReadonlyMap<string, (target: KeyTarget) => void>} */
const ACTIONS = new Map([
  ["j", (target) => target.move(1)],
  ["k", (target) => target.move(-1)],
  ["c", (target) => target.copy()],
  ["s", (target) => target.step()],
]);

/**
 * Handles the key Esc: leaves the search, or closes a panel.
 * @param {KeyboardEvent} event
 * @param {() => boolean | undefined} closePanel Returns true if a panel was open.
 */
function handleEscape(event, closePanel) {
  if (event.target instanceof HTMLInputElement) event.target.blur();
  else if (!closePanel()) return;
  event.preventDefault();
}

/** @param {EventTarget | null} target */
function isEditable(target) {
  return target instanceof HTMLInputElement || target instanceof HTMLSelectElement;
}
