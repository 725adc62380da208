/** Draws the blocks of a run and its raw events, at most once per frame of the screen. */
import { createView } from "../../view/view.js";
import { drawBlock, formatClasses } from "./blocks.js";
import { createElement, createJsonBox } from "./dom.js";

/** @typedef {import("../../view/block.js").Block} Block */
/** @typedef {import("./feed.js").Delivery} Delivery */
/** @typedef {{ events: number, unknown: number, repeated: number, gaps: number }} Counts */
/** @typedef {{ item: HTMLLIElement, labels: string[], block: Block }} ShownBlock A block, its item and the labels of its events. */

/**
 * Draws blocks into the list `timeline` and raw events into the list `events`. The label of an event is its sequence number
 * or, if it has none, its position among the received events.
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
  const getOrAddBlock = (block) => {
    const known = shownBlocks.get(block.id);
    if (known) return known;
    const shown = { item: createElement("li"), labels: [], block };
    shownBlocks.set(block.id, shown);
    timeline.append(shown.item);
    if (block.kind === "gap") counts.gaps++;
    return shown;
  };
  /** @param {readonly Block[]} blocks */
  const show = (blocks) => {
    if (changed.size === 0) requestAnimationFrame(paint);
    for (const block of blocks) changed.add(getOrAddBlock(block));
  };
  /**
   * @param {Delivery} delivery
   * @param {unknown} value
   */
  const take = (delivery, value) => {
    const blocks = view.take(delivery);
    const last = blocks.at(-1);
    // The view returns no blocks for a redelivery.
    if (last === undefined) {
      counts.repeated++;
      return show([]);
    }
    counts.events++;
    if (last.kind === "unknown") counts.unknown++;
    const sequence = "sequence" in delivery ? delivery.sequence : undefined;
    const label = String(sequence ?? counts.events);
    show(blocks);
    getOrAddBlock(last).labels.push(label);
    events.append(createRawEvent(label, formatType(value, protocol.envelope.discriminator), value));
  };
  return { take, end: () => show(view.end()) };
}

/**
 * Draws a block. The margin shows the labels of its events.
 * @param {ShownBlock} shown
 */
function paintBlock({ item, labels, block }) {
  item.className = formatClasses(block);
  item.replaceChildren(...drawBlock(block));
  item.dataset.events = labels.join(" ");
  const first = labels[0] ?? "";
  const last = labels.at(-1) ?? "";
  item.dataset.place = first === last ? first : `${first}–${last}`;
}

/**
 * Returns an item with a raw event, which is drawn when it is opened.
 * @param {string} label
 * @param {string} type
 * @param {unknown} value
 */
function createRawEvent(label, type, value) {
  const details = createElement(
    "details",
    {},
    createElement("summary", {}, createElement("span", {}, label), " ", type),
  );
  details.addEventListener("toggle", () => {
    if (details.childElementCount === 1) details.append(createJsonBox(value, `Event ${label}`));
  });
  const item = createElement("li", {}, details);
  item.dataset.event = label;
  item.dataset.type = type;
  return item;
}

/**
 * Returns the label of the type of a received value.
 * @param {unknown} value
 * @param {string} discriminator
 */
function formatType(value, discriminator) {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, discriminator))
    return "not an event";
  const fields = /** @type {Record<string, unknown>} */ (value);
  return String(fields[discriminator] ?? "not an event");
}

/** Returns whether the reader has scrolled to the end and wants to stay there. */
function isAtEnd() {
  return scrollY > 0 && innerHeight + scrollY >= document.documentElement.scrollHeight - 40;
}
