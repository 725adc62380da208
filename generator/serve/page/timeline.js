/** Draws the blocks of a run and its raw events, at most once per frame of the screen. */
import { createView } from "../../view/view.js";
import { drawBlock, formatClasses } from "./blocks.js";
import { createElement, createJsonBox } from "./dom.js";

/** @typedef {import("../../view/block.js").Block} Block */
/** @typedef {import("./feed.js").Delivery} Delivery */
/** @typedef {{ events: number, unknown: number, repeated: number, gaps: number }} Counts */
/** @typedef {{ item: HTMLLIElement, places: string[], block: Block }} ShownBlock A block, its item and the places of its events. */

/**
 * Draws blocks into the list `timeline` and raw events into the list `events`.
 * @param {import("./feed.js").Protocol} protocol
 * @param {HTMLElement} timeline
 * @param {HTMLElement} events
 * @param {(counts: Counts) => void} showCounts
 */
export function createTimeline(protocol, timeline, events, showCounts) {
  const view = createView(protocol);
  /** @type {Map<number, ShownBlock>} */
  const shownBlocks = new Map();
  /** @type {Set<ShownBlock>} */
  const changed = new Set();
  const counts = { events: 0, unknown: 0, repeated: 0, gaps: 0 };

  const paint = () => {
    const isFollowing = isAtEnd();
    for (const shown of changed) paintBlock(shown);
    changed.clear();
    showCounts(counts);
    if (isFollowing) scrollTo({ top: document.documentElement.scrollHeight });
  };
  /** @param {Block} block */
  const addBlock = (block) => {
    const shown = shownBlocks.get(block.id) ?? { item: createElement("li"), places: [], block };
    if (shownBlocks.has(block.id)) return shown;
    shownBlocks.set(block.id, shown);
    timeline.append(shown.item);
    if (block.kind === "gap") counts.gaps++;
    return shown;
  };
  /** @param {readonly Block[]} blocks */
  const show = (blocks) => {
    if (changed.size === 0) requestAnimationFrame(paint);
    for (const block of blocks) changed.add(addBlock(block));
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
    addBlock(last).places.push(place);
    events.append(createRawEvent(place, readType(value, protocol.envelope.discriminator), value));
  };
  return { take, end: () => show(view.end()) };
}

/**
 * Draws a block. The margin shows the places of its events.
 * @param {ShownBlock} shown
 */
function paintBlock({ item, places, block }) {
  item.className = formatClasses(block);
  item.replaceChildren(...drawBlock(block));
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
function createRawEvent(place, type, value) {
  const details = createElement(
    "details",
    {},
    createElement("summary", {}, createElement("span", {}, place), " ", type),
  );
  details.addEventListener("toggle", () => {
    if (details.childElementCount === 1) details.append(createJsonBox(value, `Event ${place}`));
  });
  const item = createElement("li", {}, details);
  item.dataset.event = place;
  item.dataset.type = type;
  return item;
}

/**
 * @param {unknown} value
 * @param {string} discriminator
 */
function readType(value, discriminator) {
  const fields = typeof value === "object" && value !== null ? value : {};
  return String(Object.entries(fields).find(([name]) => name === discriminator)?.[1] ?? "not an event");
}

/** Returns whether the reader has scrolled to the end and wants to stay there. */
function isAtEnd() {
  return scrollY > 0 && innerHeight + scrollY >= document.documentElement.scrollHeight - 40;
}
