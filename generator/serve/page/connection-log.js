/** Keeps the state of the connection of a run, and the interruptions from which it has recovered. */

/** @typedef {import("../../stream/index.js").ConnectionState} ConnectionState */
/** @typedef {Extract<ConnectionState, { kind: "waiting" }>} Interruption */

/** @typedef {ReturnType<typeof createConnectionLog>} ConnectionLog */

/** Creates the log of a connection that is not open yet. */
export function createConnectionLog() {
  /** @type {ConnectionState} */
  let state = { kind: "connecting" };
  /** @type {Interruption[]} */
  const recovered = [];
  /** The interruptions from which the connection has not recovered. @type {Interruption[]} */
  let pending = [];
  /** @type {() => void} */
  let resolveEnd = () => {};
  /** @type {Promise<void>} */
  const end = new Promise((resolve) => {
    resolveEnd = resolve;
  });
  return {
    getState: () => state,
    /** @returns {readonly Interruption[]} */
    listInterruptions: () => recovered,
    hasEnded: () => state.kind === "ended",
    /** Waits until the connection has ended. */
    waitForEnd: () => end,
    /**
     * Changes the state. An interruption counts when the connection is open again, because the server also closes the
     * connection at the end of a run.
     * @param {ConnectionState} changed
     */
    setState(changed) {
      state = changed;
      if (changed.kind === "waiting") pending.push(changed);
      if (changed.kind === "open") {
        recovered.push(...pending);
        pending = [];
      }
      if (changed.kind === "ended") resolveEnd();
    },
  };
}
