/** Draws the blocks of a run and its raw events, at most once per frame of the screen. */
import { createView } from "../../view/view.js";
import { classOf, draw } from "./blocks.js";
import { element, jsonBox } from "./dom.js";

/** @typedef {import("../../view/block.js").Block} Block */
/** @typedef {import("./feed.js").Delivery} Delivery */
/** @typedef {{ events: number, unknown: number, repeated: number, gaps: number }} Counts */
/** @typedef {{ item: HTMLLIElement, places: string[], block: Block }} Shown */

/**
 * Draws blocks into the list `timeline` and raw events into the list `events`.
 * @param {import("./feed.js").Protocol} protocol
 * @param {HTMLElement} timeline
 * @param {HTMLElement} events
 * @param {(counts: Counts) => void} count
 */
export function createTimeline(protocol, timeline, events, count) {
  const view = createView(protocol);
  /** @type {Map<number, Shown>} */
  const all = new Map();
  /** @type {Set<Shown>} */
  const dirty = new Set();
  const counts = { events: 0, unknown: 0, repeated: 0, gaps: 0 };

  const paint = () => {
    const following = atEnd();
    for (const shown of dirty) paintBlock(shown);
    dirty.clear();
    count(counts);
    if (following) scrollTo({ top: document.documentElement.scrollHeight });
  };
  /** @param {Block} block */
  const itemOf = (block) => {
    const shown = all.get(block.id) ?? { item: element("li"), places: [], block };
    if (all.has(block.id)) return shown;
    all.set(block.id, shown);
    timeline.append(shown.item);
    if (block.kind === "gap") counts.gaps++;
    return shown;
  };
  /** @param {readonly Block[]} blocks */
  const show = (blocks) => {
    if (dirty.size === 0) requestAnimationFrame(paint);
    for (const block of blocks) dirty.add(itemOf(block));
  };
  /**
   * @param {Delivery} delivery
   * @param {unknown} value
   */
  const take = (delivery, value) => {
    const blocks = view.take(delivery);
    const last = blocks.at(-1);
    if (last === undefined) {
      counts.repeated++;
      return show([]);
    }
    counts.events++;
    if (last.kind === "unknown") counts.unknown++;
    const place = String("sequence" in delivery ? (delivery.sequence ?? counts.events) : counts.events);
    show(blocks);
    itemOf(last).places.push(place);
    events.append(rawEvent(place, typeOf(value, protocol.envelope.discriminator), value));
  };
  return { take, end: () => show(view.end()) };
}

/**
 * Draws a block. The margin names its events.
 * @param {Shown} shown
 */
function paintBlock({ item, places, block }) {
  item.className = classOf(block);
  item.replaceChildren(...draw(block));
  item.dataset.events = places.join(" ");
  const [first = "", last = first] = [places[0], places.at(-1)];
  item.dataset.place = first === last ? first : `${first}–${last}`;
}

/**
 * Returns an item with a raw event, which is drawn when it is opened.
 * @param {string} place
 * @param {string} type
 * @param {unknown} value
 */
function rawEvent(place, type, value) {
  const details = element("details", {}, element("summary", {}, element("span", {}, place), " ", type));
  details.addEventListener("toggle", () => {
    if (details.childElementCount === 1) details.append(jsonBox(value, `Event ${place}`));
  });
  const item = element("li", {}, details);
  item.dataset.event = place;
  item.dataset.type = type;
  return item;
}

/**
 * @param {unknown} value
 * @param {string} discriminator
 */
function typeOf(value, discriminator) {
  const fields = typeof value === "object" && value !== null ? value : {};
  return String(Object.entries(fields).find(([name]) => name === discriminator)?.[1] ?? "no event");
}

/** Whether the reader has scrolled to the end and wants to stay there. */
function atEnd() {
  return scrollY > 0 && innerHeight + scrollY >= document.documentElement.scrollHeight - 40;
}
