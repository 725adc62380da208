/** Asks the server for the findings about a run. */
import { fetchJson } from "./requests.js";

/** The milliseconds between two requests while the run goes on. */
const POLL_DELAY_MS = 1000;
/** The milliseconds between two requests after the run has ended, while the server still checks its last events. */
const RETRY_DELAY_MS = 50;

/**
 * Asks for findings again and again, until the run has ended and the server has checked all of it. Gives up if a request
 * fails after the end.
 * @param {string} path
 * @param {object} options
 * @param {import("./model.js").Model} options.model
 * @param {import("./connection-log.js").ConnectionLog} options.connection
 * @param {AbortSignal} options.signal
 * @param {() => void} options.showFindings Shows the findings that the model got.
 */
export async function pollFindings(path, { model, connection, signal, showFindings }) {
  let checkedEvents = 0;
  while (!signal.aborted) {
    const hasEnded = connection.hasEnded();
    const count = model.events.length;
    if (hasEnded || count > checkedEvents) {
      const answer = await fetchJson(path, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      if (answer !== undefined) {
        model.setFindings(answer.data);
        // The server may not have checked the last events yet. Then it is asked again.
        if (answer.checked >= count) checkedEvents = count;
        showFindings();
      }
      if (hasEnded && (answer === undefined || answer.finished)) return;
    }
    if (hasEnded) await sleep(RETRY_DELAY_MS);
    else await Promise.race([sleep(POLL_DELAY_MS), connection.waitForEnd()]);
  }
}

/** @param {number} ms */
function sleep(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
