/**
 * Follows one run through EventSource, as a consumer should: `accrete/stream` drops redeliveries, a refused connection is
 * tried again, and a stream has ended only if the list has no more events.
 */
import { createReader, unwrap } from "../../stream/index.js";

/** @typedef {import("../../stream/index.js").Delivery<unknown, unknown>} Delivery */
/** @typedef {import("../../view/payload.js").ViewProtocol} Protocol */
/** @typedef {{ protocol: string, run: string, fields: Record<string, string>, events: number, released: number, finished: boolean, paths: { events: string, stream: string } }} Run */
/** @typedef {"connecting" | "live" | "waiting" | "ended"} State */

/** Names under which runtimes send events. */
const EVENT_NAMES = ["message", "event"];

/** The first and the longest pause before the next attempt to connect, in milliseconds. */
const PAUSE = { first: 500, most: 10_000 };

/**
 * Follows a run until it ends. Returns a function that stops it.
 * @param {Run} run
 * @param {Protocol} protocol
 * @param {{ deliver(delivery: Delivery, value: unknown): void, state(state: State, reconnects: number): void }} to
 */
export function openFeed(run, protocol, to) {
  const reader = createReader(protocol);
  const numbered = protocol.stream?.sequence !== undefined;
  /** @type {number | undefined} */
  let cursor;
  let opened = 0;
  let pause = PAUSE.first;
  /** @type {EventSource | undefined} */
  let source;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let stopped = false;

  /** @param {MessageEvent<string>} message */
  const take = ({ data, lastEventId }) => {
    pause = PAUSE.first;
    const place = lastEventId === "" ? undefined : Number(lastEventId);
    // Events without numbers and ids are recognised by their position in the stream.
    if (!numbered && place !== undefined && cursor !== undefined && place <= cursor) return;
    if (place !== undefined && Number.isSafeInteger(place)) cursor = Math.max(cursor ?? 0, place);
    for (const value of valuesOf(data, protocol.envelope.discriminator))
      to.deliver(reader.read(value), value);
  };
  const connect = () => {
    if (stopped) return;
    to.state("connecting", Math.max(0, opened - 1));
    source = new EventSource(behind(run.paths.stream, cursor));
    source.onopen = () => to.state("live", opened++);
    for (const name of EVENT_NAMES) source.addEventListener(name, take);
    source.onerror = () => {
      if (stopped) return;
      to.state("waiting", Math.max(0, opened - 1));
      if (source?.readyState === EventSource.CLOSED) void settle();
    };
  };
  const settle = async () => {
    if (await isOver(run, cursor)) {
      if (!stopped) to.state("ended", Math.max(0, opened - 1));
      return;
    }
    timer = setTimeout(connect, pause);
    pause = Math.min(2 * pause, PAUSE.most);
  };
  connect();
  return () => {
    stopped = true;
    clearTimeout(timer);
    source?.close();
  };
}

/**
 * Returns the values of a message. Text that is not JSON stays text, which no protocol accepts as an event.
 * @param {string} data
 * @param {string} discriminator
 */
function valuesOf(data, discriminator) {
  try {
    return unwrap(JSON.parse(data), [discriminator]).map(({ value }) => value);
  } catch {
    return [data];
  }
}

/**
 * Whether a run has ended and has no events after the cursor.
 * @param {Run} run
 * @param {number | undefined} cursor
 */
async function isOver(run, cursor) {
  try {
    const { data } = await (await fetch("/runs")).json();
    const facts = data.find((/** @type {Run} */ one) => one.protocol === run.protocol && one.run === run.run);
    const rest = await fetch(
      `${behind(run.paths.events, cursor)}${cursor === undefined ? "?" : "&"}limit=1`,
      {
        headers: { accept: "application/json" },
      },
    );
    return rest.ok && facts?.finished === true && (await rest.json()).data.length === 0;
  } catch {
    return false;
  }
}

/**
 * @param {string} path
 * @param {number | undefined} cursor
 */
function behind(path, cursor) {
  return cursor === undefined ? path : `${path}?after_sequence=${cursor}`;
}
