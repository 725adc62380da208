/**
 * A list that holds elements only for the rows on the screen and near it. The heights of the other rows are those that
 * they had, or estimates.
 */
import { createElement } from "./dom.js";
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
/** The number of times that the position of a row is corrected. */
const REVEAL_ROUNDS = 4;

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
 * Creates an empty list.
 * @template {object} Item
 * @param {ListOptions<Item>} options
 * @returns {VirtualList<Item>}
 */
export function createVirtualList(options) {
  const { scroller, list, estimate, draw } = options;
  const heights = createHeights();
  /** The heights that items had when they were last drawn. @type {WeakMap<Item, number>} */
  const measuredHeights = new WeakMap();
  /** @type {Item[]} */
  let items = [];
  /** @type {Map<Item, number>} */
  let indexes = new Map();

  const observer = new ResizeObserver(() => measure());
  const rows = createRows(options, observer);
  const update = () => {
    const above = scroller.scrollTop - findTop(options);
    const first = heights.find(above - MARGIN);
    const last = Math.min(items.length - 1, heights.find(above + scroller.clientHeight + MARGIN));
    rows.show(items, first, last);
    list.style.paddingTop = `${heights.sum(first)}px`;
    list.style.paddingBottom = `${heights.total() - heights.sum(last + 1)}px`;
  };
  const measure = () => {
    const top = scroller.scrollTop - findTop(options);
    let shift = 0;
    let isChanged = false;
    for (const [index, row] of rows.list()) {
      const height = row.getBoundingClientRect().height;
      const change = height - heights.get(index);
      if (Math.abs(change) < 0.5) continue;
      isChanged = true;
      if (heights.sum(index) + heights.get(index) <= top) shift += change;
      heights.set(index, height);
      measuredHeights.set(/** @type {Item} */ (items[index]), height);
    }
    if (!isChanged) return;
    // What is on the screen stays where it is if rows above it turn out to be higher or lower.
    if (shift !== 0) scroller.scrollTop += shift;
    update();
  };
  scroller.addEventListener("scroll", update, { passive: true });
  addEventListener("resize", update);
  return {
    setItems(newItems) {
      rows.clear();
      items = newItems;
      indexes = new Map(items.map((item, index) => [item, index]));
      heights.reset(items.map((item) => measuredHeights.get(item) ?? estimate(item)));
    },
    append(item) {
      indexes.set(item, items.length);
      items.push(item);
      heights.append(estimate(item));
    },
    redraw(item) {
      const row = rows.find(indexes.get(item));
      if (row) draw(item, row);
    },
    update,
    reveal(item) {
      const index = indexes.get(item);
      if (index === undefined) return;
      if (rows.find(index) && isVisible(options, heights, index)) return;
      // Rows get their real heights when they are drawn, so the position is corrected until it is right.
      for (let round = 0; round < REVEAL_ROUNDS; round++) {
        scrollTo(options, heights, index);
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

/** The elements of a list, which contains the rows. @typedef {Pick<ListOptions<never>, "scroller" | "list">} ListElements */

/**
 * Returns the position of a list in the content of its scroller.
 * @param {ListElements} elements
 */
function findTop({ scroller, list }) {
  return list.getBoundingClientRect().top - scroller.getBoundingClientRect().top + scroller.scrollTop;
}

/** The height of the bar with the search, which covers the top of the list. */
const COVERED_HEIGHT = 64;

/**
 * Returns true if a row is on the screen.
 * @param {ListElements} elements
 * @param {ReturnType<typeof createHeights>} heights
 * @param {number} index
 */
function isVisible(elements, heights, index) {
  const { scrollTop, clientHeight } = elements.scroller;
  const top = findTop(elements) + heights.sum(index);
  return top >= scrollTop + COVERED_HEIGHT && top <= scrollTop + clientHeight - heights.get(index);
}

/**
 * Scrolls to a row.
 * @param {ListElements} elements
 * @param {ReturnType<typeof createHeights>} heights
 * @param {number} index
 */
function scrollTo(elements, heights, index) {
  const { scroller } = elements;
  const { clientHeight } = scroller;
  const room = clientHeight - heights.get(index);
  const distance = Math.max(COVERED_HEIGHT, Math.min(clientHeight / 3, room / 2));
  scroller.scrollTop = findTop(elements) + heights.sum(index) - distance;
}

/**
 * Creates the rows of a list that have an element.
 * @template {object} Item
 * @param {ListOptions<Item>} options
 * @param {ResizeObserver} observer Observes the rows.
 */
function createRows({ scroller, list, draw }, observer) {
  /** @type {Map<number, HTMLLIElement>} */
  const rows = new Map();

  /**
   * @param {Item} item
   * @param {number} index
   */
  const createRow = (item, index) => {
    const row = createElement("li", { "aria-posinset": String(index + 1) });
    rows.set(index, row);
    draw(item, row);
    observer.observe(row);
    return row;
  };
  /**
   * @param {number} index
   * @param {HTMLLIElement} row
   */
  const removeRow = (index, row) => {
    if (row.contains(document.activeElement)) scroller.focus({ preventScroll: true });
    observer.unobserve(row);
    rows.delete(index);
    row.remove();
  };
  return {
    list: () => rows.entries(),
    /** @param {number | undefined} index */
    find: (index) => (index === undefined ? undefined : rows.get(index)),
    clear() {
      for (const [index, row] of rows) removeRow(index, row);
    },
    /**
     * Shows the rows of a range of items, and removes all others.
     * @param {readonly Item[]} items
     * @param {number} first
     * @param {number} last
     */
    show(items, first, last) {
      for (const [index, row] of rows) if (index < first || index > last) removeRow(index, row);
      /** @type {Element | null} */
      let next = null;
      for (let index = last; index >= first; index--) {
        const row = rows.get(index) ?? createRow(/** @type {Item} */ (items[index]), index);
        if (row.nextElementSibling !== next || row.parentElement !== list) list.insertBefore(row, next);
        row.setAttribute("aria-setsize", String(items.length));
        next = row;
      }
    },
  };
}
