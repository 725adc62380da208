/**
 * Follows one run with `follow` of stream/, which drops redeliveries and resumes after lost connections. Gives the
 * browser time to draw between the events.
 */
import { createReader, follow } from "../../stream/index.js";
import { fetchJson } from "./requests.js";

/** @typedef {import("../../stream/index.js").Delivery<unknown, unknown>} Delivery */
/** @typedef {import("../../stream/index.js").ConnectionState} ConnectionState */
/** @typedef {import("../../view/payload.js").ViewContract} ViewContract */

/**
 * An entry of the list of runs.
 * @typedef {object} Run
 * @property {string} protocol
 * @property {string} run
 * @property {Record<string, string>} fields
 * @property {string} [title]
 * @property {boolean} expectsEnd
 * @property {{ label: string, tone: string }} [outcome]
 * @property {number} [started]
 * @property {number} [latest]
 * @property {number} events
 * @property {number} released
 * @property {boolean} finished
 * @property {boolean} waitsForDecision True if somebody has to decide something before the run goes on.
 * @property {{ events: string, stream: string, live?: string, findings: string }} paths
 * @property {{ request: string, choice: string, outcomes: string[], path: string }[]} decisions
 */

/** @typedef {{ deliver(delivery: Delivery): void, changeState(state: ConnectionState): void }} Listener */

/** The milliseconds of work after which the browser may draw. */
const SLICE_MS = 8;

/** The longest pause before the next attempt to connect, in milliseconds. A reader who looks at the page waits for it. */
const MAX_DELAY_MS = 5000;

/** The milliseconds before the page asks again whether a run has really ended. */
const RETRY_DELAY_MS = 1000;

/**
 * Follows a run until it ends or `signal` is aborted.
 * @param {Run} run
 * @param {ViewContract} contract
 * @param {Listener} listener
 * @param {AbortSignal} signal
 */
export async function followRun(run, contract, listener, signal) {
  const reader = createReader(contract);
  let lastEventId = "";
  let sliceStart = performance.now();
  while (!signal.aborted) {
    for await (const item of follow(run.paths.live ?? run.paths.stream, contract, {
      signal,
      reader,
      lastEventId,
      maxDelay: MAX_DELAY_MS,
    })) {
      if (signal.aborted) return;
      if (item.kind === "ended") {
        ({ lastEventId } = item);
        const isIncomplete = item.reason === "complete" && !(await hasEnded(run, lastEventId));
        if (signal.aborted) return;
        if (!isIncomplete) return listener.changeState(item);
        listener.changeState({ kind: "waiting", reason: "incomplete", delay: RETRY_DELAY_MS });
        await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY_MS));
      } else if (isDelivery(item)) listener.deliver(item);
      else listener.changeState(item);
      if (performance.now() - sliceStart < SLICE_MS) continue;
      await waitForNextTask();
      sliceStart = performance.now();
    }
  }
}

/**
 * @param {Delivery | ConnectionState} item
 * @returns {item is Delivery}
 */
function isDelivery(item) {
  return item.kind === "invalid" || "event" in item;
}

/** Waits until the browser has done other tasks, such as drawing. */
function waitForNextTask() {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve(undefined);
    };
    port2.postMessage(undefined);
  });
}

/**
 * Returns whether a run has ended and has no events after the last one, since a server may answer 204 too early.
 * @param {Run} run
 * @param {string} lastEventId
 */
async function hasEnded({ protocol, run, paths }, lastEventId) {
  try {
    const { data } = await fetchJson("/runs");
    const current = data.find((/** @type {Run} */ other) => other.protocol === protocol && other.run === run);
    const after = lastEventId === "" ? "" : `&after_sequence=${encodeURIComponent(lastEventId)}`;
    const page = await fetchJson(`${paths.events}?limit=1${after}`);
    return current?.finished === true && page.data.length === 0;
  } catch {
    return false;
  }
}

/**
 * Returns the state of a connection in a few words.
 * @param {ConnectionState} state
 */
export function describeConnection(state) {
  switch (state.kind) {
    case "loading":
    case "connecting":
      return "Connecting";
    case "open":
      return "Live";
    case "stalled":
      return "No data for a while";
    case "waiting":
      return `Reconnecting (${describeInterruption(state)})`;
    case "ended":
      return state.reason === "refused" ? `Refused by the server (${state.status})` : "Ended";
  }
}

const REASONS = {
  closed: "the server closed the connection",
  lost: "the connection broke",
  stalled: "no data arrived",
  unreachable: "the server does not answer",
  incomplete: "the server ended the stream too early",
};

/**
 * Returns why a connection was interrupted.
 * @param {Pick<Extract<ConnectionState, { kind: "waiting" }>, "reason" | "status">} state
 */
export function describeInterruption({ reason, status }) {
  return reason === "status" ? `the server answered ${status}` : REASONS[reason];
}
