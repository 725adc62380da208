/**
 * A list that holds elements only for the rows on the screen and near it. The heights of the other rows are those that
 * they had, or estimates.
 */
import { createHeights } from "./heights.js";

/**
 * @template Item
 * @typedef {object} ListOptions
 * @property {HTMLElement} scroller The element that scrolls. The list may begin below its top.
 * @property {HTMLElement} list The element of the list, an `ol`.
 * @property {(item: Item) => number} estimate Returns the probable height of a row.
 * @property {(item: Item, row: HTMLLIElement) => void} draw Draws an item into its row, for the first time or again.
 */

/** The number of pixels above and below the screen in which rows are drawn. */
const MARGIN = 400;

/**
 * @template Item
 * @typedef {object} VirtualList
 * @property {(items: Item[]) => void} setItems Shows other items.
 * @property {(item: Item) => void} append Adds an item at the end.
 * @property {(item: Item) => void} redraw Draws an item again, if it has a row.
 * @property {() => void} update Draws the rows on the screen. Call it once after changes.
 * @property {(item: Item) => void} reveal Scrolls to an item.
 * @property {(item: Item) => boolean} has
 * @property {() => readonly Item[]} items
 * @property {() => void} stop
 */

/**
 * @template {object} Item
 * @param {ListOptions<Item>} options
 * @returns {VirtualList<Item>}
 */
export function createVirtualList({ scroller, list, estimate, draw }) {
  const heights = createHeights();
  /** @type {Item[]} */
  let items = [];
  /** @type {Map<Item, number>} */
  let indexes = new Map();
  /** @type {Map<number, HTMLLIElement>} */
  const rows = new Map();
  /** @type {WeakMap<Element, number>} */
  const rowIndexes = new WeakMap();

  const findTop = () =>
    list.getBoundingClientRect().top - scroller.getBoundingClientRect().top + scroller.scrollTop;

  /** @param {number} index */
  const createRow = (index) => {
    const row = document.createElement("li");
    row.setAttribute("aria-posinset", String(index + 1));
    rows.set(index, row);
    rowIndexes.set(row, index);
    draw(/** @type {Item} */ (items[index]), row);
    observer.observe(row);
    return row;
  };
  /** @param {number} index */
  const removeRow = (index) => {
    const row = rows.get(index);
    if (!row) return;
    if (row.contains(document.activeElement)) scroller.focus({ preventScroll: true });
    observer.unobserve(row);
    rows.delete(index);
    row.remove();
  };
  const update = () => {
    const above = scroller.scrollTop - findTop();
    const first = heights.find(above - MARGIN);
    const last = Math.min(items.length - 1, heights.find(above + scroller.clientHeight + MARGIN));
    for (const index of [...rows.keys()]) if (index < first || index > last) removeRow(index);
    /** @type {Element | null} */
    let next = null;
    for (let index = last; index >= first; index--) {
      const row = rows.get(index) ?? createRow(index);
      if (row.nextElementSibling !== next || row.parentElement !== list) list.insertBefore(row, next);
      row.setAttribute("aria-setsize", String(items.length));
      next = row;
    }
    list.style.paddingTop = `${heights.sum(first)}px`;
    list.style.paddingBottom = `${heights.total() - heights.sum(last + 1)}px`;
  };
  const measure = () => {
    const top = scroller.scrollTop - findTop();
    let shift = 0;
    let isChanged = false;
    for (const [index, row] of rows) {
      const height = row.getBoundingClientRect().height;
      const change = height - heights.get(index);
      if (Math.abs(change) < 0.5) continue;
      isChanged = true;
      if (heights.sum(index) + heights.get(index) <= top) shift += change;
      heights.set(index, height);
    }
    if (!isChanged) return;
    // What is on the screen stays where it is if rows above it turn out to be higher or lower.
    if (shift !== 0) scroller.scrollTop += shift;
    update();
  };
  const observer = new ResizeObserver(measure);
  const clear = () => {
    for (const index of [...rows.keys()]) removeRow(index);
  };
  scroller.addEventListener("scroll", update, { passive: true });
  addEventListener("resize", update);
  return {
    setItems(newItems) {
      clear();
      items = newItems;
      indexes = new Map(items.map((item, index) => [item, index]));
      heights.reset(items.map(estimate));
    },
    append(item) {
      indexes.set(item, items.length);
      items.push(item);
      heights.append(estimate(item));
    },
    redraw(item) {
      const row = rows.get(indexes.get(item) ?? -1);
      if (row) draw(item, row);
    },
    update,
    reveal(item) {
      const index = indexes.get(item);
      if (index === undefined) return;
      // Rows get their real heights when they are drawn, so the position is corrected until it is right.
      for (let round = 0; round < 4; round++) {
        const top = findTop() + heights.sum(index);
        const room = scroller.clientHeight - heights.get(index);
        const isVisible = top >= scroller.scrollTop + STICKY && top <= scroller.scrollTop + room;
        if (round === 0 && isVisible && rows.has(index)) break;
        scroller.scrollTop = top - Math.max(STICKY, Math.min(scroller.clientHeight / 3, room / 2));
        update();
        measure();
      }
    },
    has: (item) => indexes.has(item),
    items: () => items,
    stop() {
      observer.disconnect();
      scroller.removeEventListener("scroll", update);
      removeEventListener("resize", update);
    },
  };
}

/** The height of the bar with the search, which covers the top of the list. */
const STICKY = 64;
