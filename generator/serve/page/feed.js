/**
 * Follows one run through EventSource, as a consumer should: `accrete/stream` drops redeliveries, a refused connection is
 * tried again, and a stream has ended only if the list has no more events.
 */
import { createReader, unwrap } from "../../stream/index.js";

/** @typedef {import("../../stream/index.js").Delivery<unknown, unknown>} Delivery */
/** @typedef {import("../../view/payload.js").ViewContract} Protocol */
/** @typedef {{ protocol: string, run: string, fields: Record<string, string>, events: number, released: number, finished: boolean, paths: { events: string, stream: string } }} Run */
/** @typedef {"connecting" | "live" | "waiting" | "ended"} State */
/** @typedef {{ deliver(delivery: Delivery, value: unknown): void, changeState(state: State, reconnects: number): void }} Listener */

/** Names under which runtimes send events. */
const EVENT_NAMES = ["message", "event"];

/** The first and the longest pause before the next attempt to connect, in milliseconds. */
const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 10_000;

/**
 * Follows a run until it ends. Returns a function that stops it.
 * @param {Run} run
 * @param {Protocol} protocol
 * @param {Listener} listener
 */
export function followRun(run, protocol, listener) {
  const reader = createReader(protocol);
  const isNumbered = protocol.stream?.sequence !== undefined;
  /** @type {number | undefined} */
  let cursor;
  let connections = 0;
  let pause = FIRST_PAUSE;
  /** @type {EventSource | undefined} */
  let source;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let isStopped = false;

  /** @param {State} state */
  const changeState = (state) => {
    if (!isStopped) listener.changeState(state, Math.max(0, connections - 1));
  };
  /** @param {MessageEvent<string>} message */
  const receive = ({ data, lastEventId }) => {
    pause = FIRST_PAUSE;
    const id = lastEventId === "" ? undefined : Number(lastEventId);
    // Events without numbers and ids are recognised by their position in the stream.
    if (!isNumbered && id !== undefined && cursor !== undefined && id <= cursor) return;
    if (id !== undefined && Number.isSafeInteger(id)) cursor = Math.max(cursor ?? 0, id);
    for (const value of parseValues(data, protocol.envelope.discriminator))
      listener.deliver(reader.read(value), value);
  };
  const connect = () => {
    if (isStopped) return;
    changeState("connecting");
    source = new EventSource(addCursor(run.paths.stream, cursor));
    source.onopen = () => {
      connections++;
      changeState("live");
    };
    for (const name of EVENT_NAMES) source.addEventListener(name, receive);
    source.onerror = () => {
      changeState("waiting");
      if (!isStopped && source?.readyState === EventSource.CLOSED) void endOrReconnect();
    };
  };
  const endOrReconnect = async () => {
    if (await hasEnded(run, cursor)) return changeState("ended");
    timer = setTimeout(connect, pause);
    pause = Math.min(2 * pause, LONGEST_PAUSE);
  };
  connect();
  return () => {
    isStopped = true;
    clearTimeout(timer);
    source?.close();
  };
}

/**
 * Returns the values of a message. Text that is not JSON stays text, which no protocol accepts as an event.
 * @param {string} data
 * @param {string} discriminator
 */
function parseValues(data, discriminator) {
  try {
    return unwrap(JSON.parse(data), [discriminator]).map(({ value }) => value);
  } catch {
    return [data];
  }
}

/**
 * Returns whether a run has ended and has no events after the cursor.
 * @param {Run} run
 * @param {number | undefined} cursor
 */
async function hasEnded({ protocol, run, paths }, cursor) {
  try {
    const { data } = await fetchJson("/runs");
    const current = data.find((/** @type {Run} */ other) => other.protocol === protocol && other.run === run);
    const page = await fetchJson(addCursor(`${paths.events}?limit=1`, cursor));
    return current?.finished === true && page.data.length === 0;
  } catch {
    return false;
  }
}

/**
 * Returns the JSON at a path; throws if the server does not answer with it.
 * @param {string} path
 */
export async function fetchJson(path) {
  const response = await fetch(path, { headers: { accept: "application/json" } });
  if (!response.ok) throw new Error(`${path} answers ${response.status}`);
  return response.json();
}

/**
 * @param {string} path
 * @param {number | undefined} cursor
 */
function addCursor(path, cursor) {
  if (cursor === undefined) return path;
  return `${path}${path.includes("?") ? "&" : "?"}after_sequence=${cursor}`;
}
